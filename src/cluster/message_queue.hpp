// Messages that have arrived and wait to be read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "cluster/rank_link.hpp"

namespace launchbox {

/// Any thread pushes, any thread pops.
class message_queue {
public:
    void push(rank_message message)
    {
        const std::lock_guard guard(lock_);
        messages_.push_back(std::move(message));
        changed_.notify_one();
    }

    /// The oldest, waiting at most so long.
    std::optional<rank_message> pop(double seconds)
    {
        std::unique_lock guard(lock_);
        changed_.wait_for(guard, std::chrono::duration<double>(seconds), [this] { return !messages_.empty(); });
        if (messages_.empty()) return std::nullopt;
        rank_message message = std::move(messages_.front());
        messages_.pop_front();
        return message;
    }

private:
    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<rank_message> messages_;
};

}  // namespace launchbox
