// Checks the files that a spec reads or compares with, before anything runs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// The arguments and variables of the kernel on the first candidate, for the workload of this number.
struct checked_workload {
    std::size_t workload = 0;
    std::vector<task_argument> arguments;
};

/// Throws `error` if a file that the spec names is missing, or holds elements of another type or number than its
/// argument, and if [verify] has a tolerance for outputs that are compared bit by bit. Returns one sentence for each
/// reference that holds NaN, which only NaN equals, for each that is the same value everywhere, and one if there is
/// nothing to compare.
std::vector<std::string> check_files(const tune_spec& spec, const std::vector<checked_workload>& workloads);

/// The number of NaN elements; 0 for types without NaN. `bytes` must hold whole elements.
std::size_t count_nan(const element_type& type, std::string_view bytes, std::size_t& first);

}  // namespace launchbox
