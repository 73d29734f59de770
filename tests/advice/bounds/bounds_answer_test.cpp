#include "advice/bounds/bounds_answer.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "advice/bounds/bounds_plan.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "trial_kernels.hpp"

namespace launchbox {
namespace {

constexpr launch_attribute none{};

launch_attribute bound(int threads, int blocks = 0)
{
    return {.threads = threads, .min_blocks = blocks};
}

launch_attribute maxnreg(int registers)
{
    return {.max_registers = registers};
}

const bounds_row& row_with(const block_size_answer& size, const launch_attribute& attribute)
{
    for (const bounds_row& row : size.rows)
        if (std::ranges::find(row.attributes, attribute) != row.attributes.end()) return row;
    throw std::runtime_error("no row has " + attribute_source(attribute));
}

bool has_row(const block_size_answer& size, const launch_attribute& attribute)
{
    return std::ranges::any_of(size.rows, [&](const bounds_row& row) {
        return std::ranges::find(row.attributes, attribute) != row.attributes.end();
    });
}

bool says(const std::vector<std::string>& findings, const std::string& part)
{
    return std::ranges::any_of(findings,
                               [&](const std::string& finding) { return finding.find(part) != std::string::npos; });
}

std::string all_of(const std::vector<std::string>& findings)
{
    std::string text;
    for (const std::string& finding : findings) text += finding + "\n";
    return text;
}

/// A kernel that uses 134 registers on 7.5, does not spill with 128, and spills with 64.
kernel_trials hungry(const launch_attribute& written)
{
    return trials_of("sm_75", written, {256, 512},
                     {{none, {134, 0, 5000}},
                      {bound(256), {224, 0, 4900}},
                      {bound(256, 1), {134, 0, 5000}},
                      {bound(256, 2), {128, 0, 5200}},
                      {bound(256, 4), {64, 150, 7000}},
                      {bound(512), {128, 0, 5200}},
                      {bound(512, 1), {128, 0, 5200}},
                      {bound(512, 2), {64, 150, 7000}},
                      {maxnreg(128), {128, 0, 5208}},
                      {maxnreg(64), {64, 152, 7008}}});
}

TEST(BoundsAnswer, OneRowPerCode)
{
    const bounds_answer answer = answer_bounds(hungry(none));
    ASSERT_EQ(answer.block_sizes.size(), 2u);
    const block_size_answer& at_256 = answer.block_sizes[0];
    EXPECT_EQ(at_256.threads, 256);
    ASSERT_EQ(at_256.rows.size(), 6u);
    EXPECT_EQ(at_256.rows[0].attributes, (std::vector{none, bound(256, 1)})) << "one code, the weakest first";
    EXPECT_TRUE(at_256.rows[0].as_written);
    EXPECT_EQ(at_256.rows[1].attributes, std::vector{bound(256)});
    EXPECT_EQ(at_256.rows[5].attributes, std::vector{maxnreg(64)});
    EXPECT_FALSE(at_256.rows[1].as_written);

    const bounds_row& two = row_with(at_256, bound(256, 2));
    EXPECT_EQ(two.residency->resident_blocks, 2);
    EXPECT_EQ(two.residency->resident_warps, 16);
    EXPECT_DOUBLE_EQ(two.residency->occupancy(), 0.5);
    EXPECT_EQ(two.limited_by, "registers");
    EXPECT_EQ(row_with(at_256, bound(256, 4)).limited_by, "warps and registers");

    // Bounds with threads belong to their block size; the others to both.
    const block_size_answer& at_512 = answer.block_sizes[1];
    EXPECT_FALSE(has_row(at_512, bound(256, 2)));
    EXPECT_TRUE(has_row(at_512, maxnreg(64)));
    EXPECT_FALSE(has_row(at_256, bound(512)));
    const bounds_row& without = row_with(at_512, none);
    EXPECT_FALSE(without.launches());
    EXPECT_NE(without.obstacle, "") << "134 registers for 512 threads";
    EXPECT_FALSE(without.pareto);
}

TEST(BoundsAnswer, EqualCodeWithOtherRegistersIsAnotherRow)
{
    const auto size =
        answer_bounds(trials_of("sm_90", none, {128}, {{none, {32, 0, 1000, 7}}, {bound(128), {40, 0, 1000, 7}}}))
            .block_sizes.at(0);
    EXPECT_EQ(size.rows.size(), 2u);
}

TEST(BoundsAnswer, CodeWithUnknownHashEqualsNoOther)
{
    kernel_trials trials =
        trials_of("sm_90", bound(128, 4), {128}, {{none, {}}, {bound(128), {}}, {bound(128, 4), {}}});
    trials.written.figures.code_hash.reset();
    for (bounds_trial& trial : trials.trials) trial.kernel.figures.code_hash.reset();
    const auto size = answer_bounds(trials).block_sizes.at(0);
    ASSERT_EQ(size.rows.size(), 3u) << "as written is known by its attribute";
    EXPECT_TRUE(size.rows[2].as_written);
}

TEST(BoundsAnswer, MaxnregThatCannotBeLaunchedGetsNoRow)
{
    const auto answer =
        answer_bounds(trials_of("sm_90", none, {128, 1024}, {{none, {128, 0, 1000}}, {maxnreg(80), {80, 10, 1200}}}));
    EXPECT_TRUE(has_row(answer.block_sizes[0], maxnreg(80)));
    EXPECT_FALSE(has_row(answer.block_sizes[1], maxnreg(80)));
    EXPECT_TRUE(has_row(answer.block_sizes[1], none)) << "as written, with the reason";
    EXPECT_EQ(answer.block_sizes[1].recommendation.verdict, bounds_verdict::cannot_launch);
    EXPECT_EQ(answer.block_sizes[1].recommendation.reason, row_with(answer.block_sizes[1], none).obstacle);
    EXPECT_EQ(answer.best, 0u);
}

TEST(BoundsAnswer, AsWrittenOnlyWhereItsBoundAllows)
{
    const auto answer = answer_bounds(
        trials_of("sm_90", bound(256, 2), {128, 256, 512}, {{none, {40}}, {bound(256, 2), {48}}, {bound(512), {44}}}));
    EXPECT_TRUE(row_with(answer.block_sizes[0], bound(256, 2)).as_written) << "128 threads are launched with it too";
    EXPECT_TRUE(row_with(answer.block_sizes[1], bound(256, 2)).as_written);
    EXPECT_FALSE(has_row(answer.block_sizes[2], bound(256, 2)));
    EXPECT_EQ(answer.block_sizes[2].recommendation.gain, "");
}

TEST(BoundsAnswer, DynamicSharedMemoryCounts)
{
    const kernel_trials trials = trials_of("sm_90", none, {256}, {{none, {32}}});
    EXPECT_EQ(answer_bounds(trials).block_sizes[0].rows[0].residency->resident_blocks, 8);
    const auto with = answer_bounds(trials, {.dynamic_shared_bytes = 100000}).block_sizes[0];
    EXPECT_EQ(with.rows[0].residency->resident_blocks, 2) << "the limit is raised as a working program does";
    EXPECT_EQ(with.rows[0].limited_by, "shared memory");
    EXPECT_EQ(with.max_blocks, 2);
    EXPECT_EQ(with.limited_by, "shared memory");
    const auto refused =
        answer_bounds(trials, {.dynamic_shared_bytes = 100000, .max_dynamic_shared_bytes = 1000}).block_sizes[0];
    EXPECT_FALSE(refused.rows[0].launches());
}

TEST(BoundsAnswer, DominatedRowsAreNotPareto)
{
    const auto size = answer_bounds(trials_of("sm_90", none, {256},
                                              {{none, {100, 0, 3000}},           // 2 blocks
                                               {bound(256), {104, 0, 3000}},     // as good as none
                                               {bound(256, 3), {80, 0, 3100}},   // 3 blocks for more code
                                               {bound(256, 4), {64, 8, 3200}},   // 4 blocks for spills
                                               {bound(256, 5), {48, 8, 3300}},   // 5 blocks: beats the row above
                                                                                 // in warps, not in code
                                               {bound(256, 6), {40, 16, 3150}},  // 6 blocks
                                               {maxnreg(64), {64, 8, 3250}}}))   // (256, 4) is better
                          .block_sizes.at(0);
    EXPECT_TRUE(row_with(size, none).pareto);
    EXPECT_TRUE(row_with(size, bound(256)).pareto) << "equal in everything is not beaten";
    EXPECT_TRUE(row_with(size, bound(256, 3)).pareto);
    EXPECT_TRUE(row_with(size, bound(256, 4)).pareto);
    EXPECT_TRUE(row_with(size, bound(256, 5)).pareto);
    EXPECT_TRUE(row_with(size, bound(256, 6)).pareto);
    EXPECT_FALSE(row_with(size, maxnreg(64)).pareto);
}

TEST(BoundsAnswer, ParetoOverAllBlockSizes)
{
    const auto answer = answer_bounds(hungry(none));
    const block_size_answer &at_256 = answer.block_sizes[0], &at_512 = answer.block_sizes[1];
    EXPECT_TRUE(row_with(at_512, bound(512)).pareto_of_all) << "the same figures as (256, 2)";
    EXPECT_TRUE(row_with(at_256, bound(256, 2)).pareto_of_all);
    for (const block_size_answer& size : answer.block_sizes)
        for (const bounds_row& row : size.rows) EXPECT_TRUE(row.pareto || !row.pareto_of_all);
    EXPECT_TRUE(row_with(at_512, maxnreg(128)).residency->resident_warps == 16);
    EXPECT_FALSE(row_with(at_512, maxnreg(128)).pareto_of_all) << "8 B more code than bounds";
}

TEST(BoundsAnswer, ThresholdsAreTheRegisterCaps)
{
    kernel_trials trials = trials_of("sm_90", none, {256}, {{none, {100}}});
    const auto size = answer_bounds(trials).block_sizes.at(0);
    ASSERT_EQ(size.thresholds.size(), 8u);
    const int expected[] = {255, 128, 80, 64, 48, 40, 32, 32};
    for (std::size_t i = 0; i < 8; ++i) {
        EXPECT_EQ(size.thresholds[i].blocks, static_cast<int>(i) + 1);
        EXPECT_EQ(size.thresholds[i].registers, expected[i]);
    }
    EXPECT_EQ(size.thresholds[1].shared_bytes, 233472 / 2 - 1024);
    EXPECT_EQ(size.thresholds[7].barriers, 8);
    EXPECT_EQ(size.limited_by, "warps");

    EXPECT_EQ(answer_bounds(trials, {.dynamic_shared_bytes = 100000}).block_sizes.at(0).thresholds.size(), 2u);
    trials.written.figures.static_shared_bytes = 100000;  // nvlink refuses it
    EXPECT_EQ(answer_bounds(trials).block_sizes.at(0).thresholds.size(), 0u);
}

TEST(BoundsRule, FewestSpillsThenMostWarpsThenLeastCode)
{
    const auto verdict = [](const std::vector<std::pair<launch_attribute, made_code>>& codes,
                            const launch_attribute& written = none) {
        return answer_bounds(trials_of("sm_90", written, {256}, codes)).block_sizes.at(0).recommendation;
    };
    // Spills are not accepted for more warps, not even one spill.
    EXPECT_EQ(verdict({{none, {100, 0, 3000}}, {bound(256, 4), {64, 4, 3000}}}).verdict, bounds_verdict::no_bound);
    // With equal spills, more warps matter more than code.
    const auto more = verdict({{none, {100, 0, 3000}}, {bound(256, 3), {80, 0, 5000}}});
    EXPECT_EQ(more.verdict, bounds_verdict::write);
    EXPECT_EQ(more.attribute, bound(256, 3));
    EXPECT_EQ(more.gain, "3 instead of 2 blocks");
    // Then less code, if it is more than 5 % less.
    EXPECT_EQ(verdict({{none, {80, 0, 4000}}, {bound(256), {72, 0, 3810}}}).verdict, bounds_verdict::no_bound);
    const auto smaller = verdict({{none, {80, 0, 4000}}, {bound(256), {72, 0, 3800}}});
    EXPECT_EQ(smaller.attribute, bound(256));
    EXPECT_EQ(smaller.gain, "3,800 instead of 4,000 B of code");
    // Of equal rows: the source as it is, else the weakest attribute.
    EXPECT_EQ(
        verdict({{bound(256, 2), {72, 0, 1001}}, {maxnreg(80), {71, 0, 1000}}, {bound(256), {73, 0, 1002}}}, bound(512))
            .attribute,
        bound(512));
    EXPECT_EQ(verdict({{none, {200, 0, 1000}},
                       {maxnreg(80), {72, 0, 1000}},
                       {maxnreg(72), {72, 0, 1003}},
                       {bound(256, 3), {72, 0, 1001}},
                       {bound(256), {73, 0, 1002}}})
                  .attribute,
              bound(256));
    EXPECT_EQ(verdict({{none, {80, 0, 1000}}, {bound(256, 3), {72, 0, 1001}}}, bound(256, 3)).verdict,
              bounds_verdict::keep);
}

TEST(BoundsRule, AsWrittenCosts)
{
    // The figures are those of a kernel with 60 live floats on sm_100.
    const auto answer = answer_bounds(trials_of("sm_100", bound(256, 1), {256},
                                                {{none, {80, 0, 4000}},
                                                 {bound(256), {80, 0, 4000}},
                                                 {bound(256, 1), {188, 0, 4000}},
                                                 {bound(256, 2), {116, 0, 4000}}}));
    const block_size_answer& size = answer.block_sizes.at(0);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::write);
    EXPECT_EQ(size.recommendation.attribute, bound(256)) << "as good as none, and it keeps the block size";
    EXPECT_EQ(size.recommendation.reason, "__launch_bounds__(256): 3 instead of 1 block");
    EXPECT_TRUE(says(size.findings,
                     "the bound in the source costs blocks: __launch_bounds__(256, 1) raises registers from 80 to 188 "
                     "and loses 2 of 3 resident blocks"))
        << all_of(size.findings);
    EXPECT_TRUE(says(size.findings, "no trade-off"));
}

TEST(BoundsRule, ABoundIsRemovedIfThatIsBetter)
{
    const auto size =
        answer_bounds(trials_of("sm_90", bound(256), {256},
                                {{none, {80, 0, 4000}}, {bound(256), {128, 0, 4000}}, {bound(256, 3), {80, 40, 4000}}}))
            .block_sizes.at(0);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::remove);
    EXPECT_EQ(size.recommendation.attribute, none);
    EXPECT_EQ(size.recommendation.reason, "no attribute gives 3 instead of 2 blocks");
}

