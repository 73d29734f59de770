// What a worker does with a task: load, launch once and check, time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <string>

#include "tune/worker/captured_buffers.hpp"
#include "tune/worker/gpu_buffers.hpp"
#include "tune/worker/gpu_launch.hpp"
#include "tune/worker/gpu_timing.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

class gpu_session {
public:
    /// `tell` passes the phase on to the parent. Throws `cuda_failure` or `error` where there is no such GPU.
    gpu_session(int device, const reserved_addresses& addresses, std::function<void(worker_phase)> tell);

    /// Never throws. After an answer with `sticky` the session is of no more use, nor is its process.
    measurement run(const gpu_task& task);

private:
    /// A kernel that stays loaded, since it is timed again and again.
    struct kept_kernel {
        gpu_task task;
        loaded_kernel kernel;
        kept_kernel(const gpu_context& gpu, gpu_task made) : task(std::move(made)), kernel(gpu, task) {}
    };

    void measure(const gpu_task& task, measurement& answer);
    /// The same for a captured launch.
    void measure_captured(const gpu_task& task, const loaded_kernel& kernel, measurement& answer);
    captured_buffers& captured(const std::string& file);
    bool is_as_captured(const gpu_task& task, captured_buffers& buffers, measurement& answer);
    void replay(const gpu_task& task, const loaded_kernel& kernel, captured_buffers& buffers, measurement& answer);
    void time_again(const gpu_task& task, kept_kernel& kept, measurement& answer);
    void enter(worker_phase phase);
    /// Whether the launches so far left behind what they should; otherwise `answer` says what is wrong. Outputs that
    /// are as `answer.checksum` has them were compared before.
    bool is_right(const gpu_task& task, workload_buffers& buffers, measurement& answer);
    void compare(const gpu_task& task, workload_buffers& buffers, measurement& answer);
    output_difference compare_on_host(const gpu_task& task, const workload_buffers::output& output,
                                      const std::string& file);
    std::string sentence_of(const workload_buffers::output& output, const std::string& file,
                            const output_difference& difference) const;
    void save(const gpu_task& task, workload_buffers& buffers) const;

    std::function<void(worker_phase)> tell_;
    worker_phase phase_ = worker_phase::ready;
    const reserved_addresses& addresses_;
    gpu_context gpu_;
    gpu_timer timer_;
    workload_store workloads_;
    std::string captured_file_;
    std::unique_ptr<captured_buffers> captured_;  // the last one that was used
    std::list<kept_kernel> kept_;                 // with `repeated`
};

}  // namespace launchbox
