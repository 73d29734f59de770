// Live registers from our own decoder: small handwritten programs, kernels of nvcc compared with nvdisasm, and code for
// which the answer must be uncertain.
#include "image/code/live_code.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <string>
#include <vector>

#include "image/code/control_flow.hpp"
#include "image/code/operands.hpp"
#include "tiny_code.hpp"
#include "tiny_programs.hpp"

namespace launchbox {

namespace {

constexpr std::uint64_t scheduling = 0x000fe20000000000;

// Instructions of sm_90, encoded as by nvcc 13.0.
constexpr instruction_word mov_r2_7{0x0000000700027802, 0x0000000f00 | scheduling};      // MOV R2, 7
constexpr instruction_word iadd_r3_r2_r2{0x0000000202037210, 0x07ffe0ff | scheduling};   // IADD3 R3, R2, R2, RZ
constexpr instruction_word store_r3_at_r4{0x0000000304007986, 0x0c101904 | scheduling};  // STG.E desc[UR4][R4.64], R3
constexpr instruction_word exit_always{0x000000000000794d, 0x03800000 | scheduling};     // EXIT
constexpr instruction_word exit_if_p0{0x000000000000094d, 0x03800000 | scheduling};      // @P0 EXIT
constexpr instruction_word r2p_of_r5{0x0000000f05007804, scheduling};                    // R2P PR, R5, 0xf
constexpr instruction_word never_known{0x0000000000007fff, scheduling};

std::string code_of(std::initializer_list<instruction_word> words)
{
    std::string code(words.size() * 16, '\0');
    std::size_t at = 0;
    for (const instruction_word& word : words) {
        std::memcpy(code.data() + at, &word.low, 8);
        std::memcpy(code.data() + at + 8, &word.high, 8);
        at += 16;
    }
    return code;
}

std::vector<int> numbers_of(const register_set& set)
{
    std::vector<int> numbers;
    for (int number = 0; number < 255; ++number)
        if ((set.general[static_cast<std::size_t>(number) / 64] >> (number % 64) & 1) != 0) numbers.push_back(number);
    return numbers;
}

using numbers = std::vector<int>;

TEST(live_code, predicates_written_by_a_mask_are_uncertain)
{
    EXPECT_TRUE(find_live_registers(code_of({r2p_of_r5, exit_always}), 90, {}).doubts.more_than_calls());
    EXPECT_EQ(find_live_registers(code_of({r2p_of_r5, exit_always}), 90, {}).doubts.predicate_masks, 1u);
}

TEST(live_code, a_value_lives_from_its_write_to_its_last_read)
{
    const live_code found =
        find_live_registers(code_of({mov_r2_7, iadd_r3_r2_r2, store_r3_at_r4, exit_always}), 90, {});
    EXPECT_FALSE(found.doubts.any());
    ASSERT_EQ(found.live.size(), 4u);
    EXPECT_EQ(numbers_of(found.live[0]), (numbers{1, 2, 4, 5}));
    EXPECT_EQ(numbers_of(found.live[1]), (numbers{1, 2, 3, 4, 5}));
    EXPECT_EQ(numbers_of(found.live[2]), (numbers{1, 3, 4, 5}));
    EXPECT_EQ(numbers_of(found.live[3]), (numbers{1}));
    EXPECT_EQ(found.live[2].uniform_count(), 2);  // the descriptor
    EXPECT_EQ(numbers_of(found.writes[1]), (numbers{3}));
}

TEST(live_code, a_predicated_write_does_not_end_the_life_of_the_old_value)
{
    instruction_word guarded = mov_r2_7;  // @P0
    guarded.low &= ~std::uint64_t{0xf000};
    const live_code found = find_live_registers(code_of({guarded, iadd_r3_r2_r2, store_r3_at_r4, exit_always}), 90, {});
    EXPECT_EQ(numbers_of(found.live[0]), (numbers{1, 2, 4, 5}));
    const live_code before =
        find_live_registers(code_of({exit_if_p0, guarded, iadd_r3_r2_r2, store_r3_at_r4, exit_always}), 90, {});
    EXPECT_EQ(numbers_of(before.live[0]), (numbers{1, 2, 4, 5}));  // the earlier value of R2 is needed
    EXPECT_EQ(before.live[0].predicate_count(), 1);
    EXPECT_FALSE(before.doubts.any());
}

// BRA 8 instructions back, in both encodings of its target.
TEST(live_code, values_needed_in_a_loop_are_live_around_it)
{
    for (const int sm : {86, 90}) {
        const std::int64_t offset = -48;
        instruction_word back{0x0947, 0x03800000 | scheduling};  // @P0 BRA
        const auto bits = static_cast<std::uint64_t>(offset);
        if (sm < 90) {
            back.low |= bits << 32;
            back.high |= bits >> 32 & 0x3ffff;
        } else {
            const auto words = static_cast<std::uint64_t>(offset / 4);
            back.low |= (words & 0xff) << 16 | words >> 8 << 34;
            back.high |= words >> 38 & 0x3ffff;
        }
        const auto where = flow_of(back, 32, sm);
        ASSERT_TRUE(where && where->target);
        EXPECT_EQ(*where->target, 0) << sm;
        EXPECT_TRUE(where->conditional);
        // R2 is read before it is written: its value comes from the previous iteration.
        const live_code found = find_live_registers(code_of({iadd_r3_r2_r2, mov_r2_7, back, exit_always}), sm, {});
        EXPECT_FALSE(found.doubts.any());
        EXPECT_EQ(numbers_of(found.live[2]), (numbers{1, 2})) << sm;
        EXPECT_EQ(numbers_of(found.live[3]), (numbers{1})) << sm;
    }
}

TEST(live_code, unknown_code_makes_the_result_uncertain)
{
    const live_code opcode = find_live_registers(code_of({never_known, exit_always}), 90, {});
    EXPECT_EQ(opcode.doubts.unknown_instructions, 1u);
    EXPECT_EQ(opcode.doubts.first_unknown, 0xfffu);
    const instruction_word out{0x0000100000007947, 0x03800000 | scheduling};  // BRA far beyond the end
    EXPECT_EQ(find_live_registers(code_of({out}), 86, {}).doubts.unknown_targets, 1u);
    const instruction_word indirect{0x0000000004007949, 0x03800000 | scheduling};  // BRX R4
    EXPECT_EQ(find_live_registers(code_of({indirect, exit_always}), 90, {}).doubts.unknown_targets, 1u);
    const live_code table =
        find_live_registers(code_of({indirect, exit_always}), 90, {.branches = {{0, {16}}}, .labels = {}});
    EXPECT_FALSE(table.doubts.any());
    EXPECT_EQ(numbers_of(table.live[0]), (numbers{1, 4, 5}));
    const instruction_word call{0x0000000000007944, 0x03c00000 | scheduling};
    EXPECT_EQ(find_live_registers(code_of({call, exit_always}), 90, {}).doubts.calls, 1u);
    EXPECT_FALSE(operand_decoder(70).supported());
    EXPECT_FALSE(operand_decoder(130).supported());
    EXPECT_TRUE(operand_decoder(75).supported());
    EXPECT_TRUE(operand_decoder(121).supported());
}

// life_ranges_test.cpp compares the same programs with nvdisasm, if it is installed.
TEST(live_code, tiny_programs_have_the_life_ranges_of_nvdisasm)
{
    for (const tiny_program& program : tiny_programs) {
        const code_marks marks{.branches = {}, .labels = {program.listed_exit}, .registers = tiny_registers};
        const live_code found = find_live_registers(tiny_code(program.text).bytes(), 90, marks);
        EXPECT_FALSE(found.doubts.more_than_calls()) << program.name;
        std::string live;
        for (const register_set& one : found.live) live += (&one == found.live.data() ? "" : "|") + registers_text(one);
        EXPECT_EQ(live, program.live) << program.name << ": " << program.text;
    }
}

// A branch between the two writes: before 9.0 the same bits hold its target and its mode.
TEST(live_code, branches_that_depend_on_other_threads)
{
    const instruction_word of_75{0x0000369200007947, 0x03800000 | scheduling};  // BRA.DIV
    const auto plain = flow_of(of_75, 0, 75);
    ASSERT_TRUE(plain && plain->target);
    EXPECT_EQ(*plain->target, 0x36a0);
    EXPECT_TRUE(plain->conditional);
    EXPECT_EQ(plain->operands.reads.uniform_count(), 0);
    const instruction_word of_90{0x0000001204207947, 0x0b800000 | scheduling};  // BRA.DIV UR4
    const auto with_register = flow_of(of_90, 0, 90);
    ASSERT_TRUE(with_register && with_register->target);
    EXPECT_EQ(*with_register->target, 0x1090);
    EXPECT_TRUE(with_register->conditional);
    EXPECT_EQ(registers_text(with_register->operands.reads), "UR4");
    const instruction_word warp_sync{0x0000003e00007348, 0x03800000 | scheduling};  // WARPSYNC R62 of 7.5
    EXPECT_EQ(registers_text(flow_of(warp_sync, 0, 75)->operands.reads), "R62");
    const instruction_word trap{0x000000040000795c, 0x00300000 | scheduling};  // BPT.TRAP 0x1
    EXPECT_EQ(registers_text(flow_of(trap, 0, 86)->operands.reads), "");
    const instruction_word meet{0x0000013000007945, 0x03800200 | scheduling};  // BSSY.RECONVERGENT of 12.0
    EXPECT_EQ(*flow_of(meet, 0, 120)->target, 0x140);
}

TEST(live_code, truncated_code_and_no_code)
{
    EXPECT_TRUE(find_live_registers({}, 90, {}).live.empty());
    EXPECT_EQ(find_live_registers(code_of({mov_r2_7, mov_r2_7}).substr(0, 31), 90, {}).live.size(), 1u);
}

}  // namespace

}  // namespace launchbox