// nvcc's front end uses a min_blocks that ptxas drops, so the code may differ from that of (T).
TEST(BoundsRule, ADroppedBoundIsNotRecommendedForItsCode)
{
    const auto size =
        answer_bounds(trials_of("sm_120", bound(256, 8), {256},
                                {{none, {100, 0, 4000}}, {bound(256), {80, 0, 4000}}, {bound(256, 8), {64, 0, 4000}}}))
            .block_sizes.at(0);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::write);
    EXPECT_EQ(size.recommendation.attribute, bound(256));
    EXPECT_EQ(size.recommendation.reason,
              "__launch_bounds__(256): 3 instead of 4 blocks; ptxas ignores the bound in the source, with a warning");
}

// Figures of CUB's onesweep kernel on sm_90: maxnreg(80) has 5.2 % less code than (384), (384,2) 0.2 %.
TEST(BoundsRule, TheChosenRowIsItselfWorthTheChange)
{
    const auto size =
        answer_bounds(
            trials_of("sm_90", bound(384), {384},
                      {{bound(384), {80, 0, 51456}}, {bound(384, 2), {80, 0, 51328}}, {maxnreg(80), {80, 0, 48896}}}))
            .block_sizes.at(0);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::keep);
}

TEST(BoundsRule, NoneIsRight)
{
    const auto size =
        answer_bounds(trials_of("sm_90", none, {256}, {{none, {32, 0, 100}}, {bound(256, 8), {32, 0, 116}}}))
            .block_sizes.at(0);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::no_bound);
    EXPECT_NE(size.recommendation.reason.find("leave it without a bound: 8 blocks, no spills"), std::string::npos);
    EXPECT_TRUE(says(size.findings, "no trade-off"));
    EXPECT_EQ(size.recommendation.gain, "");
}

