// Runs independent jobs on the machine's cores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "support/process/thread_group.hpp"

namespace launchbox {

/// Calls `job(0)` to `job(count - 1)`, started in that order, on up to `workers` threads (0: one per core; fewer if the
/// system refuses more) and waits for all. The first exception of a job is rethrown here once every started job has
/// ended; no new job starts after it.
template <class Job>
void run_parallel(std::size_t count, const Job& job, unsigned workers = 0)
{
    if (workers == 0) workers = std::max(1u, std::thread::hardware_concurrency());
    workers = static_cast<unsigned>(std::min<std::size_t>(workers, count));

    std::atomic<std::size_t> next{0};
    std::mutex lock;
    std::exception_ptr failure;
    const auto work = [&] {
        for (std::size_t index = next++; index < count; index = next++) {
            try {
                job(index);
            } catch (...) {
                const std::lock_guard guard(lock);
                if (!failure) failure = std::current_exception();
                next = count;
            }
        }
    };
    {
        thread_group threads;
        while (threads.size() + 1 < workers && threads.start(work)) {
        }
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

/// The same for many short jobs: calls `job(begin, end)` for ranges of `count`.
template <class Job>
void run_parallel_ranges(std::size_t count, std::size_t at_once, const Job& job, unsigned workers = 0)
{
    run_parallel((count + at_once - 1) / at_once,
                 [&](std::size_t range) { job(range * at_once, std::min(count, (range + 1) * at_once)); }, workers);
}

/// Calls `use(make(0))` to `use(make(count - 1))` in this order, one at a time; `make` runs on all cores, some ranges
/// ahead, so that a long report is never in memory as a whole. `cost(i)`: approximate extra bytes that `make(i)` needs;
/// those made ahead together need at most `max_cost`, or only one is made.
template <class Make, class Use, class Cost>
void make_parallel_use_in_order(std::size_t count, const Make& make, const Use& use, const Cost& cost,
                                std::uint64_t max_cost)
{
    constexpr std::size_t at_once = 64;
    const std::size_t ahead = at_once * 4 * std::max(1u, std::thread::hardware_concurrency());
    std::vector<decltype(make(std::size_t{0}))> made(std::min(count, ahead));
    for (std::size_t done = 0, now = 0; done < count; done += now) {
        std::uint64_t together = 0;
        for (now = 0; now < std::min(ahead, count - done); ++now) {
            together += cost(done + now);
            if (now > 0 && together > max_cost) break;
        }
        run_parallel_ranges(now, at_once, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) made[i] = make(done + i);
        });
        for (std::size_t i = 0; i < now; ++i) use(std::exchange(made[i], {}));
    }
}

}  // namespace launchbox
