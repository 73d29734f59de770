// Thresholds and slack against counting: each is the last value that still gives the blocks.
#include <gtest/gtest.h>

#include <iostream>

#include "random_question.hpp"

namespace launchbox {
namespace {

// The limit of one resource, with one quantity changed.
int register_blocks(const question& q, int registers)
{
    const int warps = detail::warps_of(q.shape.threads);
    return detail::register_limit_of(*q.limits, registers, warps, q.settings).blocks;
}

int thread_blocks(const question& q, int threads)
{
    if (threads > q.kernel.max_threads) return 0;
    const int warps = detail::warps_of(threads);
    const register_limit registers = detail::register_limit_of(*q.limits, q.kernel.registers, warps, q.settings);
    return std::min(registers.blocks, detail::warp_limit_of(*q.limits, threads, warps, registers.caching).blocks);
}

int shared_blocks(const question& q, std::int64_t bytes)
{
    const std::int64_t fixed = std::min(bytes, q.kernel.static_shared_bytes);
    // The static part decides whether the opt-in limit applies, so only the dynamic part changes while possible.
    return detail::shared_limit_of(*q.limits, fixed, bytes - fixed, q.settings).blocks;
}

void check(const question& q, const resource_allowance& allowed)
{
    const int n = allowed.blocks;
    if (n < 1 || n > q.limits->blocks_per_sm) {
        EXPECT_EQ(allowed, resource_allowance{.blocks = n});
        return;
    }
    if (allowed.registers) {
        ASSERT_GE(register_blocks(q, *allowed.registers), n);
        if (*allowed.registers < q.limits->registers_per_thread) {
            ASSERT_LT(register_blocks(q, *allowed.registers + 1), n);
        }
    } else {
        ASSERT_LT(register_blocks(q, 1), n);
    }
    if (allowed.threads) {
        ASSERT_GE(thread_blocks(q, *allowed.threads), n);
        if (*allowed.threads < std::min(q.kernel.max_threads, max_threads_per_block)) {
            ASSERT_LT(thread_blocks(q, *allowed.threads + 1), n);
        }
    } else {
        ASSERT_LT(thread_blocks(q, 1), n);
    }
    if (allowed.shared_bytes) {
        if (*allowed.shared_bytes >= q.kernel.static_shared_bytes) {
            ASSERT_GE(shared_blocks(q, *allowed.shared_bytes), n);
            ASSERT_LT(shared_blocks(q, *allowed.shared_bytes + 1), n);
        }
    } else {
        ASSERT_LT(shared_blocks(q, 0), n);
    }
    ASSERT_TRUE(allowed.barriers);
    ASSERT_GE(detail::barrier_limit_of(*q.limits, *allowed.barriers, q.settings.mode).blocks, n);
    if (*allowed.barriers < max_barriers_per_block) {
        ASSERT_LT(detail::barrier_limit_of(*q.limits, *allowed.barriers + 1, q.settings.mode).blocks, n);
    }
}

TEST(occupancy_allowance, every_threshold_and_slack_is_the_last_value_that_suffices)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    int checked = 0;
    while (checked < 300'000) {
        question q = source.next();
        q.kernel.max_threads = 1 + static_cast<int>(seed % 7) * 170;
        q.shape.threads = std::min(q.shape.threads, q.kernel.max_threads);
        const occupancy_result result = occupancy(*q.limits, q.kernel, q.shape, q.settings);
        const auto allowed = [&](int blocks) { return allowance(*q.limits, q.kernel, q.shape, blocks, q.settings); };
        const resource_allowance same = allowed(result.resident_blocks);
        check(q, allowed(result.resident_blocks + 1));
        check(q, same);
        if (testing::Test::HasFailure()) {
            std::cout << describe(q) << '\n';
            return;
        }
        // The current use of the block is within the slack of its allocation.
        if (result.resident_blocks > 0) {
            ASSERT_LE(q.kernel.registers, std::max(*same.registers, 256));
            ASSERT_LE(q.shape.threads, *same.threads) << describe(q);
            ASSERT_LE(q.kernel.static_shared_bytes + q.shape.dynamic_shared_bytes, *same.shared_bytes) << describe(q);
        }
        ++checked;
    }
}

// All thresholds on two architectures; those of registers are the table that kernel authors ask for.
TEST(occupancy_allowance, known_register_thresholds)
{
    const int of_256[] = {255, 128, 80, 64, 48, 40, 32, 32};
    const int of_128[] = {255, 255, 168, 128, 96, 80, 72, 64};
    for (int n = 1; n <= 8; ++n) {
        EXPECT_EQ(register_cap(sm_90, 256, n), of_256[n - 1]);
        EXPECT_EQ(register_cap(sm_90, 128, n), of_128[n - 1]);
    }
    EXPECT_EQ(register_cap(sm_90, 288, 1), 168);
    EXPECT_EQ(register_cap(sm_90, 1024, 2), 32);
    EXPECT_EQ(allowance(sm_90, {.registers = 67}, {.threads = 256}, 4).registers, 64);
    EXPECT_EQ(allowance(sm_90, {.registers = 67}, {.threads = 256}, 3).registers, 80);
}

}  // namespace
}  // namespace launchbox
