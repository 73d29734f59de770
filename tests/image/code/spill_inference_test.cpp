// Spills of kernels whose images do not list them, inferred from the code that ptxas before CUDA 12.6 generates. That
// code was compared with the output of ptxas 11.8 to 12.5; these tests have its patterns, instruction by instruction.
#include "image/code/spill_inference.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace launchbox {
namespace {

constexpr std::uint64_t r1 = 1, r2 = 2, four_bytes = 4, sixteen_bytes = 6, last_use = 3;

std::string instruction(std::uint64_t opcode, std::uint64_t target, std::uint64_t source, std::int64_t offset = 0,
                        std::uint64_t width = four_bytes, std::uint64_t cache = 0)
{
    const std::uint64_t low =
        opcode | target << 16 | source << 24 | static_cast<std::uint64_t>(offset & 0xffffff) << 40;
    const std::uint64_t halves[2] = {low, width << 9 | cache << 20};
    return {reinterpret_cast<const char*>(halves), sizeof halves};
}

std::string store(std::int64_t offset, std::uint64_t base = r1, std::uint64_t width = four_bytes)
{
    return instruction(0x387, 0, base, offset, width);
}
std::string load(std::int64_t offset, std::uint64_t base = r1, std::uint64_t width = four_bytes)
{
    return instruction(0x983, 8, base, offset, width);
}
std::string last_load(std::int64_t offset, std::uint64_t width = four_bytes)
{
    return instruction(0x983, 8, r1, offset, width, last_use);
}
// MOV R1, c[0x0][0x28]; IADD3 R1, R1, -frame.
const std::string set_up = instruction(0xa02, r1, 0xff), move_down = instruction(0x810, r1, r1, -64);
const std::string exit_code = instruction(0x94d, 0, 0);

std::optional<spill_limits> inferred(const std::string& code, std::vector<std::uint32_t>* offsets = nullptr)
{
    std::vector<std::uint32_t> found;
    const auto limits = infer_spills(code, 0, code.size(), found);
    if (offsets != nullptr) *offsets = found;
    return limits;
}

TEST(spill_inference, a_last_load_relative_to_the_stack_pointer_is_a_spill)
{
    const auto found = inferred(set_up + move_down + store(0) + load(0) + store(8, r1, sixteen_bytes) + last_load(0) +
                                last_load(8, sixteen_bytes) + exit_code);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->at_least, (spill_counts{20, 24}));
    EXPECT_EQ(found->at_most, found->at_least);
    EXPECT_EQ(found->shared, spill_counts{});
}

TEST(spill_inference, arrays_come_before_the_spills_and_are_not_counted)
{
    // An array is filled relative to the stack pointer and read with an index; a spill comes after it.
    std::vector<std::uint32_t> offsets;
    const auto found = inferred(
        set_up + move_down + store(0) + store(4) + load(0, r2) + store(32) + last_load(32) + exit_code, &offsets);
    EXPECT_EQ(offsets, (std::vector<std::uint32_t>{5 * 16, 6 * 16})) << "whose lines are told";
    ASSERT_TRUE(found);
    EXPECT_EQ(found->at_least, (spill_counts{4, 4}));
    EXPECT_EQ(found->at_most, found->at_least);

    const auto none = inferred(set_up + move_down + store(0) + store(4) + load(0, r2) + exit_code);
    ASSERT_TRUE(none);
    EXPECT_EQ(none->at_least, spill_counts{});
    EXPECT_EQ(none->at_most, spill_counts{}) << "an array alone";
}

TEST(spill_inference, an_ambiguous_load_only_counts_in_the_upper_limit)
{
    const auto found = inferred(set_up + move_down + store(0) + load(0) + store(32) + last_load(32) + exit_code);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->at_least, (spill_counts{4, 4}));
    EXPECT_EQ(found->at_most, (spill_counts{8, 8}));
}

TEST(spill_inference, a_function_after_the_kernel_makes_it_unknown)
{
    const std::string kernel = set_up + move_down + store(0) + last_load(0) + exit_code;
    const std::string code = kernel + store(0) + load(0);
    std::vector<std::uint32_t> offsets;
    const auto found = infer_spills(code, 0, kernel.size(), offsets);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->at_least, (spill_counts{4, 4}));
    EXPECT_EQ(found->at_most, (spill_counts{8, 8}));
}

TEST(spill_inference, is_unknown_if_the_stack_pointer_moves_or_is_not_set_up)
{
    EXPECT_FALSE(inferred(set_up + move_down + move_down + store(0) + last_load(0) + exit_code)) << "alloca, or a call";
    EXPECT_FALSE(inferred(store(0) + last_load(0) + exit_code));
    EXPECT_FALSE(inferred(set_up + set_up + store(0) + last_load(0) + exit_code));
    EXPECT_FALSE(inferred(""));
    // Hostile offsets.
    const std::string code = set_up + move_down + store(0) + last_load(0);
    std::vector<std::uint32_t> offsets;
    EXPECT_TRUE(infer_spills(code, 0, ~std::size_t{0}, offsets));
    EXPECT_FALSE(infer_spills(code, ~std::size_t{0}, 0, offsets));
    EXPECT_FALSE(infer_spills(code.substr(0, 7), 0, 7, offsets));
}

}  // namespace
}  // namespace launchbox
