#include "image/code/spills.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace launchbox {
namespace {

// One instruction: the opcode, and the access width in the bits of memory instructions (4: 32 bits, 6: 128 bits).
std::string instruction(std::uint64_t opcode, std::uint64_t width)
{
    const std::uint64_t halves[2] = {0xabcd000 | opcode, width << 9};
    return {reinterpret_cast<const char*>(halves), sizeof halves};
}

const std::string store_local = instruction(0x387, 4), load_local = instruction(0x983, 6),
                  store_shared = instruction(0x388, 4), other = instruction(0x24, 0);
constexpr std::size_t instruction_bytes = 16;

std::int64_t bytes_of(std::int64_t stores)
{
    return 4 * stores;
}

TEST(spills, sums_only_the_listed_instructions)
{
    const std::string code = store_local + other + load_local + store_local;
    EXPECT_EQ(count_spills(code, {0, 32}, false), (spill_counts{4, 16}));
}

TEST(spills, a_list_that_does_not_fit_the_code_is_ignored)
{
    const std::string code = store_local + other;
    EXPECT_EQ(count_spills(code, {32}, false), std::nullopt);
    EXPECT_EQ(count_spills(code, {8}, false), std::nullopt);
    EXPECT_EQ(count_spills(code, {16}, false), std::nullopt);
    EXPECT_EQ(count_spills(code, {0xfffffff0}, false), std::nullopt);
    EXPECT_EQ(count_spills("", {0}, false), std::nullopt);
}

TEST(spills, a_wrapped_list_counts_only_if_all_accesses_can_be_spills)
{
    std::string code;
    for (int i = 0; i < 8192 + 2; ++i) code += store_local;
    EXPECT_EQ(count_spills(code, {0, 16}, false), (spill_counts{bytes_of(8192 + 2), 0}));
    EXPECT_EQ(count_spills(code, {0}, false), std::nullopt);
    EXPECT_EQ(count_spills(code, {0, 16}, true), std::nullopt);
    EXPECT_EQ(count_spills(code.substr(instruction_bytes * 3), {0, 16}, false), (spill_counts{8, 0}));
}

TEST(spills, to_shared_memory_are_a_separate_sum)
{
    const auto listed = limit_spills(store_shared + store_local + store_shared, {0, 16}, true);
    ASSERT_TRUE(listed);
    EXPECT_EQ(listed->at_least, (spill_counts{4, 0}));
    EXPECT_EQ(listed->at_most, listed->at_least);
    EXPECT_EQ(listed->shared, (spill_counts{4, 0}));
    EXPECT_EQ(count_spills(store_shared + store_local, {0}, true), spill_counts{}) << "none to local memory";
}

TEST(spills, a_truncated_list_is_a_lower_limit)
{
    std::string code = load_local;
    for (int i = 0; i < 8192 + 2; ++i) code += store_local;
    // Either one of the accesses is a spill, or 8,193 are.
    EXPECT_EQ(limit_spills(code, {16}, false)->at_least, (spill_counts{4, 0}));
    EXPECT_EQ(limit_spills(code, {16}, false)->at_most, (spill_counts{bytes_of(8192 + 2), 16}));
    EXPECT_EQ(count_spills(code, {16}, false), std::nullopt);
    // Without a list there are either no spills or 8,192.
    const std::string no_list = code.substr(0, instruction_bytes * 8192);
    EXPECT_EQ(limit_spills(no_list, {}, false)->at_least, (spill_counts{0, 0}));
    EXPECT_EQ(limit_spills(no_list, {}, false)->at_most, (spill_counts{bytes_of(8191), 16}));
    // If all accesses are spills, the count is exact.
    const auto exact = limit_spills(code, {0, 16, 32}, false);
    EXPECT_EQ(exact->at_least, (spill_counts{bytes_of(8192 + 2), 16}));
    EXPECT_EQ(exact->at_least, exact->at_most);
    EXPECT_FALSE(limit_spills(code, {8}, false));
}

}  // namespace
}  // namespace launchbox
