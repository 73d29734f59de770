// Which kernels are shown, and in which order.
#include "advice/inspect/kernel_selection.hpp"

#include <gtest/gtest.h>

#include "known_kernels.hpp"

namespace launchbox {
namespace {

std::string names_of(const std::vector<inspected_kernel>& kernels)
{
    std::string names;
    for (const inspected_kernel& kernel : kernels) names += kernel.info.short_form;
    return names;
}

TEST(kernel_selection, spilling_kernels_are_kept_and_unknown_ones_counted)
{
    std::vector<inspected_kernel> kernels;
    for (const char* name : {"a", "b", "c", "d", "e"}) kernels.push_back(known_kernel(name));
    kernels[1].info.figures.spill_load_bytes = 4;
    kernels[2].info.figures.spill_store_bytes = kernels[2].info.figures.spill_load_bytes = std::nullopt;
    kernels[3].info.figures.spill_store_bytes = 8;
    kernels[3].info.figures.spill_load_bytes = std::nullopt;  // spills, whatever the loads are
    kernels[4].info.figures.spill_load_bytes = std::nullopt;  // stores 0, loads unknown
    const kernel_selection chosen = select_kernels(kernels, {.spilling = true, .sort = {}, .top = {}});
    EXPECT_EQ(names_of(kernels), "bd");
    EXPECT_EQ(chosen.spills_unknown, 2u);
    EXPECT_EQ(chosen.not_shown, 0u);
}

TEST(kernel_selection, costs_descend_occupancy_ascends_unknown_is_last_and_the_sort_is_stable)
{
    const auto sorted = [](sort_key key, auto change) {
        std::vector<inspected_kernel> kernels;
        for (const char* name : {"a", "b", "c", "d"}) kernels.push_back(known_kernel(name));
        change(kernels);
        EXPECT_EQ(select_kernels(kernels, {.spilling = false, .sort = key, .top = {}}).not_shown, 0u);
        return names_of(kernels);
    };
    const auto set = [](auto member) {
        return [member](auto& kernels) {
            kernels[0].info.figures.*member = std::nullopt;
            kernels[1].info.figures.*member = 1;
            kernels[2].info.figures.*member = 7;
            kernels[3].info.figures.*member = 7;
        };
    };
    EXPECT_EQ(sorted(sort_key::registers, set(&kernel_figures::registers)), "cdba");
    EXPECT_EQ(sorted(sort_key::stack, set(&kernel_figures::stack_frame_bytes)), "cdba");
    EXPECT_EQ(sorted(sort_key::shared, set(&kernel_figures::static_shared_bytes)), "cdba");
    EXPECT_EQ(sorted(sort_key::code, set(&kernel_figures::code_bytes)), "cdba");
    EXPECT_EQ(sorted(sort_key::spills, set(&kernel_figures::spill_load_bytes)), "cdba");
    EXPECT_EQ(sorted(sort_key::occupancy,
                     [](auto& kernels) {
                         kernels[0].residency = std::nullopt;
                         kernels[1].residency->result.resident_warps = 32;
                         kernels[2].residency->result.resident_warps = 0;
                     }),
              "cbda");
    EXPECT_EQ(sorted(sort_key::name, [](auto& kernels) { kernels[0].info.short_form = "z"; }), "bcdz");
}

TEST(kernel_selection, top_keeps_the_first_and_counts_the_rest)
{
    std::vector<inspected_kernel> kernels{known_kernel("a", 10), known_kernel("b", 30), known_kernel("c", 20)};
    EXPECT_EQ(select_kernels(kernels, {.spilling = false, .sort = sort_key::registers, .top = 2}).not_shown, 1u);
    EXPECT_EQ(names_of(kernels), "bc");
    EXPECT_EQ(select_kernels(kernels, {.spilling = false, .sort = {}, .top = 2}).not_shown, 0u);
}

TEST(kernel_selection, every_name_of_an_order_is_read_back)
{
    for (const std::string& word : sort_keys()) EXPECT_EQ(sort_key_name(parse_sort_key(word).value()), word);
    EXPECT_EQ(sort_keys().size(), 7u);
    EXPECT_FALSE(parse_sort_key("regs"));
}

TEST(inspected_kernel, its_residency_is_that_of_its_account)
{
    for (int registers : {16, 40, 128, 255}) {
        const inspected_kernel kernel = known_kernel("k", registers);
        const kernel_account account = account_of(kernel);
        ASSERT_TRUE(kernel.residency && account.occupancy);
        EXPECT_EQ(kernel.residency->result.resident_blocks, account.occupancy->result.resident_blocks);
        EXPECT_EQ(kernel.residency->result.occupancy(), account.occupancy->result.occupancy());
        EXPECT_EQ(account.occupancy->question.kernel, "k");
    }
    EXPECT_FALSE(inspected(known_kernel("k").info, std::nullopt).residency);
    EXPECT_FALSE(inspected(known_kernel("k", 224).info, 288).residency->launches());
}

TEST(kernel_selection, a_kernel_with_only_a_range_of_spills_is_not_hidden)
{
    std::vector<inspected_kernel> kernels;
    for (const char* name : {"a", "b", "c", "d"}) kernels.push_back(known_kernel(name));
    kernels[1].info.figures.spill_store_bytes = 5000;
    for (const std::size_t i : {2u, 3u})
        kernels[i].info.figures.spill_store_bytes = kernels[i].info.figures.spill_load_bytes = std::nullopt;
    kernels[2].info.figures.spills_between = {.min_stores = 40, .max_stores = 90000, .min_loads = 0, .max_loads = 8};
    kernels[3].info.figures.spills_between = {.min_stores = 0, .max_stores = 40000, .min_loads = 0, .max_loads = 8};
    std::vector<inspected_kernel> sorted = kernels;
    select_kernels(sorted, {.spilling = false, .sort = sort_key::spills, .top = {}});
    EXPECT_EQ(names_of(sorted), "cdba");
    EXPECT_EQ(select_kernels(kernels, {.spilling = true, .sort = {}, .top = {}}).spills_unknown, 1u);
    EXPECT_EQ(names_of(kernels), "cb");  // the worst first, whatever the order in the file
}

TEST(kernel_selection, the_stack_of_called_functions_counts)
{
    std::vector<inspected_kernel> kernels;
    for (const char* name : {"a", "b", "c"}) kernels.push_back(known_kernel(name));
    kernels[1].info.figures.stack_frame_bytes = 16;
    kernels[2].info.figures.cumulative_stack_bytes = 304;
    select_kernels(kernels, {.spilling = false, .sort = sort_key::stack, .top = {}});
    EXPECT_EQ(names_of(kernels), "cba");
}

}  // namespace
}  // namespace launchbox
