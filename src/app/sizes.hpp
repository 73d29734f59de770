// Sizes and parts as the user writes them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace launchbox {

/// "11264", "48K", "227KB", "1MiB" in bytes (K = 1,024). Throws `error` for anything else and for negative sizes.
std::int64_t parse_bytes(const std::string& text, const std::string& option);

/// "64M" as bytes, 0 or more, also above any GPU's shared memory. Throws `error`, naming the option.
std::int64_t parse_size(const std::string& text, const std::string& option);

/// "2", "2%" or "0.5 %" as 0.02 and 0.005; 0 or more. Throws `error`, naming the option.
double parse_percent(const std::string& text, const std::string& option);

/// Throws `error` for a size below 0 or above 1 GiB.
void check_bytes(std::int64_t bytes, const std::string& option);

}  // namespace launchbox
