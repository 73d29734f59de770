// The jobs of a run in the order in which they were proposed, with the state of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>

#include "tune/run/backend.hpp"

namespace launchbox {

enum class job_stage { waiting, preparing, ready, measuring, settled };

struct queued_job {
    std::size_t position = 0;  ///< in the queue
    tune_job job;
    job_stage stage = job_stage::waiting;
    prepared_job prepared = {};
};

/// A job keeps its address, so that a thread can work on its own job while others are added. Everything else is not
/// thread-safe.
class job_queue {
public:
    /// Adds a job to prepare and settle.
    queued_job& add(tune_job job);
    /// Adds a job that an earlier call has settled, because other jobs need its result.
    queued_job& add_settled(tune_job job);

    [[nodiscard]] bool has_waiting();
    /// Marks the oldest waiting job as `preparing`. There must be one.
    queued_job& start_preparing();
    /// Marks a job as prepared, so that it can be measured.
    void set_ready(queued_job& job);
    /// The oldest ready job that may be measured; null: none.
    queued_job* oldest_ready(const std::function<bool(const queued_job&)>& may_be_measured);
    [[nodiscard]] std::size_t ready() const { return ready_.size(); }
    /// Whether all jobs of its workload that were proposed earlier are settled.
    [[nodiscard]] bool is_first_unsettled(const queued_job& job) const;
    /// Frees what was prepared for a job.
    void settle(queued_job& job);

    [[nodiscard]] std::size_t unsettled() const { return unsettled_; }
    [[nodiscard]] std::size_t settled() const { return settled_; }
    /// Jobs that are prepared or being prepared, and not settled.
    [[nodiscard]] std::size_t prepared_ahead() const { return prepared_ahead_; }

private:
    std::deque<queued_job> jobs_;
    std::deque<queued_job*> ready_;
    std::size_t next_to_prepare_ = 0, prepared_ahead_ = 0, unsettled_ = 0, settled_ = 0;
};

}  // namespace launchbox
