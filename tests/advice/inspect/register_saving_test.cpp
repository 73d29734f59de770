// How many values may be live for one more resident block, and which lines have more.
#include <gtest/gtest.h>

#include <optional>

#include "advice/inspect/line_summary.hpp"

namespace launchbox {
namespace {

// 64 registers, of which at most 60 are live, on lines with 60, 55, 54 and 20.
kernel_info crowded_kernel()
{
    kernel_info kernel;
    kernel.figures.registers = 64;
    kernel.analysis.pressure.emplace().peak = 60;
    kernel.analysis.pressure->highest = 62;
    kernel.analysis.lines.emplace().told = true;
    std::uint32_t place = 0;
    for (const int live : {20, 60, 54, 55}) {
        line_use use;
        use.place = place++;
        use.live_registers = live;
        kernel.analysis.lines->uses.push_back(use);
    }
    line_use nowhere;  // a prologue: there is no source line to change
    nowhere.live_registers = 60;
    kernel.analysis.lines->uses.push_back(nowhere);
    return kernel;
}

next_step fewer_registers(int to)
{
    return {.changes = {{"registers", 64, to}}, .blocks = 5, .occupancy = 0.6, .text = {}};
}

TEST(register_saving, live_values_must_decrease_by_the_registers_to_save)
{
    const std::optional<register_saving> saving = register_saving_of(crowded_kernel(), fewer_registers(58));
    ASSERT_TRUE(saving);
    EXPECT_EQ(saving->registers, 6);
    EXPECT_EQ(saving->blocks, 5);
    EXPECT_EQ(saving->live_at_most, 54);
    EXPECT_EQ(saving->lines, 2u) << "60 and 55; 54 may stay, and what has no line is not counted";
}

TEST(register_saving, nothing_is_reported_if_registers_alone_do_not_help_or_are_unknown)
{
    EXPECT_FALSE(register_saving_of(crowded_kernel(), std::nullopt));
    next_step both = fewer_registers(58);
    both.changes.push_back({"shared", 4096, 2048});
    EXPECT_FALSE(register_saving_of(crowded_kernel(), both));
    next_step shared = fewer_registers(58);
    shared.changes = {{"shared", 4096, 2048}};
    EXPECT_FALSE(register_saving_of(crowded_kernel(), shared));
    EXPECT_FALSE(register_saving_of(crowded_kernel(), fewer_registers(4))) << "all that is live";

    kernel_info unknown = crowded_kernel();
    unknown.analysis.pressure->problem = "nvdisasm ended with exit status 9";
    EXPECT_FALSE(register_saving_of(unknown, fewer_registers(58)));
    unknown = crowded_kernel();
    unknown.analysis.lines->told = false;
    EXPECT_FALSE(register_saving_of(unknown, fewer_registers(58)));
}

}  // namespace
}  // namespace launchbox
