#include "support/process/parallel.hpp"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

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

TEST(parallel, hands_on_the_first_exception_and_starts_nothing_after_it)
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

}  // namespace
}  // namespace launchbox
