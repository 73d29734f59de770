// Threads that are joined together, when the system may refuse one: by a limit of processes (ulimit -u, a cgroup's
// pids.max) or for lack of memory for its stack.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "support/error.hpp"

namespace launchbox {

class thread_group {
public:
    /// False: the system refused to start a thread, and `work` was not called. Running threads continue: the caller
    /// must make them end, since the destructor waits for them.
    template <class Work>
    [[nodiscard]] bool start(Work&& work)
    {
        try {
            threads_.emplace_back(std::forward<Work>(work));
        } catch (const std::system_error&) {
            return false;
        }
        return true;
    }

    [[nodiscard]] std::size_t size() const { return threads_.size(); }
    void join() { threads_.clear(); }

private:
    std::vector<std::jthread> threads_;
};

/// The error to throw if a required thread is refused.
inline machine_error no_thread()
{
    return machine_error("the system cannot start another thread",
                         "raise the limit of processes (ulimit -u, pids.max of the container), or end some",
                         exit_status::missing);
}

/// A thread of its own; throws `no_thread()`.
template <class Work>
std::jthread new_thread(Work&& work)
{
    try {
        return std::jthread(std::forward<Work>(work));
    } catch (const std::system_error&) {
        throw no_thread();
    }
}

}  // namespace launchbox
