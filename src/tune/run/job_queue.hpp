// The jobs of a run in the order in which they were proposed, and how far each of them is.
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

/// A job stays where it is in memory, so that a thread can work on its own while others are added. All else is not for
/// two threads at once.
class job_queue {
public:
    /// To be prepared and settled.
    queued_job& add(tune_job job);
    /// One that an earlier call has settled; it is here because others need it.
    queued_job& add_settled(tune_job job);

    [[nodiscard]] bool has_waiting();
    /// The oldest that waits is `preparing` from now on. Only where one waits.
    queued_job& start_preparing();
    /// Prepared, and to be measured.
    void set_ready(queued_job& job);
    /// The oldest ready job that may be measured; null: none.
    queued_job* oldest_ready(const std::function<bool(const queued_job&)>& may_be_measured);
    /// Whether all jobs of its workload that were proposed earlier are settled.
    [[nodiscard]] bool is_first_unsettled(const queued_job& job) const;
    /// What was prepared is not needed any more.
    void settle(queued_job& job);

    [[nodiscard]] std::size_t unsettled() const { return unsettled_; }
    [[nodiscard]] std::size_t settled() const { return settled_; }
    /// Jobs that are prepared, or about to be, and not settled.
    [[nodiscard]] std::size_t prepared_ahead() const { return prepared_ahead_; }

private:
    std::deque<queued_job> jobs_;
    std::deque<queued_job*> ready_;
    std::size_t next_to_prepare_ = 0, prepared_ahead_ = 0, unsettled_ = 0, settled_ = 0;
};

}  // namespace launchbox
