// nvdisasm's output about live registers, in all its layouts: short and long numbers, several functions.
#include "image/code/live_registers.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace launchbox {

namespace {

struct seen_instruction {
    std::string section;
    std::uint64_t byte = 0;
    std::array<int, 4> live{};
    std::vector<std::pair<int, bool>> general;

    friend bool operator==(const seen_instruction&, const seen_instruction&) = default;
};

std::vector<seen_instruction> read(const std::string& text, std::size_t not_understood = 0)
{
    std::vector<seen_instruction> found;
    life_range_reader reader([&](const live_instruction& one) {
        found.push_back({std::string(one.section), one.byte, one.live, one.general});
    });
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = text.find('\n', at);
        reader.line(std::string_view(text).substr(at, end - at));
        at = end + 1;
    }
    EXPECT_EQ(reader.not_understood(), not_understood);
    return found;
}

const std::string one_function =
    "                                // +-----------+---------+--------+\n"
    "                                // |    GPR    |  PRED   |  UGPR  |\n"
    "                                // |    00011  |         |        |\n"
    "                                // |    00900  |         |        |\n"
    "                                // |  # 01912  |  # 0    |  # 4   |\n"
    "                                // +-----------+---------+--------+\n"
    "        .global  k              // |           |         |        |\n"
    ".text.k:                        // |           |         |        |\n"
    "        /*0000*/  MOV R1, R0 ;  // |  2 v^     |         |        |\n"
    ".L_x_1:                         // |           |         |        |\n"
    "        /*0010*/  IADD R99 ;    // |  3  :^ x  |  1 ^    |  1 ^   |\n"
    "        /*00a0*/  EXIT ;        // |           |         |        |\n"
    "                                // +-----------+---------+--------+\n";

// Tables that nvdisasm never prints: counts above the titles, and numbers with more digits than any register's.
TEST(live_registers, headers_in_another_order_give_no_numbers)
{
    const std::string rule = "     // +-------+\n", titles = "     // |  GPR  |\n", counts = "     // |  # 01 |\n",
                      instruction = ".text.k:\n     // |  1 ^  |\n", digits = "     // |   999 |\n";
    EXPECT_TRUE(read(rule + counts + titles + rule + instruction).empty());
    EXPECT_TRUE(read(rule + counts + counts + counts + titles + rule + instruction).empty());
    std::string long_numbers = rule + titles;
    for (int line = 0; line < 13; ++line) long_numbers += digits;
    EXPECT_TRUE(read(long_numbers + counts + rule + instruction).empty());
}

TEST(live_registers, are_read_with_their_numbers)
{
    const std::vector<seen_instruction> expected{{".text.k", 0, {2, 0, 0, 0}, {{0, false}, {1, true}}},
                                                 {".text.k", 0x10, {3, 1, 1, 0}, {{1, false}, {99, true}, {102, true}}},
                                                 {".text.k", 0xa0, {0, 0, 0, 0}, {}}};
    EXPECT_EQ(read(one_function), expected);
}

TEST(live_registers, several_functions_have_their_own_columns)
{
    std::string second = one_function;
    for (std::size_t at = second.find(".text.k"); at != std::string::npos; at = second.find(".text.k", at + 1))
        second.replace(at, 8, ".text.j:");
    // With the same columns, and with others.
    const std::vector<seen_instruction> found = read(one_function + "\n        .section  .text.j\n" + second);
    ASSERT_EQ(found.size(), 6u);
    EXPECT_EQ(found[4].section, ".text.j");
    EXPECT_EQ(found[4].general, found[1].general);
    std::string shifted;
    for (std::size_t at = 0; at < second.size();) {
        const std::size_t end = second.find('\n', at), table = second.find("//", at);
        shifted += second.substr(at, table - at) + "   " + second.substr(table, end + 1 - table);
        at = end + 1;
    }
    const std::vector<seen_instruction> both = read(one_function + shifted);
    ASSERT_EQ(both.size(), 6u);
    EXPECT_EQ(both[4].general, found[4].general);
}

TEST(live_registers, invalid_lines_are_counted)
{
    std::string text = one_function;
    text.replace(text.find("|  3  :^ x"), 10, "|  7  :^ x");
    EXPECT_EQ(read(text, 1).size(), 3u);
    text.replace(text.find("|  7  :^ x"), 10, "|  ?  :^ x");
    EXPECT_EQ(read(text, 1).size(), 2u);
    EXPECT_TRUE(read("/*0000*/ MOV R1, R0 ;\n// |\n.text.k:\n").empty());
    EXPECT_TRUE(read("// +--\n// | GPR\n// +--\n// +--\n").empty());
}

}  // namespace

}  // namespace launchbox
