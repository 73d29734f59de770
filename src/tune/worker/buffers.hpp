// The initial content of a kernel's arguments, and checksums that detect changes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "support/files/mapped_file.hpp"
#include "tune/worker/element_filling.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// Bytes of a buffer. Throws `error` for an unknown type, and for a size that no GPU has.
std::size_t bytes_of(const task_argument& argument);

/// A scalar as it is passed: the first `element_type::bytes` bytes count.
std::array<char, 16> scalar_bytes(const task_argument& argument);

/// Four bytes that a kernel leaves by chance only when it leaves NaN of every floating-point type: every half of it,
/// too.
inline constexpr std::uint32_t poison_word = 0xfffafff5;
/// Whether the poison is unlikely as a result of the type: not for small integers, where 255 and -11 are common.
constexpr bool poison_is_invalid(const element_type& type)
{
    const bool integer =
        type.what == element_type::kind::signed_integer || type.what == element_type::kind::unsigned_integer;
    return !integer || type.bytes >= 4;
}

/// Whether all of these bytes are poison; `position`: the offset of the first byte in its buffer.
bool is_poison(const char* from, std::size_t bytes, std::size_t position);

inline constexpr unsigned char guard_byte = 0xb7;
inline constexpr std::size_t guard_bytes = 4096;

/// Fills any part of an argument's buffer; the same argument always gives the same content, in whatever parts.
class argument_filler {
public:
    /// Throws `error` for a file that cannot be read or does not fit.
    explicit argument_filler(const task_argument& argument);

    /// Elements `first` to `first + count - 1`.
    void fill(std::int64_t first, std::int64_t count, char* to) const;
    /// By what the elements are made; nothing for files and poison.
    [[nodiscard]] const std::optional<element_filling>& generated() const { return filling_; }

private:
    element_type type_;
    std::optional<element_filling> filling_;
    std::unique_ptr<mapped_file> file_;
    std::string_view data_;  // of the file
};

/// The sum of a part of a buffer; the sums of all parts add up to that of the whole. `first_word`: the number of 8-byte
/// words before it; only the last part may end within a word. The position of each word counts, so that swapped words
/// change the sum. The kernel of the same name in helper_module.ptx calculates the same.
std::uint64_t checksum(std::string_view bytes, std::uint64_t first_word = 0);

/// The sum as it is stored in results.
std::string checksum_text(std::uint64_t sum);

}  // namespace launchbox