TEST(BoundsRule, ACapThatGainsNoBlocks)
{
    kernel_trials trials =
        trials_of("sm_80", bound(128, 8), {128},
                  {{none, {100, 0, 1000}}, {bound(128, 3), {100, 0, 1000}}, {bound(128, 8), {64, 300, 2000}}});
    const auto with_shared = [&](kernel_info& kernel) { kernel.figures.static_shared_bytes = 48000; };
    with_shared(trials.written);
    for (bounds_trial& trial : trials.trials) with_shared(trial.kernel);
    const auto size = answer_bounds(trials).block_sizes.at(0);
    EXPECT_TRUE(says(size.findings, "the register cap of 64 bought nothing: shared memory allows only 3 blocks"))
        << all_of(size.findings);
    EXPECT_TRUE(says(size.findings, "spills 600 B more than no bound and gains no block"));
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::write);
    EXPECT_EQ(size.recommendation.attribute, bound(128, 3));
    EXPECT_EQ(size.recommendation.gain, "0 B instead of 600 B of spills");

    // Where the requested blocks fit, there is no such finding.
    EXPECT_FALSE(says(answer_bounds(hungry(bound(256, 4))).block_sizes[0].findings, "bought nothing"));
}

TEST(BoundsRule, OneArgumentLimitsRegistersTooFar)
{
    // The figures are those of a kernel with 300 live floats on sm_90.
    const auto size =
        answer_bounds(
            trials_of("sm_90", bound(256), {256},
                      {{none, {255, 1876, 9000}}, {bound(256), {32, 3608, 20000}}, {bound(256, 1), {255, 1876, 9000}}}))
            .block_sizes.at(0);
    EXPECT_TRUE(says(size.findings,
                     "__launch_bounds__(256) cuts registers too far: 32 registers and 7,216 B of spills, whereas "
                     "__launch_bounds__(256, 1) has 255 registers and 3,752 B of spills"))
        << all_of(size.findings);
    EXPECT_FALSE(says(answer_bounds(hungry(none)).block_sizes[0].findings, "cliff"));
    // It spills with the most registers that a thread can have: ptxas did not choose a lower limit.
    EXPECT_FALSE(says(answer_bounds(trials_of("sm_90", none, {256},
                                              {{none, {255, 40}}, {bound(256), {250, 60}}, {bound(256, 1), {255, 40}}}))
                          .block_sizes[0]
                          .findings,
                      "cliff"));
}

