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

/// Counts the memory of kernels as they are read, so that a small file which claims to hold a hundred million of them
/// is refused and not believed. May be used by several threads.
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

    /// Which limit was hit: "the kernels of one file may take 1 GiB of memory"; empty while none was.
    [[nodiscard]] std::string refusal() const;

private:
    const std::uint64_t max_bytes_;
    const std::string whose_;
    kernel_memory* const all_;
    mutable std::mutex lock_;
    std::uint64_t used_ = 0;
    std::string refusal_;
};

}  // namespace launchbox
