#include <launchbox/block_size.hpp>

#include <gtest/gtest.h>

namespace launchbox {
namespace {

constexpr auto four_a_thread = [](int threads) { return threads * 4; };
static_assert(suggest_block_size(sm_90, {.registers = 40}, four_a_thread).threads == 768);

// Known answers of cudaOccupancyMaxPotentialBlockSize.
TEST(block_size, known_answers_of_the_runtime)
{
    const auto suggested = [](const sm_limits& limits, int registers, int bound = 1024) {
        return suggest_block_size(limits, {.registers = registers, .max_threads = bound}).threads;
    };
    EXPECT_EQ(suggested(sm_90, 32), 1024);
    EXPECT_EQ(suggested(sm_90, 40), 768);
    EXPECT_EQ(suggested(sm_90, 100), 512);
    EXPECT_EQ(suggested(sm_90, 168), 384);
    EXPECT_EQ(suggested(sm_90, 255), 256);
    EXPECT_EQ(suggested(sm_120, 32), 768);
    EXPECT_EQ(suggested(sm_90, 32, 200), 128);
    EXPECT_EQ(suggested(sm_90, 32, 1000), 512);
    EXPECT_EQ(suggested(sm_90, 32, 256), 256);
}

// maxThreadsPerBlock from cudaFuncGetAttributes on an H200: min(1024, 128 floor(64 / ceil(registers / 8))).
TEST(block_size, the_largest_launchable_block_equals_the_runtimes)
{
    for (int registers = 1; registers <= 255; ++registers)
        EXPECT_EQ(max_launchable_threads(sm_90, {.registers = registers}),
                  std::min(1024, 128 * (64 / ((registers + 7) / 8))));
    EXPECT_EQ(max_launchable_threads(sm_90, {.registers = 224, .max_threads = 200}), 200);
    EXPECT_EQ(max_launchable_threads(sm_90, {.registers = 300}), 0);
}

TEST(block_size, ties_multiples_and_limits)
{
    const kernel_resources kernel{.registers = 32};
    const auto best = [&](const block_size_request& request) { return suggest_block_size(sm_90, kernel, 0, request); };
    EXPECT_EQ(best({.ties = tie_policy::largest}).threads, 1024);
    EXPECT_EQ(best({.ties = tie_policy::smallest}).threads, 64);
    EXPECT_EQ(best({.ties = tie_policy::smallest}).resident_blocks, 32);
    EXPECT_EQ(best({.ties = tie_policy::balanced}).threads, 256);
    EXPECT_EQ(best({.max_threads = 512}).threads, 512);
    EXPECT_EQ(best({.max_threads = 31}).threads, 31);  // the limit itself is tried, even if it is not a multiple of 32
    EXPECT_EQ(best({.multiple = 96}).threads % 96, 0);
    // 0 means no limit, like blockSizeLimit of cudaOccupancyMaxPotentialBlockSize; a limit above the hardware's has no
    // effect.
    EXPECT_EQ(best({.max_threads = 0}), best({}));
    EXPECT_EQ(best({.max_threads = 0}).threads, 1024);
    EXPECT_EQ(best({.max_threads = 2147483647}), best({}));
    EXPECT_EQ(suggest_block_size(sm_90, {.registers = 32, .max_threads = 200}, 0, {.max_threads = 0}).threads, 128);
    EXPECT_EQ(best({.max_threads = -1}), block_size_choice{});
    EXPECT_EQ(best({.max_threads = 95, .multiple = 96}), block_size_choice{});
}

// From 128 to 256 threads if one of these sizes is as good as the best; 256 is preferred to 128, and both to the
// others.
TEST(block_size, balanced_prefers_128_to_256_threads_without_loss)
{
    for (const sm_limits& limits : sm_limits_table)
        for (int registers = 0; registers <= limits.registers_per_thread; ++registers)
            for (const int bound : {32, 96, 128, 200, 224, 256, 300, 384, 1024})
                for (const int shared : {0, 20'000}) {
                    const kernel_resources kernel{
                        .registers = registers, .static_shared_bytes = shared, .max_threads = bound};
                    const block_size_choice best =
                        suggest_block_size(limits, kernel, 0, {.ties = tie_policy::balanced});
                    const block_size_choice largest = suggest_block_size(limits, kernel);
                    ASSERT_EQ(best.resident_threads(), largest.resident_threads());
                    bool equal_in_range = false, equal[1025] = {};
                    for_each_block_size(limits, kernel, 0, {}, {}, [&](const block_size_choice& choice) {
                        if (choice.resident_threads() < best.resident_threads()) return;
                        equal[choice.threads] = true;
                        equal_in_range |= choice.threads >= 128 && choice.threads <= 256;
                    });
                    if (best.threads == 0) continue;
                    ASSERT_EQ(equal_in_range, best.threads >= 128 && best.threads <= 256) << registers << ' ' << bound;
                    const int wanted = equal[256] ? 256 : equal[128] ? 128 : best.threads;
                    ASSERT_EQ(best.threads, wanted) << registers << ' ' << bound;
                }
}

TEST(block_size, every_tie_policy_is_a_strict_order)
{
    for (const tie_policy ties : {tie_policy::largest, tie_policy::smallest, tie_policy::balanced})
        for (int a = 1; a <= 1024; ++a)
            for (int b = 1; b <= 1024; ++b) {
                const block_size_choice one{.threads = a, .resident_blocks = b},
                    other{.threads = b, .resident_blocks = a};
                ASSERT_EQ(is_preferred(one, other, ties), a != b && !is_preferred(other, one, ties)) << a << ' ' << b;
            }
}

TEST(block_size, nothing_launchable_is_reported)
{
    EXPECT_EQ(suggest_block_size(sm_90, {.registers = 32}, std::int64_t{1} << 40).threads, 0);
    EXPECT_EQ(suggest_block_size(sm_90, {.registers = 32, .max_threads = 0}).threads, 0);
}

}  // namespace
}  // namespace launchbox
