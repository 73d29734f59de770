// How much memory the kernels of a file, and of all files of a run, may take.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "image/kernel_info.hpp"

namespace launchbox {

/// Of one file: 1 GiB, about a million kernels. The 9,000 of the largest image seen take 15 MB.
inline constexpr std::uint64_t max_kernel_bytes_per_file = std::uint64_t{1} << 30;
/// Of all files that are read together: 2 GiB.
inline constexpr std::uint64_t max_kernel_bytes_per_run = std::uint64_t{2} << 30;

/// Lines are few bytes in an image, and each is shown with the calls that it was inlined by: of one kernel 64 MiB of
/// text; of a file as many, and 200 times its bytes. CUB's kernels have less than a hundredth of the first, and 5 times
/// the bytes of their file.
inline constexpr std::uint64_t max_line_text_per_kernel = std::uint64_t{64} << 20, line_text_per_byte = 200;

/// Counts the memory of kernels while they are read, so that a small file that claims to hold a hundred million of them
/// is refused. May be used by several threads.
class kernel_memory {
public:
    /// `whose` is named in `refusal`: "one file". What one takes, `all` gives too.
    explicit kernel_memory(std::uint64_t max_bytes = max_kernel_bytes_per_run, std::string whose = "all files together",
                           kernel_memory* all = nullptr);

    /// Whether there is memory for one more kernel, which is then counted. After the first no, for none.
    bool take(const kernel_info& kernel);
    /// Likewise for its lines.
    bool take(const kernel_lines& lines);
    bool take(std::uint64_t bytes);
    [[nodiscard]] bool used_up() const;

    /// How much text the lines of all kernels may be; no limit where this is not called.
    void limit_line_text(std::uint64_t bytes);
    /// Whether a kernel's lines may be so much text, which is then counted: at most `max_line_text_per_kernel`.
    bool take_line_text(std::uint64_t bytes);

    /// Which limit was hit: "the kernels of one file may take 1 GiB of memory"; empty while none was.
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
