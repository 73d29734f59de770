// What a worker does with a task: load, launch once and judge, then time launches and judge each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <list>
#include <map>
#include <string>
#include <vector>

#include "tune/worker/compare/captured_judge.hpp"
#include "tune/worker/compare/output_judge.hpp"
#include "tune/worker/energy_meter.hpp"
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
    /// What the last task left to be done after its answer: files of outputs, as far as they can be written. Throws as
    /// the driver does.
    void finish();

private:
    /// A kernel that stays loaded, since it is timed again and again.
    struct kept_kernel {
        gpu_task task;
        loaded_kernel kernel;
        launch_history history = {};
        std::vector<std::uint64_t> right = {};  // see output_judge
        bool was_launched = false;
        kept_kernel(gpu_context& gpu, gpu_task made) : task(std::move(made)), kernel(gpu, task) {}
    };

    gpu_task with_limit_of_time(const gpu_task& task);
    void measure(const gpu_task& task, measurement& answer);
    void measure_workload(const gpu_task& task, kept_kernel& kept, measurement& answer);
    /// The same for a captured launch.
    void measure_captured(const gpu_task& task, kept_kernel& kept, measurement& answer);
    void replay(const gpu_task& task, kept_kernel& kept, captured_buffers& buffers, measurement& answer);
    captured_buffers& captured(const std::string& file);
    void enter(worker_phase phase);
    void first_launch(const timed_kernel& what);
    void measure_times(const timed_kernel& what, measurement& answer);
    void measure_energy(const timed_kernel& what, measurement& answer);
    /// After timed launches that were all right: whether they did as much as one that finds its variables as they were
    /// when the module was loaded.
    void compare_with_fresh_variables(const timed_kernel& what, measurement& answer);
    /// What launches did to memory that is not theirs; false: something, which is then in `answer`.
    bool is_unharmed(const workload_buffers& buffers, measurement& answer);
    bool is_as_captured(const captured_judge& judge, captured_buffers& buffers, measurement& answer);
    void prepare(const gpu_task& task, measurement& answer);
    void make_reference(const gpu_task& task, workload_buffers& buffers, output_judge& judge);
    using content_source = std::function<void(const std::function<void(std::string_view)>& take)>;
    void save(const task_argument& output, const std::string& file, const content_source& content) const;

    std::function<void(worker_phase)> tell_;
    worker_phase phase_ = worker_phase::ready;
    const reserved_addresses& addresses_;
    gpu_context gpu_;
    gpu_timer timer_;
    energy_meter energy_;
    workload_store workloads_;
    struct outputs_to_save {
        workload_buffers* buffers = nullptr;
        std::map<std::string, std::string> files;
    };
    outputs_to_save to_save_;
    std::string captured_file_;
    std::unique_ptr<captured_buffers> captured_;  // the last one that was used
    std::list<kept_kernel> kept_;                 // with `repeated`; else the one of this task
};

}  // namespace launchbox
