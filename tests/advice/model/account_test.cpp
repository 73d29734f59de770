// The account as a whole: allowances, waves, notes, obstacles.
#include "advice/model/account.hpp"

#include <gtest/gtest.h>

#include <iostream>

#include "questions.hpp"

namespace launchbox {
namespace {

const allowance_account* find(const std::vector<allowance_account>& list, const std::string& name)
{
    for (const allowance_account& account : list)
        if (account.name == name) return &account;
    return nullptr;
}

TEST(account, thresholds_and_slack_are_the_models)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    for (int i = 0; i < 5'000; ++i) {
        const occupancy_question q = next_random(source, i);
        const occupancy_account account = explain(q);
        ASSERT_EQ(account.result, answer(q));
        for (const bool more : {true, false}) {
            const int blocks = account.result.resident_blocks + (more ? 1 : 0);
            const resource_allowance allowed = allowance(*q.limits, q.resources, q.shape, blocks, q.settings);
            const std::vector<allowance_account>& list = more ? account.thresholds : account.slack;
            if (blocks < 1 || blocks > q.limits->blocks_per_sm) {
                ASSERT_TRUE(list.empty()) << describe(q);
                continue;
            }
            ASSERT_EQ(list.size(), q.limits->barriers_per_sm ? 4u : 3u);
            for (const allowance_account& account : list) ASSERT_EQ(account.blocks, blocks);
            ASSERT_EQ(find(list, "threads")->at_most, allowed.threads) << describe(q);
            ASSERT_EQ(find(list, "registers")->at_most, allowed.registers) << describe(q);
            ASSERT_EQ(find(list, "shared")->at_most, allowed.shared_bytes) << describe(q);
            ASSERT_EQ(find(list, "shared")->now, q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes);
        }
    }
}

TEST(account, one_launch_in_figures)
{
    const occupancy_account account = explain(asked(sm_90, 256, 63, 11264));
    EXPECT_EQ(find(account.thresholds, "threads")->at_most, 192);
    EXPECT_EQ(find(account.thresholds, "registers")->at_most, 48);
    EXPECT_FALSE(find(account.thresholds, "registers")->satisfied());
    EXPECT_EQ(find(account.thresholds, "shared")->at_most, 45568);
    EXPECT_TRUE(find(account.thresholds, "shared")->satisfied());
    EXPECT_EQ(find(account.slack, "registers")->at_most, 64);
    EXPECT_EQ(find(account.slack, "shared")->at_most, 49152);
    EXPECT_EQ(limiter_names(account.result), "registers");
    EXPECT_EQ(account.obstacle, "");
    EXPECT_TRUE(account.curves.empty());
    EXPECT_FALSE(account.waves);
}

TEST(account, limiters_in_words)
{
    EXPECT_EQ(limiter_names(occupancy_result{}), "nothing");
    EXPECT_EQ(limiter_names(answer(asked(sm_90, 256, 32))), "warps and registers");
    EXPECT_EQ(limiter_names(answer(asked(sm_90, 64, 32, 6272))), "warps, blocks, registers and shared memory");
}

TEST(waves, full_waves_and_the_tail)
{
    occupancy_question q = asked(sm_90, 256, 63);  // 4 blocks
    q.sms = 132;
    const auto waves_of_grid = [&](std::int64_t grid) {
        q.grid = grid;
        return explain(q).waves.value();
    };
    wave_account waves = waves_of_grid(1000);
    EXPECT_EQ(waves.blocks_per_wave, 528);
    EXPECT_EQ(waves.full_waves, 1);
    EXPECT_EQ(waves.tail_blocks, 472);
    EXPECT_DOUBLE_EQ(waves.waves, 1000.0 / 528);
    EXPECT_DOUBLE_EQ(waves.efficiency, 1000.0 / 1056);
    waves = waves_of_grid(528);
    EXPECT_EQ(waves.full_waves, 1);
    EXPECT_EQ(waves.tail_blocks, 0);
    EXPECT_DOUBLE_EQ(waves.efficiency, 1);
    waves = waves_of_grid(1);
    EXPECT_EQ(waves.full_waves, 0);
    EXPECT_EQ(waves.tail_blocks, 1);
    EXPECT_DOUBLE_EQ(waves.efficiency, 1.0 / 528);
    waves = waves_of_grid(std::int64_t{1} << 46);
    EXPECT_EQ(waves.full_waves * 528 + waves.tail_blocks, std::int64_t{1} << 46);
    EXPECT_LE(waves.efficiency, 1);

    q.sms.reset();
    EXPECT_FALSE(explain(q).waves);
    q.sms = 132;
    q.resources.registers = 1000;  // nothing is resident, so there are no waves
    EXPECT_FALSE(explain(q).waves);
}

std::string obstacle_of(const occupancy_question& q)
{
    const occupancy_account account = explain(q);
    EXPECT_EQ(account.result.resident_blocks, 0);
    return account.obstacle;
}

TEST(obstacle, each_is_reported_with_its_figures)
{
    EXPECT_EQ(obstacle_of(asked(sm_90, 0, 32)), "a size is negative, or there are no threads");
    EXPECT_EQ(obstacle_of(asked(sm_90, 2000, 16)), "2,000 threads: a block has at most 1,024");
    EXPECT_EQ(obstacle_of(asked(sm_90, 32, 300)), "300 registers per thread: a launch takes at most 256");
    EXPECT_EQ(obstacle_of(asked(sm_90, 1024, 128)), "the block needs 131,072 registers: a block has at most 65,536");
    EXPECT_EQ(obstacle_of(asked(sm_90, 288, 224)),
              "its 64,512 registers fit, but the launch check counts 9 warps as 12 (a multiple of 4 sub-partitions): "
              "86,016 of 65,536 registers");
    EXPECT_NE(obstacle_of(asked(sm_90, 32, 16, 300'000)).find("a block has at most"), std::string::npos);
    occupancy_question q = asked(sm_90, 512, 32);
    q.resources.max_threads = 256;
    EXPECT_EQ(obstacle_of(q), "512 threads exceed the launch bound of 256: cudaErrorInvalidValue");
    q = asked(sm_90, 64, 32);
    q.resources.barriers = 17;
    EXPECT_EQ(obstacle_of(q), "17 named barriers: a block has at most 16");
    q = asked(sm_90, 64, 32);
    q.settings.max_dynamic_shared_bytes = 1000;
    q.shape.dynamic_shared_bytes = 1001;
    EXPECT_EQ(obstacle_of(q), "1,001 B of dynamic shared memory: cudaFuncSetAttribute allowed 1,000 B");
    q = asked(*find_sm_limits({6, 0}), 1024 - 31 * 7, 72);
    if (explain(q).result.resident_blocks == 0) {
        EXPECT_NE(obstacle_of(q).find("of 4 sub-partitions"), std::string::npos);
    }
}

bool has_note(const occupancy_question& q, const std::string& words)
{
    for (const std::string& note : explain(q).notes)
        if (note.find(words) != std::string::npos) return true;
    return false;
}

TEST(notes, notes_for_the_reader)
{
    occupancy_question q = asked(sm_90, 256, 32);
    EXPECT_TRUE(explain(q).notes.empty());
    q.registers_known = q.barriers_known = false;
    EXPECT_TRUE(has_note(q, "registers are not known"));
    EXPECT_TRUE(has_note(q, "barriers are not known"));
    EXPECT_FALSE(has_note(q, "shared memory is not known"));
    q.shared_known = false;
    EXPECT_TRUE(has_note(q, "static shared memory is not known"));
    q.limits = &sm_80;
    EXPECT_FALSE(has_note(q, "barriers are not known"));  // it has no such limit

    q = asked(sm_90, 256, 32);
    q.shape.dynamic_shared_bytes = 100'000;
    q.settings.max_dynamic_shared_bytes = 100'000;
    EXPECT_TRUE(has_note(q, "cudaFuncSetAttribute"));
    EXPECT_TRUE(
        has_note(asked(sm_90, 256, 32, 60'000), "a program with 60,000 B of static shared memory cannot be linked"));
    q = asked(sm_80, 256, 32);
    q.shape.cluster_blocks = 2;
    EXPECT_EQ(obstacle_of(q), "a cluster of 2 blocks: compute capability 8.0 has no clusters");
    q.settings.mode = model_mode::spreadsheet;
    EXPECT_TRUE(has_note(q, "the spreadsheet has no clusters"));
    q = asked(sm_90, 256, 32);
    q.shape.cluster_blocks = 16;
    EXPECT_EQ(obstacle_of(q),
              "a cluster of 16 blocks: without cudaFuncAttributeNonPortableClusterSizeAllowed it has at most 8");
    q.settings.non_portable_clusters = true;
    EXPECT_TRUE(has_note(q, "cudaFuncAttributeNonPortableClusterSizeAllowed"));
    EXPECT_FALSE(has_note(q, "not published"));
    q.limits = &sm_120;
    EXPECT_TRUE(has_note(q, "the maximum of compute capability 12.0 is not published"));
    q.limits = &sm_110;
    EXPECT_EQ(obstacle_of(q), "a cluster of 16 blocks: compute capability 11.0 has at most 8");
    q.sms = 20;
    EXPECT_FALSE(explain(q).clusters);
    q.shape.cluster_blocks = 8;
    EXPECT_FALSE(has_note(q, "cudaFuncAttributeNonPortableClusterSizeAllowed"));
    EXPECT_TRUE(explain(q).clusters);
}

TEST(account, nothing_reserved_is_not_mentioned)
{
    occupancy_question question = asked(sm_61, 64, 32);
    question.shape.dynamic_shared_bytes = 49408;
    question.settings.max_dynamic_shared_bytes = 49408;
    const occupancy_account account = explain(question);
    EXPECT_EQ(account.obstacle, "49,408 B of shared memory: a block has at most 49,152 B");
}

}  // namespace
}  // namespace launchbox
