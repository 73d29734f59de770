// The five rules: kept and broken, and whether breaking them costs.
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

// "divides_sm+" is broken and costs, "divides_sm-" is broken for free.
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
                             "65,536 / 1,536 = 42", "233,472 / 2 = 116,736 B"};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(rules[i].id, ids[i]);
        EXPECT_EQ(rules[i].figure, figures[i]);
        EXPECT_FALSE(rules[i].rule.empty());
        EXPECT_TRUE(rules[i].kept || rules[i].id == "divides_sm");
        EXPECT_TRUE(!rules[i].costs || !rules[i].kept) << "a rule that is kept cannot cost";
    }
}

TEST(rules_of_thumb, each_is_broken_by_a_kernel_that_breaks_it)
{
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 256)), "");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 250)), "warp_multiple+ divides_sm-");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 32)), "enough_threads+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 64)), "");  // just enough
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32}, 768)), "divides_sm+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 40}, 256)), "registers_share+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 32, .static_shared_bytes = 40'000}, 256)), "shared_share+");
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 40}, 192)), "divides_sm- registers_share+");
    // Few threads, yet registers limit first: more threads would change nothing.
    EXPECT_EQ(broken(rules_for(sm_90, {.registers = 255}, 32)), "enough_threads- registers_share+");
}

// What a full SM cannot lose.
TEST(rules_of_thumb, nothing_costs_where_all_warps_are_resident)
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