TEST(BoundsRule, MinBlocksThatPtxasDropped)
{
    const auto answer = answer_bounds(
        trials_of("sm_90", bound(1024, 4), {1024}, {{none, {40}}, {bound(1024), {32}}, {bound(1024, 4), {32}}}));
    EXPECT_TRUE(says(answer.findings, "ptxas ignored min_blocks 4")) << all_of(answer.findings);
    // It has the best code, but must not be kept.
    const bounds_recommendation& chosen = answer.block_sizes[0].recommendation;
    EXPECT_EQ(chosen.verdict, bounds_verdict::write);
    EXPECT_EQ(chosen.attribute, bound(1024));
    EXPECT_EQ(chosen.reason,
              "__launch_bounds__(1024) gives the same code as __launch_bounds__(1024, 4), which ptxas ignores with a "
              "warning");
    EXPECT_TRUE(answer_bounds(hungry(bound(256, 2))).findings.empty());
}

TEST(BoundsRule, ASweepThatDoesNotReproduceTheSourceSaysSo)
{
    kernel_trials trials = hungry(bound(256, 2));
    EXPECT_TRUE(answer_bounds(trials).findings.empty());
    trials.written.figures.code_hash = 1;
    const bounds_answer answer = answer_bounds(trials);
    EXPECT_TRUE(says(answer.findings, "gives other code")) << all_of(answer.findings);
    EXPECT_TRUE(row_with(answer.block_sizes[0], bound(256, 2)).as_written);
}

