// A kernel of a candidate, loaded and ready to be launched as the candidate wants it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/worker/gpu_context.hpp"
#include "tune/worker/gpu_worker.hpp"
#include "tune/worker/module_state.hpp"

namespace launchbox {

/// Loaded for as long as this lives.
class loaded_kernel {
public:
    /// Throws `cuda_failure` where the driver refuses, and `error` where the task does not fit the kernel.
    loaded_kernel(gpu_context& gpu, const gpu_task& task);
    ~loaded_kernel();
    loaded_kernel(const loaded_kernel&) = delete;
    loaded_kernel& operator=(const loaded_kernel&) = delete;

    void launch(void** parameters, const char* stage) const;
    [[nodiscard]] CUmodule module() const { return module_; }

    /// In stream order: variables of the task with reset = true hold what they held when the module was loaded.
    void reset_variables() const { state_->reset(); }
    /// In stream order: variables that nothing resets hold what those of the other hold, which is of the same task.
    void take_variables_of(const loaded_kernel& other) const { state_->take(*other.state_); }
    /// Those that launches have changed since the module was loaded, nothing resets, and the task does not allow it.
    [[nodiscard]] std::vector<std::string> changed_variables() const { return state_->changed(gpu_); }

private:
    void allow_shared_memory() const;
    void compare_parameters() const;

    gpu_context& gpu_;
    const gpu_task& task_;
    CUmodule module_ = nullptr;
    CUfunction function_ = nullptr;
    std::optional<module_state> state_;
};

}  // namespace launchbox
