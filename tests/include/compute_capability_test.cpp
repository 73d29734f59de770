#include <launchbox/compute_capability.hpp>
#include <launchbox/sm_limits.hpp>

#include <gtest/gtest.h>

#include <string>

namespace launchbox {
namespace {

static_assert(architecture_name({9, 0, architecture_variant::accelerated}).view() == "sm_90a");
static_assert(compute_capability_name({12, 1}).view() == "12.1");
static_assert(parse_compute_capability("sm_100f") == compute_capability{10, 0, architecture_variant::family});
static_assert(!parse_compute_capability("sm_9"));

TEST(compute_capability, every_name_of_a_known_chip_reads_back)
{
    for (const sm_limits& row : sm_limits_table)
        for (auto variant :
             {architecture_variant::plain, architecture_variant::accelerated, architecture_variant::family}) {
            compute_capability capability = row.capability;
            capability.variant = variant;
            const std::string name(architecture_name(capability).view());
            EXPECT_EQ(parse_compute_capability(name), capability) << name;
            EXPECT_EQ(parse_compute_capability(name.substr(3)), capability) << name;
            EXPECT_EQ(parse_compute_capability("compute_" + name.substr(3)), capability) << name;
        }
    for (const sm_limits& row : sm_limits_table)
        EXPECT_EQ(parse_compute_capability(compute_capability_name(row.capability).view()), row.capability);
}

TEST(compute_capability, everything_else_is_refused)
{
    for (const char* text :
         {"",        "sm_", "sm",      "90b", "9",    "9.",    ".0",  "9.00", "0.1",     "09",       "sm_sm_90",
          "sm_90aa", "a",   "sm_1000", "-90", "9.0a", "123.4", " 90", "90 ",  "sm_90\n", "compute_", "99999999999999"})
        EXPECT_FALSE(parse_compute_capability(text)) << text;
}

TEST(sm_limits, the_table_is_ascending_and_unknown_chips_have_no_row)
{
    for (std::size_t i = 1; i < sm_limits_table.size(); ++i)
        EXPECT_LT(sm_limits_table[i - 1].capability, sm_limits_table[i].capability);
    for (compute_capability unknown :
         {compute_capability{1, 3}, {2, 2}, {7, 9}, {8, 1}, {9, 1}, {10, 2}, {10, 9}, {12, 2}, {13, 0}})
        EXPECT_EQ(find_sm_limits(unknown), nullptr);
    EXPECT_EQ(find_sm_limits({9, 0, architecture_variant::accelerated}), &sm_90);
}

}  // namespace
}  // namespace launchbox