TEST(BoundsRule, TradeOffsAreNamed)
{
    const auto size = answer_bounds(hungry(none)).block_sizes[0];
    EXPECT_EQ(size.recommendation.attribute, bound(256, 2));
    EXPECT_TRUE(says(size.findings, "a real trade-off against __launch_bounds__(256, 4) (4 blocks, 300 B of spills)"))
        << all_of(size.findings);
    EXPECT_FALSE(says(size.findings, "no trade-off"));
    EXPECT_TRUE(says(answer_bounds(trials_of("sm_90", none, {256}, {{none, {40, 0, 1000}}, {bound(256), {40, 0, 990}}}))
                         .block_sizes[0]
                         .findings,
                     "no trade-off: the other rows of the Pareto set only have less code"));
}

TEST(BoundsRule, UnknownFigures)
{
    kernel_trials trials = hungry(none);
    trials.not_swept = "the kernel is in a header that redefines __global__";
    trials.trials.clear();
    const bounds_answer not_swept = answer_bounds(trials);
    EXPECT_EQ(not_swept.block_sizes[0].recommendation.verdict, bounds_verdict::unknown);
    EXPECT_EQ(not_swept.block_sizes[0].recommendation.reason, trials.not_swept);
    EXPECT_EQ(not_swept.block_sizes[0].rows.size(), 1u);
    EXPECT_EQ(not_swept.best, std::nullopt);

    const bounds_answer no_architecture = answer_bounds(trials_of("sm_999", none, {256}, {{none, {}}}));
    EXPECT_TRUE(no_architecture.block_sizes.empty());
    EXPECT_NE(no_architecture.not_swept.find("sm_999"), std::string::npos);

    trials = hungry(none);
    for (bounds_trial& trial : trials.trials) trial.kernel.figures.registers.reset();
    trials.written.figures.registers.reset();
    const bounds_answer no_registers = answer_bounds(trials);
    EXPECT_EQ(no_registers.block_sizes[0].recommendation.verdict, bounds_verdict::unknown);
    EXPECT_FALSE(no_registers.block_sizes[0].rows[0].residency.has_value());

    trials = hungry(none);
    for (bounds_trial& trial : trials.trials) trial.kernel.figures.spill_load_bytes.reset();
    EXPECT_EQ(answer_bounds(trials).block_sizes[0].rows.size(), 6u) << "no crash, no guess";

    trials = hungry(none);
    trials.trials.push_back({{.threads = 256, .min_blocks = 3}, {}, {"a.cu(3): error: asm operand"}});
    EXPECT_EQ(answer_bounds(trials).errors,
              std::vector<std::string>{"__launch_bounds__(256, 3): a.cu(3): error: asm operand"});
}

