// Values that are derived from the figures of one kernel.
#include "image/kernel_info.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

TEST(kernel_info, the_name_of_the_architecture_is_parsed_once)
{
    kernel_info kernel;
    EXPECT_EQ(limits_of(kernel), nullptr);
    set_architecture(kernel, "sm_90a");
    ASSERT_TRUE(kernel.capability);
    EXPECT_EQ(*kernel.capability, (compute_capability{9, 0, architecture_variant::accelerated}));
    EXPECT_EQ(limits_of(kernel), find_sm_limits({9, 0}));
    EXPECT_FALSE(is_ptx(kernel));
    set_architecture(kernel, "compute_80");
    EXPECT_TRUE(is_ptx(kernel));
    EXPECT_EQ(kernel.capability, (compute_capability{8, 0}));
    set_architecture(kernel, "sm_999");  // a valid name, but of an unknown chip
    EXPECT_TRUE(kernel.capability);
    EXPECT_EQ(limits_of(kernel), nullptr);
    set_architecture(kernel, "sm_x");
    EXPECT_FALSE(kernel.capability);
    EXPECT_EQ(kernel.architecture, "sm_x");
}

TEST(kernel_info, architectures_are_ordered_by_number_and_unknown_names_come_last)
{
    const auto order = [](std::string_view name) { return architecture_order(parse_compute_capability(name), name); };
    EXPECT_LT(order("sm_90"), order("sm_100"));
    EXPECT_LT(order("sm_90"), order("sm_90a"));
    EXPECT_LT(order("sm_120"), order("another"));
    EXPECT_LT(order("another"), order("other"));
}

TEST(kernel_info, threads_of_the_bound_do_not_overflow)
{
    kernel_info kernel;
    EXPECT_FALSE(bound_threads(kernel) || cluster_blocks(kernel) || spill_bytes(kernel));
    kernel.bounds.max_threads = {1 << 30, 1 << 30, 1 << 30};
    EXPECT_EQ(bound_threads(kernel), 1 << 20);
    kernel.bounds.required_threads = {8, 4, 2};
    EXPECT_EQ(bound_threads(kernel), 64);
    kernel.bounds.cluster = {2, 2, 1};
    EXPECT_EQ(cluster_blocks(kernel), 4);
    kernel.figures.spill_store_bytes = 4;
    EXPECT_FALSE(spill_bytes(kernel));
    kernel.figures.spill_load_bytes = 8;
    EXPECT_EQ(spill_bytes(kernel), 12);
}

}  // namespace
}  // namespace launchbox
