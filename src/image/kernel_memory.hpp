// Limits the memory for the kernels of a file, and of all files of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "image/kernel_info.hpp"

namespace launchbox {

/// For one file: 1 GiB, about a million kernels. The 9,000 of the largest image seen take 15 MB.
inline constexpr std::uint64_t max_kernel_bytes_per_file = std::uint64_t{1} << 30;
/// For all files read together: 2 GiB.
inline constexpr std::uint64_t max_kernel_bytes_per_run = std::uint64_t{2} << 30;

/// Lines take few bytes in an image, but each is shown with the calls through which it was inlined. So their text is
/// limited: 64 MiB for one kernel; as much plus 200 times its size for a file. CUB's kernels need less than a hundredth
/// of the first, and 5 times the size of their file.
inline constexpr std::uint64_t max_line_text_per_kernel = std::uint64_t{64} << 20, line_text_per_byte = 200;

/// Counts the memory of kernels while they are read, so that a small file that claims to contain a hundred million of
/// them is refused. Thread-safe.
class kernel_memory {
public:
    /// `whose` is named in `refusal`: "one file". What this budget takes is also taken from `all`.
    explicit kernel_memory(std::uint64_t max_bytes = max_kernel_bytes_per_run, std::string whose = "all files together",
                           kernel_memory* all = nullptr);

    /// Reserves memory for one more kernel. Once it has returned false, it always does.
    bool take(const kernel_info& kernel);
    /// The same for its lines.
    bool take(const kernel_lines& lines);
    bool take(std::uint64_t bytes);
    [[nodiscard]] bool used_up() const;

    /// Limits the text of the lines of all kernels; without this call there is no limit.
    void limit_line_text(std::uint64_t bytes);
    /// Reserves text for a kernel's lines: at most `max_line_text_per_kernel`.
    bool take_line_text(std::uint64_t bytes);

    /// The limit that was hit: "the kernels of one file may take 1 GiB of memory"; empty if none.
    [[nodiscard]] std::string refusal() const;

private:
    const std::uint64_t max_bytes_;
    const std::string whose_;
    kernel_memory* const all_;
    mutable std::mutex lock_;
    std::uint64_t used_ = 0;
    std::uint64_t line_text_left_ = ~std::uint64_t{0};
    std::string refusal_;
};

}  // namespace launchbox
