// Ranks in one process, which exchange messages through queues. A rank can become silent, like a stopped process.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/message_queue.hpp"
#include "cluster/rank_server.hpp"
#include "support/files/files.hpp"

namespace launchbox {

class local_ranks {
public:
    explicit local_ranks(int ranks) : silent_(static_cast<std::size_t>(ranks))
    {
        for (int rank = 0; rank < ranks; ++rank) inboxes_.push_back(std::make_shared<message_queue>());
    }

    [[nodiscard]] rank_link link(int rank)
    {
        return {.rank = rank,
                .ranks = static_cast<int>(inboxes_.size()),
                .send =
                    [this, rank](int to, std::string text) {
                        if (!silent_[static_cast<std::size_t>(rank)])
                            inboxes_[static_cast<std::size_t>(to)]->push({.from = rank, .text = std::move(text)});
                    },
                .receive =
                    [inbox = inboxes_[static_cast<std::size_t>(rank)]](double seconds) { return inbox->pop(seconds); }};
    }
    /// Drops all messages of this rank from now on.
    void silence(int rank) { silent_[static_cast<std::size_t>(rank)] = true; }
    void say(int rank, const std::string& text) { inboxes_[0]->push({.from = rank, .text = text}); }

private:
    std::vector<std::shared_ptr<message_queue>> inboxes_;
    std::deque<std::atomic<bool>> silent_;
};

}  // namespace launchbox