TEST(BoundsRule, TheBestOfSeveralBlockSizes)
{
    EXPECT_EQ(answer_bounds(hungry(none)).best, 1u) << "equal figures: the larger block";
    EXPECT_EQ(answer_bounds(hungry(bound(256, 2))).best, 0u) << "equal figures: the one that is written";
}

sample_summary around(double median, double half_width)
{
    return {.count = 20, .median = median, .low = median - half_width, .high = median + half_width};
}

void measure(block_size_answer& size, const launch_attribute& attribute, double median, double half_width)
{
    for (bounds_row& row : size.rows)
        if (std::ranges::find(row.attributes, attribute) != row.attributes.end())
            row.measured = bounds_measurement{.time = around(median, half_width)};
}

TEST(BoundsByTime, TheFastestBeyondNoise)
{
    bounds_answer answer = answer_bounds(hungry(none));
    block_size_answer& size = answer.block_sizes[0];
    measure(size, none, 2e6, 1e4);
    measure(size, bound(256, 2), 1.8e6, 1e4);
    measure(size, bound(256, 4), 1.5e6, 1e4);
    conclude(answer);
    EXPECT_TRUE(size.recommendation.by_time);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::write);
    EXPECT_EQ(size.recommendation.attribute, bound(256, 4)) << "spills or not";
    EXPECT_EQ(size.recommendation.reason, "__launch_bounds__(256, 4) takes 1.5 ms instead of 2 ms, 25 % less");
    EXPECT_TRUE(row_with(size, bound(256, 4)).recommended);
    EXPECT_FALSE(row_with(size, bound(256, 2)).recommended) << "the conclusion from figures is gone";
    EXPECT_FALSE(says(size.findings, "trade-off")) << "time has told";
}

TEST(BoundsByTime, NoMeasurableDifference)
{
    bounds_answer answer = answer_bounds(hungry(none));
    block_size_answer& size = answer.block_sizes[0];
    measure(size, none, 2e6, 1e5);
    measure(size, bound(256, 2), 1.9e6, 1e5);
    measure(size, bound(256, 4), 3e6, 1e5);
    conclude(answer);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::no_difference);
    EXPECT_EQ(size.recommendation.attribute, none);
    EXPECT_EQ(size.recommendation.reason,
              "no measurable difference: 2 ms as written, and none of the 2 others is faster beyond noise and 1 %");
}

