// The spreadsheet mode against what is published about the sheet: at how many of the 32 x 255 points of (threads,
// registers) it differs from NVIDIA's header.
#include <gtest/gtest.h>

#include <cmath>

#include "oracle.hpp"

namespace launchbox {
namespace {

double differing_percent(const sm_limits& limits)
{
    int differing = 0, points = 0;
    for (int threads = 32; threads <= 1024; threads += 32)
        for (int registers = 1; registers <= limits.registers_per_thread; ++registers, ++points) {
            const kernel_resources kernel{.registers = registers};
            const int sheet = resident_blocks(limits, kernel, {.threads = threads}, {.mode = model_mode::spreadsheet});
            differing +=
                sheet != oracle::ask(limits, kernel, {.threads = threads}, {}).result.activeBlocksPerMultiprocessor;
        }
    return std::round(1000.0 * differing / points) / 10;
}

TEST(spreadsheet, differs_at_the_published_points)
{
    for (const sm_limits* same : {&sm_30, &sm_35, &sm_50, &sm_61, &sm_70, &sm_75, &sm_80, &sm_86})
        EXPECT_EQ(differing_percent(*same), 0) << architecture_name(same->capability).view();
    EXPECT_EQ(differing_percent(sm_32), 21.5);
    EXPECT_EQ(differing_percent(sm_37), 11.8);
    EXPECT_EQ(differing_percent(sm_52), 25.1);
    EXPECT_EQ(differing_percent(sm_53), 7.2);
    EXPECT_EQ(differing_percent(sm_60), 1.8);
    EXPECT_EQ(differing_percent(sm_62), 21.5);
}

TEST(spreadsheet, the_published_point_of_3_7)
{
    const kernel_resources kernel{.registers = 129};
    EXPECT_EQ(resident_blocks(sm_37, kernel, {.threads = 64}, {.mode = model_mode::spreadsheet}), 12);
    EXPECT_EQ(resident_blocks(sm_37, kernel, {.threads = 64}), 14);
}

TEST(spreadsheet, it_has_no_row_after_8_6)
{
    for (const sm_limits& limits : sm_limits_table) {
        const bool in_sheet =
            limits.capability <= compute_capability{8, 6} && limits.capability != compute_capability{7, 2};
        EXPECT_EQ(limits.spreadsheet.has_value(), in_sheet) << architecture_name(limits.capability).view();
    }
    EXPECT_EQ(resident_blocks(sm_90, {.registers = 32}, {.threads = 128}, {.mode = model_mode::spreadsheet}), 0);
}

// The sheet does not know launch bounds, barriers, the opt-in limit of a block and its reserved memory.
TEST(spreadsheet, unchecked_limits)
{
    const launch_settings sheet{.mode = model_mode::spreadsheet};
    EXPECT_EQ(resident_blocks(sm_80, {.registers = 32, .max_threads = 64}, {.threads = 128}, sheet), 16);
    EXPECT_EQ(
        resident_blocks(sm_80, {.registers = 32}, {.threads = 64, .dynamic_shared_bytes = detail::kib(163)}, sheet), 1);
    EXPECT_EQ(resident_blocks(sm_80, {.registers = 32}, {.threads = 64, .dynamic_shared_bytes = detail::kib(163)}), 0);
}

}  // namespace
}  // namespace launchbox
