// A queue of messages that have arrived.
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

/// Thread-safe.
template <class Message>
class waiting_messages {
public:
    void push(Message message)
    {
        const std::lock_guard guard(lock_);
        messages_.push_back(std::move(message));
        changed_.notify_one();
    }
    /// Ends all waiting; `pop` returns.
    void end()
    {
        const std::lock_guard guard(lock_);
        ended_ = true;
        messages_.clear();
        changed_.notify_all();
    }
    /// The oldest message, waiting at most this long. Nothing if the queue was ended, or none came.
    std::optional<Message> pop(double seconds)
    {
        std::unique_lock guard(lock_);
        changed_.wait_for(guard, std::chrono::duration<double>(seconds), [this] { return can_pop(); });
        return oldest();
    }
    std::optional<Message> pop()
    {
        std::unique_lock guard(lock_);
        changed_.wait(guard, [this] { return can_pop(); });
        return oldest();
    }

private:
    [[nodiscard]] bool can_pop() const { return ended_ || !messages_.empty(); }
    std::optional<Message> oldest()
    {
        if (messages_.empty()) return std::nullopt;
        Message message = std::move(messages_.front());
        messages_.pop_front();
        return message;
    }

    std::mutex lock_;
    std::condition_variable changed_;
    std::deque<Message> messages_;
    bool ended_ = false;
};

using message_queue = waiting_messages<rank_message>;

}  // namespace launchbox