TEST(BoundsByTime, AsWrittenIsFastestOrSlower)
{
    bounds_answer answer = answer_bounds(hungry(bound(256, 4)));
    block_size_answer& size = answer.block_sizes[0];
    measure(size, none, 2e6, 1e4);
    measure(size, bound(256, 4), 1e6, 1e4);
    conclude(answer);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::keep);
    EXPECT_EQ(size.recommendation.attribute, bound(256, 4));

    // Two are faster and equally fast: the weaker one is chosen.
    measure(size, none, 5e5, 1e4);
    measure(size, bound(256, 2), 4.95e5, 1e4);
    conclude(answer);
    EXPECT_EQ(size.recommendation.attribute, bound(256, 1)) << "the code of none, with the block size that was written";
}

TEST(BoundsByTime, LessThanOnePercentIsNoReason)
{
    bounds_answer answer = answer_bounds(hungry(bound(256, 4)));
    block_size_answer& size = answer.block_sizes[0];
    measure(size, bound(256, 4), 1e6, 1e2);
    measure(size, bound(256, 2), 0.992e6, 1e2);
    conclude(answer);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::no_difference);
    measure(size, bound(256, 2), 0.985e6, 1e2);
    conclude(answer);
    EXPECT_EQ(size.recommendation.verdict, bounds_verdict::write);
    EXPECT_EQ(size.recommendation.attribute, bound(256, 2));
}

TEST(BoundsByTime, OneTimeIsNoComparison)
{
    bounds_answer answer = answer_bounds(hungry(none));
    block_size_answer& size = answer.block_sizes[0];
    measure(size, none, 2e6, 1e4);
    for (bounds_row& row : size.rows)
        if (row.attributes.front() == bound(256, 4)) row.measured = bounds_measurement{.failure = "exit status 1"};
    conclude(answer);
    EXPECT_FALSE(size.recommendation.by_time);
    EXPECT_EQ(size.recommendation.attribute, bound(256, 2)) << "by figures";
    EXPECT_TRUE(says(size.findings, "__launch_bounds__(256, 4) was not measured: exit status 1"))
        << all_of(size.findings);
}

TEST(BoundsByTime, TheFastestOfSeveralBlockSizes)
{
    bounds_answer answer = answer_bounds(hungry(none));
    measure(answer.block_sizes[0], none, 1e6, 1e4);
    measure(answer.block_sizes[0], bound(256, 2), 1.2e6, 1e4);
    measure(answer.block_sizes[1], bound(512), 2e6, 1e4);
    measure(answer.block_sizes[1], bound(512, 2), 2.5e6, 1e4);
    conclude(answer);
    EXPECT_EQ(answer.best, 0u);
}

// All steps with the real compiler: plan, compile, answer.
TEST(BoundsAnswer, OfCompiledKernels)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const char* architecture : {"sm_75", "sm_90", "sm_120"}) {
        SCOPED_TRACE(architecture);
        kernel_trials trials = trials_of(architecture, {}, {128, 256, 1024}, {});
        const auto planned = useful_attributes(trials, 0);
        const auto kernels = compile_attributes(architecture, hungry_body, planned);
        for (std::size_t i = 0; i < planned.size(); ++i) trials.trials.push_back({planned[i], kernels[i]});
        trials.written = kernels.front();
        const bounds_answer answer = answer_bounds(trials);
        ASSERT_EQ(answer.block_sizes.size(), 3u);
        for (const block_size_answer& size : answer.block_sizes) {
            ASSERT_TRUE(size.recommendation.row.has_value()) << size.threads;
            const bounds_row& best = size.rows[*size.recommendation.row];
            EXPECT_TRUE(best.recommended);
            for (const bounds_row& row : size.rows) {
                if (!row.launches()) continue;
                // Checks the rule independently.
                EXPECT_LE(spill_bytes(best.kernel), spill_bytes(row.kernel));
                EXPECT_TRUE(spill_bytes(best.kernel) < spill_bytes(row.kernel) ||
                            best.residency->resident_warps >= row.residency->resident_warps);
                // If ptxas accepted a bound, as many blocks fit as it asks for.
                for (const launch_attribute& attribute : row.attributes)
                    EXPECT_GE(row.residency->resident_blocks, attribute.min_blocks) << attribute_source(attribute);
            }
            EXPECT_TRUE(std::ranges::any_of(size.rows, &bounds_row::pareto));
        }
    }
}

}  // namespace
}  // namespace launchbox
