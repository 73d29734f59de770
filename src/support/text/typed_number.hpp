// Whole numbers and sizes in the form that people type, on the command line and in the calculator.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace launchbox {

/// "256", "-1", "1,024": digits, optionally with commas between thousands and with spaces around. `nullopt` for
/// anything else, and for values beyond 64 bits.
std::optional<std::int64_t> read_whole_number(std::string_view text);

/// A size in bytes: a whole number from 0 on, followed by B, or by K, M, G or T (factors of 1,024, in either case) with
/// or without B or iB: "11264", "49,152", "48K", "48 KiB", "227kb". `nullopt` for anything else.
std::optional<std::int64_t> read_bytes(std::string_view text);

/// A number in C++ or PTX form, without sign, suffix and separators: "255", "0xff", "0377", "0b11111111". `nullopt` for
/// anything else, and for values beyond 64 bits.
std::optional<std::int64_t> read_c_integer(std::string_view digits);

}  // namespace launchbox
