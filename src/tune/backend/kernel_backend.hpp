// [kernel]: candidates that launchbox compiles and launches on GPUs of one kind.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <launchbox/sm_limits.hpp>

#include "gpu/driver.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/run/backend.hpp"
#include "tune/spec/limit_values.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

struct kernel_backend_options {
    compute_capability architecture;
    const sm_limits* limits = nullptr;
    limit_values names;                                ///< what sm.* and device.* are in expressions
    std::vector<std::shared_ptr<gpu_worker>> workers;  ///< of GPUs that are alike; empty: nothing is measured here
    std::filesystem::path folder;                      ///< for modules and reference outputs; it outlives the backend
    bool elsewhere = false;                            ///< the GPUs are on another machine: modules are made here
};

/// One worker for each of these GPUs, not started yet. `worker_program` starts with run_gpu_worker; empty: this
/// program.
std::vector<std::shared_ptr<gpu_worker>> workers_for(const tune_spec& spec, const std::vector<int>& gpus,
                                                     const std::string& worker_program);

/// The backend without its environment. `builder` is null if nothing is compiled, because the spec has a captured
/// module and no source. `spec` and `builder` must outlive it. Throws `error` if the files or the program in [verify]
/// cannot be used.
tune_backend kernel_backend(const tune_spec& spec, kernel_builder* builder, const kernel_backend_options& options);

}  // namespace launchbox
