#include "advice/bounds/bounds_plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "trial_kernels.hpp"

namespace launchbox {
namespace {

using attributes = std::vector<launch_attribute>;

std::vector<std::string> texts(const attributes& all)
{
    std::vector<std::string> result;
    for (const launch_attribute& attribute : all) result.push_back(attribute_source(attribute));
    return result;
}

kernel_trials plain(const std::string& architecture, const std::vector<int>& threads)
{
    return trials_of(architecture, {}, threads, {});
}

TEST(BoundsPlan, OnePairForEachRegisterCap)
{
    // L(256, 1..8) on 9.0 = 255, 128, 80, 64, 48, 40, 32, 32: 7 blocks are left out, because 8 have the same cap.
    EXPECT_EQ(texts(useful_attributes(plain("sm_90", {256}), 0)),
              (std::vector<std::string>{
                  "", "__launch_bounds__(256)", "__launch_bounds__(256, 1)", "__launch_bounds__(256, 2)",
                  "__launch_bounds__(256, 3)", "__launch_bounds__(256, 4)", "__launch_bounds__(256, 5)",
                  "__launch_bounds__(256, 6)", "__launch_bounds__(256, 8)", "__maxnreg__(128)", "__maxnreg__(80)",
                  "__maxnreg__(64)", "__maxnreg__(48)", "__maxnreg__(40)", "__maxnreg__(32)"}));
}

TEST(BoundsPlan, NothingBeyondOtherLimits)
{
    kernel_trials kernel = plain("sm_90", {256});
    kernel.written.figures.static_shared_bytes = 40000;  // (40,000 + 1,024) × 5 of 233,472
    EXPECT_EQ(texts(useful_attributes(kernel, 0)),
              (std::vector<std::string>{"", "__launch_bounds__(256)", "__launch_bounds__(256, 1)",
                                        "__launch_bounds__(256, 2)", "__launch_bounds__(256, 3)",
                                        "__launch_bounds__(256, 4)", "__launch_bounds__(256, 5)", "__maxnreg__(128)",
                                        "__maxnreg__(80)", "__maxnreg__(64)", "__maxnreg__(48)"}));
    EXPECT_EQ(texts(useful_attributes(kernel, 60000)),  // 101,024 × 2
              (std::vector<std::string>{"", "__launch_bounds__(256)", "__launch_bounds__(256, 1)",
                                        "__launch_bounds__(256, 2)", "__maxnreg__(128)"}));
    EXPECT_EQ(texts(useful_attributes(kernel, 300000)), std::vector<std::string>{""}) << "no block can be launched";

    kernel = plain("sm_120", {64});
    kernel.written.figures.barriers = 16;  // 24 an SM
    EXPECT_EQ(texts(useful_attributes(kernel, 0)),
              (std::vector<std::string>{"", "__launch_bounds__(64)", "__launch_bounds__(64, 1)"}));

    // On 7.5, 9 and more blocks have the same cap as 8; if only 7 fit, 7 is the largest number with that cap.
    kernel = plain("sm_75", {32});
    kernel.written.figures.static_shared_bytes = 9000;
    const attributes found = useful_attributes(kernel, 0);
    EXPECT_EQ(attribute_source(found.back()), "__launch_bounds__(32, 7)") << "255 registers for all: nothing to set";
    EXPECT_EQ(found.size(), 3u);
}

// ptxas allocates 256 registers per warp at a time: all limits from 33 to 40 allow the same number of blocks.
TEST(BoundsPlan, LimitsInBetweenWhereLittleIsSpilled)
{
    const auto limit = [](int registers) { return launch_attribute{.max_registers = registers}; };
    const kernel_trials kernel = trials_of("sm_90", {}, {256},
                                           {{{}, {.registers = 56}},
                                            {limit(48), {.registers = 48}},
                                            {limit(40), {.registers = 40, .spill_bytes = 50}},
                                            {limit(32), {.registers = 32, .spill_bytes = 129}},
                                            {{.threads = 256, .min_blocks = 7}, {.registers = 36, .spill_bytes = 8}}});
    EXPECT_EQ(texts(finer_limits(kernel)),
              (std::vector<std::string>{"__maxnreg__(39)", "__maxnreg__(38)", "__maxnreg__(37)", "__maxnreg__(36)",
                                        "__maxnreg__(35)", "__maxnreg__(34)", "__maxnreg__(33)"}));
    EXPECT_TRUE(finer_limits(trials_of("sm_90", {}, {256}, {{limit(24), {.registers = 24, .spill_bytes = 8}}})).empty())
        << "ptxas takes no lower limit";
}

TEST(BoundsPlan, TheBoundInTheSourceDoesNotLimitThePlan)
{
    const auto with = trials_of("sm_90", {.threads = 128, .min_blocks = 1}, {512}, {});
    EXPECT_EQ(texts(useful_attributes(with, 0)), texts(useful_attributes(plain("sm_90", {512}), 0)));
}

TEST(BoundsPlan, KeepsTheThirdArgument)
{
    kernel_trials kernel = plain("sm_90", {1024});
    kernel.written.bounds.max_cluster_blocks = 4;
    EXPECT_EQ(texts(useful_attributes(kernel, 0)),
              (std::vector<std::string>{"", "__launch_bounds__(1024, 0, 4)", "__launch_bounds__(1024, 1, 4)",
                                        "__launch_bounds__(1024, 2, 4)"}));
}

TEST(BoundsPlan, WithRequiredThreadsOnlyMaxnregIsTried)
{
    kernel_trials kernel = plain("sm_90", {128, 512});
    kernel.written.bounds.required_threads = {512, 1, 1};
    EXPECT_EQ(texts(useful_attributes(kernel, 0)), (std::vector<std::string>{"", "__maxnreg__(128)", "__maxnreg__(64)",
                                                                             "__maxnreg__(40)", "__maxnreg__(32)"}));
}

TEST(BoundsPlan, BlockSizesThatCannotBeLaunched)
{
    EXPECT_EQ(useful_attributes(plain("sm_90", {0, -1, 1025, 1536, 2048}), 0), attributes{{}});
    EXPECT_EQ(useful_attributes(plain("sm_999", {128}), 0), attributes{});
    EXPECT_EQ(useful_attributes(plain("", {128}), 0), attributes{});
    // On 3.0 a block can have 1,024 threads with 63 registers, so only the register file gives caps below that.
    for (const launch_attribute& useful_attribute : useful_attributes(plain("sm_30", {128, 1024}), 0)) {
        EXPECT_LT(useful_attribute.max_registers, 63);
        EXPECT_TRUE(useful_attribute.max_registers == 0 || useful_attribute.max_registers >= 24);
    }
}

// On 5.3 a launch can give a block at most 32K registers, which the caps of launch bounds ignore.
TEST(BoundsPlan, MaxnregForTheLaunchCheckToo)
{
    const auto all = texts(useful_attributes(plain("sm_53", {1024}), 0));
    EXPECT_NE(std::ranges::find(all, "__maxnreg__(32)"), all.end());
    EXPECT_NE(std::ranges::find(all, "__maxnreg__(64)"), all.end());
}

// Why some pairs are left out, checked with the compiler: every legal pair gives the same machine code as the pair with
// the same cap that is kept.
TEST(BoundsPlan, PairsThatAreLeftOutGiveTheSameCode)
{
    SKIP_WITHOUT_TOOLKIT();
    std::size_t left_out = 0;
    for (const char* architecture : {"sm_75", "sm_90", "sm_120"})
        for (const int threads : {96, 256, 512}) {
            SCOPED_TRACE(std::string(architecture) + ", " + std::to_string(threads) + " threads");
            const sm_limits& limits = *find_sm_limits(parse_compute_capability(architecture).value());
            attributes all;
            for (int blocks = 1; blocks <= max_legal_min_blocks(limits, threads); ++blocks)
                all.push_back({.threads = threads, .min_blocks = blocks});
            const std::vector<kernel_info> kernels = compile_attributes(architecture, hungry_body, all);
            const attributes kept = useful_attributes(plain(architecture, {threads}), 0);

            std::set<std::uint64_t> codes;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const bool is_kept = std::ranges::find(kept, all[i]) != kept.end();
                left_out += is_kept ? 0 : 1;
                std::size_t same_cap = all.size();
                for (std::size_t j = 0; j < all.size(); ++j)
                    if (std::ranges::find(kept, all[j]) != kept.end() &&
                        kernels[j].bounds.register_cap == kernels[i].bounds.register_cap) {
                        EXPECT_EQ(same_cap, all.size()) << "two kept for one cap";
                        same_cap = j;
                    }
                ASSERT_LT(same_cap, all.size()) << "nothing kept for the cap of " << attribute_source(all[i]);
                ASSERT_TRUE(kernels[i].figures.code_hash.has_value());
                EXPECT_EQ(kernels[i].figures.code_hash, kernels[same_cap].figures.code_hash)
                    << attribute_source(all[i]);
                EXPECT_EQ(kernels[i].figures.registers, kernels[same_cap].figures.registers)
                    << attribute_source(all[i]);
                codes.insert(*kernels[i].figures.code_hash);
            }
            EXPECT_GT(codes.size(), 1u) << "a kernel that no cap touches proves nothing";
        }
    EXPECT_GT(left_out, 15u);
}

// ptxas accepts the kept pairs without a warning.
TEST(BoundsPlan, NothingIsDropped)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const char* architecture : {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_103", "sm_110", "sm_121"}) {
        SCOPED_TRACE(architecture);
        const attributes all = useful_attributes(plain(architecture, {1, 31, 65, 96, 160, 288, 512, 1000, 1024}), 0);
        std::string log;
        const std::vector<kernel_info> kernels = compile_attributes(architecture, "out[0] = in[n];", all, &log);
        EXPECT_EQ(log.find("ignored"), std::string::npos) << log;
        EXPECT_EQ(log.find("adjust"), std::string::npos) << log;
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (all[i].max_registers > 0) {
                EXPECT_EQ(kernels[i].bounds.register_cap, all[i].max_registers);
            } else if (all[i].threads > 0) {
                EXPECT_EQ(kernels[i].bounds.max_threads->front(), all[i].threads);
            }
        }
    }
}

}  // namespace
}  // namespace launchbox
