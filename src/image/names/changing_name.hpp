// The parts of kernel names that change with every build: hashes, counters, numbers of files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// A demangled name without them:
/// - Rust's hash, `axpy::h` and 16 digits, and the number of a crate in Rust's newer names,
/// `_RNvCs4fqI2P2rA04_4axpy...`;
/// - Numba's counters, `step$2417(...)`, `cudapy::app::step_2417(...)` and `[abi:v12]` before the tag of its flags;
/// - what clang writes of a file into an OpenMP target region, `__omp_offloading_10302_4a1b2c_main_l12`, and into
/// kernels
///   of internal linkage, `__static__` or `__intern__` and a hash;
/// - Julia's counter, `julia_vadd_2169(...)`.
/// Other names come back as they are.
std::string without_changing_part(std::string_view demangled);

/// Whether the name has such a part.
bool has_changing_part(std::string_view demangled);

}  // namespace launchbox
