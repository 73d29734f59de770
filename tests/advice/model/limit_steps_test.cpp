// The explained arithmetic against the model: the figures are the same, and the sums are right.
#include "advice/model/limit_steps.hpp"

#include <gtest/gtest.h>

#include <cctype>
#include <iostream>

#include "questions.hpp"

namespace launchbox {
namespace {

const account_step* find(const limit_account& account, const std::string& name)
{
    for (const account_step& step : account.steps)
        if (step.name == name) return &step;
    return nullptr;
}

// Of "16,384 of a sub-partition / 2,048 = 8 warps, × 4 = 32" it is 32.
std::int64_t last_number(const std::string& text)
{
    std::size_t end = text.size();
    while (end > 0 && std::isdigit(static_cast<unsigned char>(text[end - 1])) == 0) --end;
    std::string digits;
    for (std::size_t i = end;
         i > 0 && (std::isdigit(static_cast<unsigned char>(text[i - 1])) != 0 || text[i - 1] == ','); --i)
        if (text[i - 1] != ',') digits.insert(digits.begin(), text[i - 1]);
    return digits.empty() ? -1 : std::stoll(digits);
}

// Whether the sentence of a step ends with the step's value.
bool ends_with_its_value(const account_step& step)
{
    if (step.how.find('(') != std::string::npos && step.how.ends_with(')')) return false;  // 2 halves of the SM × (...)
    return step.name == "warps_per_block" || step.name == "registers_per_warp" || step.name == "warps_per_sm" ||
           step.name == "allocated" || step.name == "per_block_maximum" ||
           (step.name == "blocks" && step.how.find('=') != std::string::npos);
}

void expect_the_models_figures(const occupancy_question& q)
{
    const occupancy_result result = answer(q);
    const std::vector<limit_account> accounts = limit_accounts(q, result, std::nullopt);
    ASSERT_EQ(accounts.size(), q.settings.virtual_resources > 0 ? 6u : 5u);
    const char* names[] = {"warps", "blocks", "registers", "shared", "barriers", "virtual_resources"};
    for (std::size_t i = 0; i < accounts.size(); ++i) {
        const limit_account& account = accounts[i];
        const int limit = result.limit_of(static_cast<resource>(i));
        EXPECT_EQ(account.name, names[i]);
        EXPECT_EQ(account.blocks, limit == unlimited ? std::nullopt : std::optional(limit)) << account.name;
        EXPECT_EQ(account.limiting, result.limiters.contains(static_cast<resource>(i))) << account.name;
        for (const account_step& step : account.steps) {
            EXPECT_GE(step.lost, 0) << account.name << ' ' << step.name;
            EXPECT_FALSE(step.how.empty()) << account.name << ' ' << step.name;
            if (step.name == "blocks") {
                EXPECT_EQ(step.value, limit) << account.name;
            }
            if (ends_with_its_value(step)) {
                EXPECT_EQ(last_number(step.how), step.value) << step.how;
            }
        }
    }
    const limit_account &warps = accounts[0], &registers = accounts[2], &shared = accounts[3];
    const account_step* step = find(warps, "warps_per_block");
    ASSERT_NE(step, nullptr);
    EXPECT_EQ(step->value, (q.shape.threads + 31) / 32);
    EXPECT_EQ(step->lost, (q.shape.threads + 31) / 32 * 32 - q.shape.threads);
    if (q.resources.registers > 0) {
        step = find(registers, "registers_per_warp");
        ASSERT_NE(step, nullptr);
        EXPECT_EQ(step->value, result.registers.per_warp);
        EXPECT_EQ(step->lost, result.registers.per_warp - 32 * q.resources.registers);
        if ((step = find(registers, "launch_check")) != nullptr) {
            EXPECT_EQ(step->value, result.registers.per_block_checked);
            const bool passes = step->how.find("≤") != std::string::npos;
            EXPECT_EQ(passes, result.registers.per_block_checked <= q.limits->registers_per_block) << step->how;
        }
    } else {
        EXPECT_TRUE(registers.steps.empty());
    }
    step = find(shared, "allocated");
    ASSERT_NE(step, nullptr);
    EXPECT_EQ(step->value, result.shared.allocated);
    EXPECT_EQ(step->value - step->lost,
              q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes + q.limits->reserved_shared_per_block);
}

TEST(limit_steps, equal_the_model_for_random_questions)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    for (int i = 0; i < 20'000; ++i) {
        const occupancy_question q = next_random(source, i);
        expect_the_models_figures(q);
        if (HasFailure()) FAIL() << describe(q);
    }
}

TEST(limit_steps, the_whole_arithmetic_of_one_launch)
{
    const occupancy_question q = asked(sm_90, 256, 63, 11264);
    std::string text;
    for (const limit_account& limit : limit_accounts(q, answer(q), std::nullopt))
        for (const account_step& step : limit.steps)
            text += limit.name + ": " + step.how + (step.lost > 0 ? " [" + std::to_string(step.lost) + "]" : "") + '\n';
    EXPECT_EQ(text,
              "warps: 256 threads / 32 per warp = 8 warps\n"
              "warps: 64 warp slots / 8 = 8\n"
              "blocks: 32 block slots\n"
              "registers: 63 × 32 = 2,016, rounded up to 2,048 a warp [32]\n"
              "registers: 16,384 of a sub-partition / 2,048 = 8 warps, × 4 = 32\n"
              "registers: launch check: 2,048 × 8 warps = 16,384 ≤ 65,536\n"
              "registers: 32 / 8 warps = 4\n"
              "shared: 11,264 static + 0 dynamic + 1,024 reserved = 12,288 B\n"
              "shared: 233,472 B of the SM / 12,288 = 19\n");
}

// The model clamps registers; the sentence must name the figure that was given.
TEST(limit_steps, figures_beyond_any_gpu_are_shown_as_given)
{
    const occupancy_question q = asked(sm_90, 2048, 1'000'000);
    const std::vector<limit_account> accounts = limit_accounts(q, answer(q), std::nullopt);
    EXPECT_EQ(accounts[0].steps.back().how, "a block has at most 1,024 threads");
    ASSERT_EQ(accounts[2].steps.size(), 1u);
    EXPECT_EQ(accounts[2].steps[0].how, "1,000,000 > 255, the maximum of a thread");
}

TEST(limit_steps, clusters_are_an_estimate_that_says_how_to_verify_it)
{
    occupancy_question q = asked(sm_90, 1024, 32);
    q.shape.cluster_blocks = 16;
    q.settings.non_portable_clusters = true;
    q.sms = 132;
    q.gpcs.assign(std::begin(h200_gpcs), std::end(h200_gpcs));
    const occupancy_account account = explain(q);
    ASSERT_TRUE(account.clusters);
    EXPECT_TRUE(account.clusters->gpcs_known);
    EXPECT_EQ(account.clusters->clusters.expected, 14);  // measured on an H200: 2 blocks per SM, clusters of 16
    const limit_account& limit = account.limits.back();
    EXPECT_EQ(limit.name, "clusters");
    EXPECT_EQ(limit.blocks, 14 * 16 / 132);
    EXPECT_NE(limit.steps[0].how.find("an estimate"), std::string::npos);
    EXPECT_NE(limit.steps[1].how.find("cudaOccupancyMaxActiveClusters"), std::string::npos);

    q.gpcs.clear();
    const occupancy_account rough = explain(q);
    EXPECT_FALSE(rough.clusters->gpcs_known);
    EXPECT_LE(rough.clusters->clusters.low, 14);
    EXPECT_GE(rough.clusters->clusters.high, 14);
    q.shape.cluster_blocks = 1;
    EXPECT_FALSE(explain(q).clusters);
}

TEST(spreadsheet_differences, name_both_figures_and_a_reason)
{
    occupancy_question q = asked(*find_sm_limits({8, 6}), 288, 168);
    EXPECT_TRUE(spreadsheet_differences(q, answer(q)).empty());  // driver mode has no spreadsheet to differ from
    q.settings.mode = model_mode::spreadsheet;
    EXPECT_EQ(spreadsheet_differences(q, answer(q)), std::vector<std::string>{"the driver gives the same"});

    const auto notes_for = [](occupancy_question question) {
        question.settings.mode = model_mode::spreadsheet;
        std::string all;
        for (const std::string& note : spreadsheet_differences(question, answer(question))) all += note + '\n';
        return all;
    };
    // Known differences: 3.7 (64 threads, 129 registers: 12 and 14), 2.x (96 threads, 45 registers: 7 and 6), 6.2 (its
    // table has twice the registers per block).
    EXPECT_EQ(notes_for(asked(*find_sm_limits({3, 7}), 64, 129)),
              "registers: the spreadsheet says 12, the driver 14: the sheet rounds down once for each 64 K of "
              "registers, the hardware in each sub-partition\n");
    EXPECT_EQ(notes_for(asked(*find_sm_limits({2, 0}), 96, 45)),
              "registers: the spreadsheet says 7, the driver 6: 2.x doubles the register unit for this count\n");
    EXPECT_NE(notes_for(asked(*find_sm_limits({6, 2}), 512, 128)).find("32,768"), std::string::npos);
    EXPECT_NE(notes_for(asked(*find_sm_limits({8, 0}), 128, 16, 100'000)).find("without opting in"), std::string::npos);
    occupancy_question bounded = asked(*find_sm_limits({8, 0}), 256, 16);
    bounded.resources.max_threads = 128;
    EXPECT_NE(notes_for(bounded).find("launch bounds"), std::string::npos);
}

TEST(spreadsheet_differences, one_for_every_different_limit_in_random_questions)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    int differing = 0;
    for (int i = 0; i < 20'000; ++i) {
        occupancy_question q = next_random(source, i);
        if (!q.limits->spreadsheet) continue;
        q.resources.max_threads = max_threads_per_block;
        q.settings.mode = model_mode::driver;
        const occupancy_result driver = answer(q);
        q.settings.mode = model_mode::spreadsheet;
        const occupancy_result sheet = answer(q);
        std::size_t expected = 0;
        for (resource which : {resource::registers, resource::shared, resource::barriers})
            expected += sheet.limit_of(which) != driver.limit_of(which) ? 1 : 0;
        differing += expected > 0 ? 1 : 0;
        ASSERT_EQ(spreadsheet_differences(q, sheet).size(), std::max<std::size_t>(1, expected)) << describe(q);
    }
    EXPECT_GT(differing, 100);
}

}  // namespace
}  // namespace launchbox
