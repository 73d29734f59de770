// What a spec's captured launches give to a candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/build/kernel_builder.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// capture.json of a workload; the path does not depend on the current folder.
std::string capture_file_of(const tune_spec& spec, std::size_t workload);

/// Of all workloads; empty where the spec has none.
std::vector<std::string> capture_files(const tune_spec& spec);

/// Throws `error` for a capture that cannot be read, for one of a launch that changed nothing and, with `runs_module`,
/// whose module does not run on this architecture or has no such kernel.
void check_capture(const std::string& file, const compute_capability& architecture, bool runs_module);

/// The module that was captured, as if it had just been built.
build_result captured_module(const std::string& file, const compute_capability& architecture);

/// What does not depend on the candidate. `has_carveout`: it has one of its own.
void add_capture(const std::string& file, gpu_task& task, bool has_carveout);

}  // namespace launchbox
