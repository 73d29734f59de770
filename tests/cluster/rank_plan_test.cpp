// Which rank gets which GPU, which ranks compile, and what is refused before any work starts.
#include "cluster/rank_plan.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

gpu_device gpu_named(int index, const std::string& uuid, const std::string& name = "GPU A")
{
    gpu_device gpu;
    gpu.index = index;
    gpu.name = name;
    gpu.uuid = uuid;
    gpu.capability = {.major = 9, .minor = 0};
    gpu.sms = 132;
    return gpu;
}

rank_facts rank_with(int rank, const std::string& host, std::vector<gpu_device> gpus, int cores = 8)
{
    rank_facts facts;
    facts.rank = rank;
    facts.version = "1";
    facts.host = host;
    facts.spec_hash = "spec";
    facts.source_hash = "source";
    facts.driver = "13.0";
    facts.toolkit = "NVRTC 13.0";
    facts.gpus = std::move(gpus);
    for (int core = 0; core < cores; ++core) facts.cores.push_back(core);
    return facts;
}

std::map<int, rank_facts> by_rank(const std::vector<rank_facts>& all)
{
    std::map<int, rank_facts> facts;
    for (const rank_facts& each : all) facts[each.rank] = each;
    return facts;
}

void expect_refusal(const std::map<int, rank_facts>& facts, const rank_plan_options& options, const std::string& words)
{
    try {
        plan_ranks(facts, options);
        ADD_FAILURE() << "accepted; wanted: " << words;
    } catch (const error& refusal) {
        EXPECT_NE(std::string(refusal.what()).find(words), std::string::npos) << refusal.what();
        EXPECT_NE(std::string(refusal.hint()), "") << refusal.what();
    }
}

const std::vector<gpu_device> two{gpu_named(0, "a"), gpu_named(1, "b")};

}  // namespace

TEST(rank_plan_test, each_rank_gets_a_gpu_of_its_own)
{
    const rank_plan plan =
        plan_ranks(by_rank({rank_with(0, "n1", two), rank_with(1, "n1", two), rank_with(2, "n1", two)}), {.ranks = 3});
    EXPECT_FALSE(plan.roles.contains(0)) << "both GPUs are needed by others";
    EXPECT_NE(plan.roles.at(1).gpu, plan.roles.at(2).gpu);
    ASSERT_EQ(plan.groups.size(), 1U);
    EXPECT_EQ(plan.groups[0].ranks, (std::vector<int>{1, 2}));
}

TEST(rank_plan_test, the_coordinator_measures_if_it_has_a_spare_gpu)
{
    const rank_plan plan = plan_ranks(
        by_rank({rank_with(0, "n1", {gpu_named(0, "a")}), rank_with(1, "n1", {gpu_named(0, "b")})}), {.ranks = 2});
    EXPECT_EQ(plan.groups.at(0).ranks, (std::vector<int>{0, 1}));
}

TEST(rank_plan_test, a_rank_that_sees_one_gpu_gets_it_from_one_that_sees_more)
{
    const rank_plan plan =
        plan_ranks(by_rank({rank_with(0, "n1", {}), rank_with(1, "n1", two), rank_with(2, "n1", {gpu_named(0, "a")})}),
                   {.ranks = 3});
    EXPECT_EQ(plan.roles.at(2).gpu, 0);
    EXPECT_EQ(plan.roles.at(1).gpu, 1);
}

TEST(rank_plan_test, equal_gpu_indices_on_other_hosts_are_other_gpus)
{
    std::vector<gpu_device> nameless{gpu_named(0, "")};
    EXPECT_NO_THROW(plan_ranks(
        by_rank({rank_with(0, "n1", {}), rank_with(1, "n1", nameless), rank_with(2, "n2", nameless)}), {.ranks = 3}));
    expect_refusal(by_rank({rank_with(0, "n1", {}), rank_with(1, "n1", nameless), rank_with(2, "n1", nameless)}),
                   {.ranks = 3}, "rank 2 has no GPU of its own; rank 2 (n1): GPU 0 belongs to rank 1");
    // Containers on one machine have different host names and see the same GPU.
    expect_refusal(by_rank({rank_with(0, "c0", {}), rank_with(1, "c1", {gpu_named(0, "a")}),
                            rank_with(2, "c2", {gpu_named(0, "a")})}),
                   {.ranks = 3}, "rank 2 (c2): GPU 0 belongs to rank 1");
}

