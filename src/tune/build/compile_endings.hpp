// How a compiler can end other than by success or an error message.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace launchbox {

/// "the compiler did not end within 300 s"
std::string timeout_reason(double seconds);
/// "the compiler took more than 8 GiB of memory"
std::string memory_reason(std::int64_t bytes);

/// Whether a failed compiler ran out of memory, judged by measurement: one of its processes used half or more of the
/// address space of `limit` bytes (0: not limited).
bool took_its_memory(std::size_t peak_bytes, std::int64_t limit);

/// The signal that ended nvcc or one of its programs, by nvcc's exit status; 0: none.
int signal_of_nvcc(int exit_code);

/// "killed by signal 11 (Segmentation fault)"
std::string signal_text(int signal);

}  // namespace launchbox
