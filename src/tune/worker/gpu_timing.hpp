// Samples of a kernel's time: events around each launch, behind a kernel that holds the GPU until all is queued.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

#include "tune/worker/gpu_launch.hpp"
#include "tune/worker/launch_memory.hpp"

namespace launchbox {

class gpu_timer {
public:
    explicit gpu_timer(gpu_context& gpu);

    /// Adds samples, what was dropped, and the GPU's state to `answer`.
    void measure(const gpu_task& task, const loaded_kernel& kernel, launch_memory& buffers, measurement& answer);

private:
    double sample_ns(const gpu_task& task, const loaded_kernel& kernel, launch_memory& buffers, std::size_t set);

    gpu_context& gpu_;
    CUevent begin_ = nullptr, end_ = nullptr;
    CUdeviceptr flush_ = 0;
    nvml_reading reading_;  // the last whole one
    std::chrono::steady_clock::time_point read_at_ = {};
    int timed_out_ = 0;  // blocks that ended by themselves in this task
};

}  // namespace launchbox
