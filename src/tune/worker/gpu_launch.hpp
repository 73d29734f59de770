// A kernel of a candidate, loaded and ready to be launched as the candidate wants it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/worker/gpu_context.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// Loaded for as long as this lives.
class loaded_kernel {
public:
    /// Throws `cuda_failure` where the driver refuses, and `error` where the task does not fit the kernel.
    loaded_kernel(const gpu_context& gpu, const gpu_task& task);
    ~loaded_kernel();
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    void launch(void** parameters, const char* stage) const;
    [[nodiscard]] CUmodule module() const { return module_; }

private:
    void allow_shared_memory() const;
    void compare_parameters() const;
    void fill_variables() const;

    const gpu_context& gpu_;
    const gpu_task& task_;
    CUmodule module_ = nullptr;
    CUfunction function_ = nullptr;
};

}  // namespace launchbox
