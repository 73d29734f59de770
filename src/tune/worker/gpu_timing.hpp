// Samples of a kernel's time: events around each launch, behind a kernel that holds the GPU until all is queued. Every
// timed launch begins with poisoned outputs and is judged: a sample whose output is wrong is no time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <random>

#include "tune/worker/compare/launch_history.hpp"
#include "tune/worker/compare/launch_judge.hpp"
#include "tune/worker/gpu_launch.hpp"
#include "tune/worker/timed_memory.hpp"

namespace launchbox {

/// What is launched, on what, and who says whether it was right.
struct timed_kernel {
    const gpu_task& task;
    const loaded_kernel& kernel;
    timed_memory& memory;
    launch_judge& judge;
    launch_history& history;
};

class gpu_timer {
public:
    explicit gpu_timer(gpu_context& gpu);

    /// Adds samples, what was dropped, the GPU's state, and the time of what is done around the launches to `answer`.
    /// After a wrong launch, which `history` has, it launches a few times more to see how often that happens; then no
    /// sample counts.
    void measure(const timed_kernel& what, measurement& answer);

    /// One round as `measure` times them, or all of it but the launch. What is there is judged in one of 16 rounds, at
    /// random, since judging takes energy that depends on it; in the round 0 always. False: a launch was wrong, which
    /// the history has.
    bool round(const timed_kernel& what, std::size_t number, bool launches);

    /// The median of a few samples of launches that find the module's variables as they were when it was loaded, which
    /// `fresh` is for; in ns. 0: there was none.
    double median_with_fresh_variables(const timed_kernel& what, const loaded_kernel& fresh);

private:
    struct round_parts {
        bool launches = true, judges = true;
    };
    double sample_ns(const timed_kernel& what, std::size_t set, const loaded_kernel* fresh, const round_parts& with);
    double sample_ns(const timed_kernel& what, std::size_t set, const loaded_kernel* fresh)
    {
        return sample_ns(what, set, fresh, {});
    }
    void make_ready(const timed_kernel& what, const loaded_kernel* fresh);
    void warm_up(const timed_kernel& what, std::size_t set, const loaded_kernel* fresh);
    double elapsed_ns(CUevent from, CUevent to) const;

    gpu_context& gpu_;
    CUevent start_ = nullptr, ready_ = nullptr;  // around what comes before a launch
    CUevent begin_ = nullptr, end_ = nullptr;    // around the launch
    CUevent judged_ = nullptr;                   // behind what its output was asked for
    double ready_ns_ = 0, judging_ns_ = 0;       // of the GPU, for the first launches of this task:
    int surroundings_timed_ = 0, launches_ = 0;  // so many of so many
    CUdeviceptr flush_ = 0;
    std::minstd_rand random_{std::random_device{}()};
    nvml_reading reading_;  // the last whole one
    std::chrono::steady_clock::time_point read_at_ = {};
    int timed_out_ = 0;  // blocks that ended by themselves in this task
};

}  // namespace launchbox
