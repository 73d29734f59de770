#include "support/process/parallel.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <set>
#include <stdexcept>

#include "support/process/thread_group.hpp"

namespace launchbox {
namespace {

TEST(parallel, runs_every_job_once)
{
    std::vector<std::atomic<int>> calls(1000);
    run_parallel(
        calls.size(), [&](std::size_t i) { ++calls[i]; }, 8);
    for (const auto& count : calls) EXPECT_EQ(count, 1);
    run_parallel(0, [](std::size_t) { FAIL(); });
}

TEST(parallel, rethrows_the_first_exception_and_starts_no_job_after_it)
{
    std::atomic<int> started{0};
    EXPECT_THROW(run_parallel(
                     1000000,
                     [&](std::size_t) {
                         ++started;
                         throw std::runtime_error("x");
                     },
                     4),
                 std::runtime_error);
    EXPECT_LE(started, 4);
}

// No machine has memory for stacks of this size, so every start of a thread fails as with a limit of processes.
class no_room_for_threads {
public:
    no_room_for_threads()
    {
        pthread_attr_t huge;
        ::pthread_getattr_default_np(&before_);
        ::pthread_attr_init(&huge);
        ::pthread_attr_setstacksize(&huge, std::size_t{1} << 46);
        EXPECT_EQ(::pthread_setattr_default_np(&huge), 0);
        ::pthread_attr_destroy(&huge);
    }
    ~no_room_for_threads() { ::pthread_setattr_default_np(&before_); }
    no_room_for_threads(const no_room_for_threads&) = delete;
    no_room_for_threads& operator=(const no_room_for_threads&) = delete;

private:
    pthread_attr_t before_{};
};

TEST(parallel, does_all_work_with_the_threads_that_started)
{
    const no_room_for_threads none;
    int calls = 0;
    run_parallel(
        100, [&](std::size_t) { ++calls; }, 8);
    EXPECT_EQ(calls, 100);
}

TEST(thread_group, reports_that_a_thread_was_refused_and_continues_with_the_others)
{
    std::atomic<int> done = 0;
    {
        thread_group threads;
        EXPECT_TRUE(threads.start([&] { ++done; }));
        {
            const no_room_for_threads none;
            EXPECT_FALSE(threads.start([&] { ++done; }));
            EXPECT_THROW(new_thread([] {}), machine_error);
        }
        EXPECT_TRUE(threads.start([&] { ++done; }));
        EXPECT_EQ(threads.size(), 2u);
    }
    EXPECT_EQ(done, 2);
}

}  // namespace
}  // namespace launchbox