TEST(rank_plan_test, ranks_without_a_gpu_only_compile_and_only_on_request)
{
    const auto facts = by_rank({rank_with(0, "n1", {}), rank_with(1, "n1", {gpu_named(0, "a")}),
                                rank_with(2, "n1", {gpu_named(1, "x", "GPU B")}), rank_with(3, "n2", {}, 32)});
    expect_refusal(facts, {.ranks = 4}, "rank 3 has no GPU of its own");
    const rank_plan plan = plan_ranks(facts, {.ranks = 4, .compile_ranks = 1});
    EXPECT_EQ(plan.roles.at(3).gpu, -1);
    EXPECT_EQ(plan.roles.at(3).jobs, 32U);
    EXPECT_EQ(plan.roles.at(3).gpus.size(), 2U) << "it compiles for both models";
    EXPECT_EQ(plan.groups.size(), 2U);
    EXPECT_EQ(plan.roles.at(2).backend, 1U);
}

TEST(rank_plan_test, cores_are_shared_by_the_ranks_of_a_host)
{
    std::vector<rank_facts> all{rank_with(0, "n0", {})};
    for (int rank = 1; rank <= 4; ++rank)
        all.push_back(rank_with(rank, "n1", {gpu_named(rank, std::to_string(rank))}, 6));
    rank_plan plan = plan_ranks(by_rank(all), {.ranks = 5});
    EXPECT_EQ(plan.roles.at(1).jobs, 2U);
    EXPECT_EQ(plan.roles.at(2).jobs, 2U);
    EXPECT_EQ(plan.roles.at(3).jobs, 1U);
    EXPECT_EQ(plan.roles.at(4).jobs, 1U);
    EXPECT_EQ(plan_ranks(by_rank(all), {.ranks = 5, .jobs = 7}).roles.at(4).jobs, 7U);
    // Two cores for four ranks: two of them compile for all.
    for (rank_facts& facts : all) facts.cores.resize(2);
    plan = plan_ranks(by_rank(all), {.ranks = 5});
    EXPECT_EQ(plan.roles.at(1).jobs + plan.roles.at(2).jobs, 2U);
    EXPECT_EQ(plan.roles.at(3).jobs + plan.roles.at(4).jobs, 0U);
}

TEST(rank_plan_test, incompatible_ranks_are_named)
{
    const rank_facts first = rank_with(0, "n1", {}), good = rank_with(1, "n1", {gpu_named(0, "a")});
    rank_facts bad = rank_with(2, "n2", {gpu_named(0, "b")});
    const auto with = [&](auto change) {
        rank_facts changed = bad;
        change(changed);
        return by_rank({first, good, changed});
    };
    expect_refusal(with([](rank_facts& facts) { facts.version = "2"; }), {.ranks = 3},
                   "rank 2 (n2) runs launchbox 2, and rank 0 (n1) runs 1");
    expect_refusal(with([](rank_facts& facts) { facts.spec_hash = "other"; }), {.ranks = 3}, "rank 2 (n2)");
    expect_refusal(with([](rank_facts& facts) { facts.source_hash = "other"; }), {.ranks = 3}, "different sources");
    expect_refusal(with([](rank_facts& facts) {
                       facts.failure = "there is no nvcc";
                       facts.hint = "install it";
                   }),
                   {.ranks = 3}, "rank 2 (n2): there is no nvcc");
    // Something missing has its own exit status.
    for (const bool lacks : {false, true}) try {
            plan_ranks(with([&](rank_facts& facts) {
                           facts.failure = "there is no nvcc";
                           facts.lacks_something = lacks;
                       }),
                       {.ranks = 3});
            ADD_FAILURE() << "accepted";
        } catch (const error& refusal) {
            EXPECT_EQ(refusal.status(), lacks ? exit_status::missing : exit_status::bad_input);
        }
    expect_refusal(by_rank({first, good}), {.ranks = 4}, "ranks 2, 3 have not reported");
    expect_refusal(by_rank({first}), {.ranks = 1}, "there is only one rank");
    expect_refusal(by_rank({first, rank_with(1, "n1", {})}), {.ranks = 2, .compile_ranks = 1}, "no rank has a GPU");
}

TEST(rank_plan_test, a_different_toolkit_makes_a_different_run)
{
    rank_facts other = rank_with(2, "n2", {gpu_named(0, "b")});
    other.toolkit = "NVRTC 12.9";
    const rank_plan plan =
        plan_ranks(by_rank({rank_with(0, "n1", {}), rank_with(1, "n1", {gpu_named(0, "a")}), other}), {.ranks = 3});
    EXPECT_EQ(plan.groups.size(), 2U);
    ASSERT_EQ(plan.notes.size(), 1U);
    EXPECT_NE(plan.notes[0].find("kept apart"), std::string::npos) << plan.notes[0];
    EXPECT_NE(plan.notes[0].find("NVRTC 12.9"), std::string::npos) << plan.notes[0];
}

}  // namespace launchbox
