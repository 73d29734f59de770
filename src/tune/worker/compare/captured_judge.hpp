// Judges whether a replay gives the program's result, in all memory that the captured launch changed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tune/worker/captured_buffers.hpp"
#include "tune/worker/compare/launch_judge.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// Must not outlive the captured memory and the task.
class captured_judge final : public launch_judge {
public:
    captured_judge(gpu_context& gpu, captured_buffers& buffers, const gpu_task& task)
        : gpu_(gpu), buffers_(buffers), task_(task)
    {
    }

    void ask(bool) override
    {
        buffers_.ask_changed();
        gpu_.fetch_sums();
    }
    std::string fault() override
    {
        return buffers_.changed_as_captured(gpu_.fetched_sums()) ? std::string() : difference(buffers_.sums());
    }

    /// What is wrong with the memory that has these checksums; empty: nothing. With `replays` every byte counts,
    /// whatever the tolerance.
    [[nodiscard]] std::string difference(const memory_sums& sums) const
    {
        if (buffers_.is_as_captured(sums)) return {};
        const bool tolerant = !task_.compared_as.empty() && task_.replays == 0;
        return tolerant ? buffers_.first_difference_beyond(sums, task_.compared_as, task_.absolute, task_.relative)
                        : buffers_.first_difference(sums);
    }

private:
    gpu_context& gpu_;
    captured_buffers& buffers_;
    const gpu_task& task_;
};

}  // namespace launchbox
