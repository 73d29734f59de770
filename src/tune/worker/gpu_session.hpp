// What a worker does with a task: load, launch once and check, time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <string>

#include "tune/worker/gpu_timing.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

class gpu_session {
public:
    /// `tell` passes the phase on to the parent. Throws `cuda_failure` or `error` where there is no such GPU.
    gpu_session(int device, std::function<void(worker_phase)> tell);

    /// Never throws. After an answer with `sticky` the session is of no more use, nor is its process.
    measurement run(const gpu_task& task);

private:
    measurement measure(const gpu_task& task);
    void enter(worker_phase phase);
    /// Whether the launches so far left behind what they should; otherwise `answer` says what is wrong.
    bool is_right(const gpu_task& task, workload_buffers& buffers, measurement& answer);
    void compare(const gpu_task& task, const workload_buffers::output& output, std::uint64_t sum, measurement& answer);
    void save(const gpu_task& task, workload_buffers& buffers) const;
    std::uint64_t reference_sum(const std::string& file, const task_argument& argument);

    std::function<void(worker_phase)> tell_;
    worker_phase phase_ = worker_phase::ready;
    gpu_context gpu_;
    gpu_timer timer_;
    workload_store workloads_;
    struct known_reference {
        std::uintmax_t bytes = 0;
        std::int64_t changed = 0;
        std::uint64_t sum = 0;
    };
    std::map<std::string, known_reference> references_;
};

}  // namespace launchbox
