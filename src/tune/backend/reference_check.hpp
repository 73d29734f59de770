// The files that a spec compares with or reads, before anything runs.
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

/// Throws `error` where a file that the spec names is missing or holds elements of another type or number than its
/// argument, and where [verify] has a tolerance for outputs that are compared bit by bit. Gives a sentence for each
/// reference that holds NaN, which only NaN equals, and for each that holds one value everywhere,
/// and one where there is nothing to compare.
std::vector<std::string> check_files(const tune_spec& spec, const std::vector<checked_workload>& workloads);

/// Elements that are NaN; 0 for types that have none. `bytes` are whole elements.
std::size_t count_nan(const element_type& type, std::string_view bytes, std::size_t& first);

}  // namespace launchbox
