// What a spec's captured launches supply to a candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "capture/folder/captured_launch.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// capture.json of a workload; the path does not depend on the current folder.
std::string capture_file_of(const tune_spec& spec, std::size_t workload);

/// Of all workloads; empty if the spec has none.
std::vector<std::string> capture_files(const tune_spec& spec);

/// Throws `error` for a capture that cannot be read, for a launch that changed no memory and, with `runs_module`, if
/// its module does not run on this architecture or has no such kernel.
void check_capture(const std::string& file, const compute_capability& architecture, bool runs_module);

/// One sentence if the captured arguments do not match the parameters of this kernel in the cubin, or if its parameters
/// are unknown; empty: each argument lies where the kernel reads it.
std::string why_parameters_differ(const captured_launch& launch, std::string_view cubin, const std::string& kernel);

/// The captured module as a build result. Throws `error` as `check_capture`, and if the module has other parameters or
/// lacks a variable.
build_result captured_module(const std::string& file, const compute_capability& architecture);

/// The settings that do not depend on the candidate. `has_carveout`: the candidate sets its own carveout.
void add_capture(const std::string& file, const captured_launch& launch, gpu_task& task, bool has_carveout);

/// The captures of a spec, each read once, when it is first needed. Several threads may call it at once.
class capture_files_read {
public:
    capture_files_read(const tune_spec& spec, compute_capability architecture)
        : spec_(spec), architecture_(architecture)
    {
    }

    /// As `captured_module`.
    build_result module(std::size_t workload);
    const captured_launch& launch(std::size_t workload);
    /// As `add_capture`.
    void add_to(gpu_task& task, std::size_t workload, bool has_carveout);

private:
    const tune_spec& spec_;
    const compute_capability architecture_;
    std::mutex lock_;
    std::map<std::size_t, build_result> modules_;
    std::map<std::size_t, captured_launch> launches_;
};

}  // namespace launchbox
