// One kernel that was found several times.
#include "advice/check/checked_kernel.hpp"

#include <gtest/gtest.h>

#include "advice/check/baseline.hpp"

#include <algorithm>
#include <tuple>

#include "checked_kernels.hpp"

namespace launchbox {
namespace {

TEST(checked_kernel, after_linking_the_figures_of_nvlink_count)
{
    checked_kernel compiled = plain_kernel("k(int)"), linked = compiled;
    compiled.info.relocatable = true;
    compiled.info.figures.registers = 90;  // nvlink never lowers registers; the larger figure shows which one was used
    compiled.info.figures.spill_store_bytes = 8;
    compiled.info.figures.stack_frame_bytes = 24;
    linked.info.linked = true;
    linked.info.figures.registers = 50;
    linked.info.bounds.max_threads.reset();
    linked.info.figures.spill_store_bytes.reset();
    linked.info.figures.spill_load_bytes.reset();
    linked.info.figures.stack_frame_bytes.reset();
    for (const auto& found : {std::vector{compiled, linked}, std::vector{linked, compiled}}) {
        const std::vector<checked_kernel> merged = one_of_each(found);
        ASSERT_EQ(merged.size(), 1u);
        EXPECT_EQ(merged[0].info.figures.registers, 50);
        EXPECT_EQ(merged[0].info.figures.spill_store_bytes, 8);
        EXPECT_EQ(merged[0].info.figures.spill_load_bytes, 0);
        EXPECT_EQ(merged[0].info.figures.stack_frame_bytes, 24);
        EXPECT_TRUE(merged[0].info.bounds.max_threads);
        EXPECT_FALSE(merged[0].info.relocatable);
    }
    EXPECT_FALSE(one_of_each({linked})[0].info.figures.spill_store_bytes);
}

TEST(checked_kernel, kernels_with_other_names_files_or_architectures_are_not_merged)
{
    checked_kernel one = plain_kernel("k(int)"), two = plain_kernel("k(int)", "sm_90a"), three = plain_kernel("l(int)");
    checked_kernel four = one, five = one;
    four.info.demangled = five.info.demangled = "(anonymous namespace)::anon(int*)";
    four.info.name = "_ZN34_GLOBAL__N__89b8bf71_4_t_cu__Z1fPi4anonEPi";
    five.info.name = "_ZN34_GLOBAL__N__89b8bf71_4_u_cu__Z1fPi4anonEPi";
    const std::vector<checked_kernel> merged = one_of_each({five, three, two, four, one});
    ASSERT_EQ(merged.size(), 5u);
    EXPECT_EQ(merged[0].identity, "(anonymous namespace)::anon(int*) [t_cu]");
    EXPECT_EQ(merged[1].identity, "(anonymous namespace)::anon(int*) [u_cu]");
    EXPECT_EQ(merged[2].info.architecture, "sm_90");
    EXPECT_EQ(merged[3].info.architecture, "sm_90a");
    EXPECT_EQ(merged[4].identity, "l(int)");
}

TEST(checked_kernel, virtual_architectures_have_no_figures)
{
    EXPECT_TRUE(is_ptx(plain_kernel("k(int)", "compute_90").info));
    EXPECT_FALSE(is_ptx(plain_kernel("k(int)", "sm_90").info));
    EXPECT_FALSE(is_ptx(plain_kernel("k(int)", "").info));
}

TEST(checked_kernel, residency_needs_a_bound_registers_shared_memory_and_a_known_architecture)
{
    const checked_kernel kernel = plain_kernel("k(int)");
    EXPECT_EQ(residency_of(kernel.info), (residency{8, 256}));
    const auto without = [&](void (*change)(kernel_info&)) {
        kernel_info info = kernel.info;
        change(info);
        return residency_of(info);
    };
    EXPECT_FALSE(without([](kernel_info& info) { info.bounds.max_threads.reset(); }));
    EXPECT_FALSE(without([](kernel_info& info) { info.figures.registers.reset(); }));
    EXPECT_FALSE(without([](kernel_info& info) { info.figures.static_shared_bytes.reset(); }));
    EXPECT_FALSE(without([](kernel_info& info) { set_architecture(info, "sm_999"); }));
}

// Two units that were compiled for linking can differ in figures that the linker does not print.
TEST(checked_kernel, a_linked_kernel_has_the_figures_of_each_compiled_one)
{
    checked_kernel small = plain_kernel("k(int)"), large = small, linked = small;
    small.info.relocatable = large.info.relocatable = true;
    large.info.bounds.max_threads = {1024, 1, 1};
    large.info.figures.spill_store_bytes = 8;
    linked.info.linked = true;
    linked.info.figures.registers = 40;  // 1,536 threads in blocks of 256, 1,024 in one of 1,024
    linked.info.bounds.max_threads.reset();
    linked.info.figures.spill_store_bytes.reset();
    linked.info.figures.spill_load_bytes.reset();
    std::vector<checked_kernel> found{small, large, large, linked};
    const auto less = [](const checked_kernel& a, const checked_kernel& b) {
        return std::tie(a.info.linked, a.info.bounds.max_threads) < std::tie(b.info.linked, b.info.bounds.max_threads);
    };
    std::ranges::sort(found, less);
    do {
        const std::vector<checked_kernel> merged = one_of_each(found);
        ASSERT_EQ(merged.size(), 1u);
        EXPECT_EQ(merged[0].copies(), 2u);
        EXPECT_EQ(worst_spills(merged[0]).value, 8);
        EXPECT_EQ(entry_of(merged[0]).resident, (residency{1, 1024}));
    } while (std::ranges::next_permutation(found, less).found);
}

// A forged log can have many of both; not every pair is made.
TEST(checked_kernel, of_very_many_linked_copies_only_the_largest_is_kept)
{
    std::vector<checked_kernel> found;
    for (int i = 0; i < 3000; ++i) {
        checked_kernel compiled = plain_kernel("k(int)"), linked = compiled;
        compiled.info.relocatable = true;
        compiled.info.figures.spill_store_bytes = i;
        found.push_back(compiled);
        linked.info.linked = true;
        linked.info.figures.registers = 10 + i % 90;
        linked.info.figures.spill_store_bytes.reset();
        linked.info.figures.spill_load_bytes.reset();
        found.push_back(linked);
    }
    const std::vector<checked_kernel> merged = one_of_each(found);
    ASSERT_EQ(merged.size(), 1u);
    EXPECT_EQ(merged[0].copies(), 3000u);
    EXPECT_EQ(worst_spills(merged[0]).value, 2999);
    EXPECT_EQ(worst_registers(merged[0]).value, 99);
}

}  // namespace
}  // namespace launchbox
