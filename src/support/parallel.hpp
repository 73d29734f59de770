// Runs independent jobs on the machine's cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace launchbox {

/// Calls `job(0)` to `job(count - 1)`, in that order of start, on up to `workers` threads (0: one a core) and waits for
/// all. The first exception that a job throws is thrown again here once every started job has ended; no new job starts
/// after it.
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
        std::vector<std::jthread> threads;
        for (unsigned i = 1; i < workers; ++i) threads.emplace_back(work);
        work();
    }
    if (failure) std::rethrow_exception(failure);
}

}  // namespace launchbox
