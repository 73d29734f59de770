// The five rules: kept, or broken, and whether breaking them costs occupancy.
#include "advice/model/rules_of_thumb.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

std::vector<rule_check> rules_for(const sm_limits& limits, const kernel_resources& kernel, int threads,
                                  std::int64_t dynamic_shared = 0)
{
    const int blocks = resident_blocks(limits, kernel, {.threads = threads, .dynamic_shared_bytes = dynamic_shared});
    return check_rules(limits, kernel,
                       {.threads = threads, .dynamic_shared_bytes = dynamic_shared, .resident_blocks = blocks}, {});
}

// "divides_sm+" is broken and costs occupancy, "divides_sm-" is broken without cost.
std::string broken(const std::vector<rule_check>& rules)
{
    std::string text;
    for (const rule_check& rule : rules)
        if (!rule.kept) text += (text.empty() ? "" : " ") + rule.id + (rule.costs ? "+" : "-");
    return text;
}

TEST(rules_of_thumb, are_five_in_order_with_figures)
{
    const std::vector<rule_check> rules = rules_for(sm_90, {.registers = 40}, 768, 3072);
    ASSERT_EQ(rules.size(), 5u);
    const char* ids[] = {"warp_multiple", "enough_threads", "divides_sm", "registers_share", "shared_share"};
    const char* figures[] = {"0 idle lanes in each block", "2,048 / 32 = 64", "2,048 / 768 = 2.67",
                             "65,536 / 1,536 = 42, in fact at most 40",
                             "233,472 / 2 = 116,736 B, in fact at most 49,152 B"};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(rules[i].id, ids[i]);
        EXPECT_EQ(rules[i].figure, figures[i]);
        EXPECT_FALSE(rules[i].rule.empty());
        EXPECT_FALSE(rules[i].name.empty() || rules[i].name.find('_') != std::string::npos) << "words for people";
        EXPECT_TRUE(rules[i].kept || rules[i].id == "divides_sm");
        EXPECT_TRUE(!rules[i].costs || !rules[i].kept) << "a rule that is kept cannot cost";
    }
}

TEST(rules_of_thumb, each_is_broken_by_some_kernel)
{
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 256)), "");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 250)), "warp_multiple+ divides_sm-");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 32)), "enough_threads+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 64)), "");  // just enough
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 768)), "divides_sm+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 40}, 256)), "registers_share+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32, .static_shared_bytes = 40'000}, 256)), "shared_share+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 40}, 192)), "divides_sm- registers_share+");
    // Few threads, but registers are the limiter: more threads would change nothing.
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 255}, 32)), "enough_threads- registers_share+");
}

TEST(rules_of_thumb, an_unknown_figure_breaks_no_rule)
{
    const auto check = [](const known_figures& known) {
        return check_rules(sm_90, {.registers = 255, .static_shared_bytes = 60'000}, {.threads = 1024}, {}, known);
    };
    EXPECT_EQ(broken(check({})), "registers_share+ shared_share+");
    const std::vector<rule_check> rules = check({.registers = false, .shared = false});
    EXPECT_EQ(broken(rules), "");
    EXPECT_FALSE(rules[3].known || rules[4].known);
    EXPECT_TRUE(rules[0].known && rules[1].known && rules[2].known);
}

// Registers are allocated per warp: 33 count as 40, and the third block of 640 threads does not fit, although 65,536 /
// 1,920 is 34.
TEST(rules_of_thumb, registers_and_shared_memory_count_as_allocated)
{
    const std::vector<rule_check> rules = rules_for(sm_50, {.registers = 33}, 640);
    EXPECT_EQ(broken(rules), "divides_sm- registers_share+");
    EXPECT_EQ(rules[3].figure, "65,536 / 1,920 = 34, in fact at most 32");
    const std::vector<rule_check> kept = rules_for(sm_50, {.registers = 32}, 256);
    EXPECT_EQ(broken(kept), "");
    EXPECT_EQ(kept[3].figure, "65,536 / 2,048 = 32");
    // 16,000 B and the reserved memory are 17,024 of 17,066; 16,001 are allocated as 17,152.
    EXPECT_EQ(broken(rules_for(sm_120, {.registers = 32, .static_shared_bytes = 16'000}, 256)), "");
    const std::vector<rule_check> shared = rules_for(sm_120, {.registers = 32, .static_shared_bytes = 16'001}, 256);
    EXPECT_EQ(broken(shared), "shared_share+");
    EXPECT_EQ(shared[4].figure, "102,400 / 6 = 17,066 B, in fact at most 16,000 B");
}

// If a resource is the only limiter, its rule is broken and says that this costs occupancy; if its rule is kept, it is
// not the only limiter.
TEST(rules_of_thumb, a_single_limiter_breaks_its_rule)
{
    for (const sm_limits& limits : sm_limits_table)
        for (int threads = 1; threads <= 1024; threads += threads % 96 == 0 ? 1 : 95)
            for (int registers = 0; registers <= limits.registers_per_thread; registers += registers < 40 ? 1 : 13)
                for (const int shared : {0, 3000, 16'001, 49'000}) {
                    const kernel_resources kernel{.registers = registers, .static_shared_bytes = shared};
                    const occupancy_result result = occupancy(limits, kernel, {.threads = threads});
                    if (result.resident_blocks == 0 || result.resident_warps == result.warp_slots) continue;
                    const auto alone = [&](resource which) {
                        resource_set one;
                        one.insert(which);
                        return result.limiters == one;
                    };
                    const std::vector<rule_check> rules = rules_for(limits, kernel, threads);
                    const auto told = [&](int rule) {
                        const rule_check& check = rules[static_cast<std::size_t>(rule)];
                        ASSERT_TRUE(!check.kept && check.costs) << check.id << ' ' << limits.capability.number() << ' '
                                                                << threads << ' ' << registers << ' ' << shared;
                    };
                    if (alone(resource::blocks) && threads % warp_size == 0) told(1);
                    if (alone(resource::warps) && threads % warp_size == 0) told(2);
                    if (alone(resource::registers)) told(3);
                    if (alone(resource::shared)) told(4);
                }
}

// A full SM has nothing to gain.
TEST(rules_of_thumb, nothing_costs_if_all_warps_are_resident)
{
    for (const sm_limits& limits : sm_limits_table)
        for (int threads = 32; threads <= 1024; threads += 32)
            for (int registers : {16, 24, 32, 40}) {
                const kernel_resources kernel{.registers = registers};
                const occupancy_result result = occupancy(limits, kernel, {.threads = threads});
                if (result.resident_warps < result.warp_slots) continue;
                for (const rule_check& rule : rules_for(limits, kernel, threads))
                    EXPECT_FALSE(rule.costs)
                        << rule.id << ' ' << limits.capability.number() << ' ' << threads << ' ' << registers;
            }
}

}  // namespace
}  // namespace launchbox
