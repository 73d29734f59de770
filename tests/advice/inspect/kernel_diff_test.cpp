// Two builds compared.
#include "advice/inspect/kernel_diff.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "known_kernels.hpp"

namespace launchbox {
namespace {

using kernels = std::vector<inspected_kernel>;

template <class Change>
inspected_kernel changed(const std::string& name, Change change)
{
    inspected_kernel kernel = known_kernel(name);
    change(kernel);
    return kernel;
}

// The only change between the two, or none.
template <class Change>
std::string verdict_of(Change change)
{
    const kernels before{known_kernel("k")}, after{changed("k", change)};
    const kernel_diff diff = compare_kernels(before, after);
    EXPECT_EQ(diff.compared, 1u);
    if (diff.changes.empty()) return "unchanged";
    static const char* figures[] = {"occupancy", "spills",   "shared_spills", "registers", "stack",
                                    "shared",    "barriers", "bounds",        "code"};
    static const char* verdicts[] = {"worse", "better", "changed"};
    return std::string(verdicts[static_cast<int>(diff.changes[0].verdict)]) + " by " +
           figures[static_cast<int>(diff.changes[0].decided_by)];
}

TEST(kernel_diff, spills_to_shared_memory_rank_below_those_to_local_memory)
{
    kernels before{known_kernel("k")}, after = before;
    before[0].info.figures.shared_spill_store_bytes = before[0].info.figures.shared_spill_load_bytes = 0;
    after[0].info.figures.shared_spill_store_bytes = 8;
    after[0].info.figures.shared_spill_load_bytes = 0;
    after[0].info.figures.registers = 39;
    const kernel_diff diff = compare_kernels(before, after);
    ASSERT_EQ(diff.changes.size(), 1u);
    EXPECT_EQ(diff.changes[0].decided_by, diff_figure::shared_spills);
    EXPECT_EQ(diff.changes[0].verdict, diff_verdict::worse);
}

TEST(kernel_diff, a_debug_build_is_not_compared_with_another)
{
    const kernels release{known_kernel("k")};
    kernels debug = release;
    debug[0].info.optimisation = code_optimisation::debug;
    EXPECT_EQ(compare_kernels(release, debug).debug_and_release.size(), 1u);
    EXPECT_EQ(compare_kernels(release, debug).compared, 0u);
    EXPECT_TRUE(compare_kernels(debug, debug).debug_and_release.empty());
}

TEST(kernel_diff, the_first_figure_that_differs_decides)
{
    EXPECT_EQ(verdict_of([](auto&) {}), "unchanged");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.registers = 41; }), "worse by registers");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.registers = 39; }), "better by registers");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.spill_load_bytes = 4; }), "worse by spills");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.spill_load_bytes = 4, k.info.figures.registers = 39; }),
              "worse by spills");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.stack_frame_bytes = 8; }), "worse by stack");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.static_shared_bytes = 8; }), "worse by shared");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.barriers = 2; }), "changed by barriers");
    EXPECT_EQ(verdict_of([](auto& k) { k.info.figures.code_bytes = 900; }), "changed by code");
    EXPECT_EQ(verdict_of([](auto& k) { k.residency->result.resident_warps -= 16; }), "worse by occupancy");
    EXPECT_EQ(verdict_of([](auto& k) {
                  k.residency->result.resident_warps += 16;  // gained by the spills
                  k.info.figures.spill_store_bytes = 100;
              }),
              "better by occupancy");
    EXPECT_EQ(verdict_of([](auto& k) {
                  k.info.figures.registers = 20;
                  k.info.figures.spill_store_bytes = 100;
              }),
              "worse by spills");
}

TEST(kernel_diff, figures_unknown_on_one_side_do_not_decide)
{
    EXPECT_EQ(
        verdict_of([](auto& k) { k.info.figures.spill_store_bytes = k.info.figures.spill_load_bytes = std::nullopt; }),
        "unchanged");
    const kernels known{known_kernel("k")},
        unknown{changed("k", [](auto& k) { k.info.figures.registers = std::nullopt; })};
    const kernel_diff diff = compare_kernels(unknown, known);
    EXPECT_EQ(diff.not_comparable, 1u);
    EXPECT_EQ(diff.unchanged, 0u);
}

TEST(kernel_diff, other_code_with_equal_figures_is_counted)
{
    const kernels before{known_kernel("a"), known_kernel("b"), known_kernel("c")};
    kernels after = before;
    after[0].info.figures.code_hash = 2;
    after[1].info.figures.code_hash = std::nullopt;
    const kernel_diff diff = compare_kernels(before, after);
    EXPECT_EQ(diff.unchanged, 3u);
    EXPECT_EQ(diff.code_changed, 1u);
    EXPECT_EQ(diff.code_unknown, 1u);
    EXPECT_TRUE(diff.changes.empty());
}

TEST(kernel_diff, the_worst_change_comes_first)
{
    const kernels before{known_kernel("a"), known_kernel("b"), known_kernel("c"), known_kernel("d"), known_kernel("e")};
    kernels after = before;
    after[0].info.figures.registers = 30;
    after[1].info.figures.registers = 41;
    after[2].info.figures.registers = 50;
    after[3].residency->result.resident_warps = 0;
    after[4].info.figures.code_bytes = 1;
    const kernel_diff diff = compare_kernels(before, after);
    std::string order;
    for (const kernel_change& change : diff.changes) order += change.after->info.short_form;
    EXPECT_EQ(order, "dcbae");
}

TEST(kernel_diff, kernels_are_matched_by_identity_and_architecture)
{
    const kernels before{known_kernel("a"), known_kernel("b"), known_kernel("c", 40, "sm_80")};
    const kernels after{known_kernel("b"), known_kernel("d"), known_kernel("c", 40, "sm_90")};
    const kernel_diff diff = compare_kernels(before, after);
    EXPECT_EQ(diff.compared, 1u);
    ASSERT_EQ(diff.vanished.size(), 2u);
    EXPECT_EQ(diff.vanished[0]->info.short_form, "a");
    EXPECT_EQ(diff.vanished[1]->info.architecture, "sm_80");
    ASSERT_EQ(diff.appeared.size(), 2u);
    EXPECT_EQ(diff.appeared[0]->info.short_form, "d");
    // The symbol of an internal kernel changes with every build; its identity does not.
    inspected_kernel old_build = known_kernel("_ZN43_GLOBAL__N__0ca2e3a5_4_a_cu_ef1c0f3c_1234561kEv");
    inspected_kernel new_build = known_kernel("_ZN43_GLOBAL__N__99999999_4_a_cu_11111111_1234561kEv");
    old_build.info.demangled = new_build.info.demangled = "(anonymous namespace)::k()";
    const kernels one{old_build}, other{new_build};
    EXPECT_EQ(compare_kernels(one, other).unchanged, 1u);
    // Figures of nvlink are not compared with those of ptxas.
    kernels linked{known_kernel("a")}, compiled{known_kernel("a")};
    linked[0].info.linked = true;
    compiled[0].info.relocatable = true;
    EXPECT_EQ(compare_kernels(linked, compiled).compared, 0u);
}

TEST(kernel_diff, copies_are_paired_by_code_and_then_by_size)
{
    const auto copy = [](std::int64_t bytes, std::uint64_t hash, int registers) {
        inspected_kernel kernel = known_kernel("k", registers);
        kernel.info.figures.code_bytes = bytes;
        kernel.info.figures.code_hash = hash;
        return kernel;
    };
    const kernels before{copy(300, 3, 30), copy(100, 1, 10), copy(200, 2, 20)};
    const kernels after{copy(210, 22, 20), copy(100, 1, 10), copy(310, 33, 31), copy(50, 5, 5)};
    const kernel_diff diff = compare_kernels(before, after);
    EXPECT_EQ(diff.compared, 3u);
    EXPECT_EQ(diff.unchanged, 1u);
    EXPECT_EQ(diff.copies_appeared, 1u);
    EXPECT_EQ(diff.copies_vanished, 0u);
    ASSERT_EQ(diff.changes.size(), 2u);
    // By size alone, the unchanged copy would have been paired with another.
    EXPECT_EQ(diff.changes[0].before->info.figures.code_bytes, 200);
    EXPECT_EQ(diff.changes[0].after->info.figures.code_bytes, 50);
    EXPECT_EQ(diff.changes[1].before->info.figures.code_bytes, 300);
    EXPECT_EQ(diff.changes[1].after->info.figures.code_bytes, 210);
    EXPECT_TRUE(diff.appeared.empty());
    // The same change of all copies is reported once.
    const kernels three(3, copy(100, 1, 10)), worse(3, copy(100, 2, 11));
    const kernel_diff same = compare_kernels(three, worse);
    ASSERT_EQ(same.changes.size(), 1u);
    EXPECT_EQ(same.changes[0].copies, 3u);
}

TEST(kernel_diff, ranges_of_spills_decide_if_they_do_not_overlap)
{
    std::vector<inspected_kernel> before{known_kernel("k")}, after = before;
    after[0].info.figures.spill_store_bytes = after[0].info.figures.spill_load_bytes = std::nullopt;
    after[0].info.figures.spills_between = {.min_stores = 100, .max_stores = 1000, .min_loads = 10, .max_loads = 100};
    const kernel_diff worse = compare_kernels(before, after);
    ASSERT_EQ(worse.changes.size(), 1u);
    EXPECT_EQ(worse.changes[0].verdict, diff_verdict::worse);
    EXPECT_EQ(worse.changes[0].decided_by, diff_figure::spills);
    EXPECT_EQ(worse.changes[0].amount, 110);
    before[0].info.figures.spill_store_bytes = 500;
    EXPECT_TRUE(compare_kernels(before, after).changes.empty());
}

TEST(kernel_diff, a_renamed_inline_namespace_does_not_make_kernels_new_or_gone)
{
    const auto kernel = [](const std::string& name, int registers = 40) {
        inspected_kernel made = known_kernel(name, registers);
        made.info.demangled = "void " + name + "(int*)";
        made.info.name = name;
        return made;
    };
    const std::string first = "cub::CUB_200500_900_NS::scan<cub::CUB_200500_900_NS::policy<256>, int>",
                      second = "cub::CUB_300000_900_NS::scan<cub::CUB_300000_900_NS::policy<256>, int>";
    const std::vector<inspected_kernel> before{kernel(first), kernel("mine::k")},
        after{kernel(second, 48), kernel("mine::k")};
    const kernel_diff diff = compare_kernels(before, after);
    EXPECT_EQ(diff.compared, 2u);
    EXPECT_EQ(diff.renamed, 1u);
    EXPECT_TRUE(diff.appeared.empty() && diff.vanished.empty());
    ASSERT_EQ(diff.changes.size(), 1u);
    EXPECT_EQ(diff.changes[0].verdict, diff_verdict::worse);
    // A name can be renamed with or without a version in it.
    EXPECT_EQ(compare_kernels({kernel("a::b::k")}, {kernel("a::c::k")}).renamed, 1u);
    // If both namespaces exist, they are two kernels.
    const kernel_diff two = compare_kernels({kernel("a::k"), kernel("b::other")}, {kernel("b::k"), kernel("a::more")});
    EXPECT_EQ(two.renamed, 0u);
    EXPECT_EQ(two.appeared.size(), 2u);
    // It is not known which of the two it was.
    EXPECT_EQ(compare_kernels({kernel("v1::k"), kernel("v2::k")}, {kernel("v3::k")}).renamed, 0u);
    // With another argument or architecture it is another kernel.
    EXPECT_EQ(compare_kernels({kernel("v1::k<int>")}, {kernel("v2::k<float>")}).renamed, 0u);
    inspected_kernel other = kernel("v2::k");
    set_architecture(other.info, "sm_80");
    EXPECT_EQ(compare_kernels({kernel("v1::k")}, {other}).renamed, 0u);
}

// Copies are paired by their content, not by position: in logs nothing else distinguishes them.
TEST(kernel_diff, a_hash_or_counter_in_a_name_does_not_make_kernels_new_or_gone)
{
    const kernels before{known_kernel("kernels::axpy::h0123456789abcdef"), known_kernel("cudapy::app::step$2417(int)"),
                         known_kernel("plain")};
    kernels after{known_kernel("kernels::axpy::hfedcba9876543210"), known_kernel("cudapy::app::step$9(int)"),
                  known_kernel("plain")};
    after[0].info.figures.registers = *after[0].info.figures.registers + 8;
    const kernel_diff diff = compare_kernels(before, after);
    EXPECT_EQ(diff.compared, 3u);
    EXPECT_EQ(diff.renumbered, 2u);
    EXPECT_TRUE(diff.appeared.empty() && diff.vanished.empty());
    ASSERT_EQ(diff.changes.size(), 1u);
    EXPECT_EQ(diff.changes[0].verdict, diff_verdict::worse);
    EXPECT_EQ(compare_kernels(before, before).renumbered, 0u);
}

TEST(kernel_diff, the_order_of_copies_changes_nothing)
{
    const auto copy = [](int registers, std::optional<std::uint64_t> code, int resident_warps) {
        return changed("k", [&](auto& k) {
            k.info.figures.registers = registers;
            k.info.figures.code_hash = code;
            k.residency->result.resident_warps = resident_warps;
        });
    };
    for (const bool hashed : {false, true}) {
        const auto code = [&](std::uint64_t number) { return hashed ? std::optional(number) : std::nullopt; };
        kernels before{copy(40, code(1), 48), copy(50, code(2), 40), copy(60, code(3), 32)}, after = before;
        const auto by_registers = [](const auto& a, const auto& b) {
            return a.info.figures.registers < b.info.figures.registers;
        };
        do {
            const kernel_diff same = compare_kernels(before, after);
            EXPECT_TRUE(same.changes.empty());
            EXPECT_EQ(same.unchanged, 3u);
            // An additional copy does not take the partner of another.
            kernels more = after;
            more.insert(more.begin() + 1, copy(45, code(4), 44));
            const kernel_diff added = compare_kernels(before, more);
            EXPECT_TRUE(added.changes.empty());
            EXPECT_EQ(added.copies_appeared, 1u);
            // The same code launched with more shared memory is worse.
            more = after;
            for (inspected_kernel& kernel : more)
                if (kernel.info.figures.registers == 50) kernel.residency->result.resident_warps = 8;
            const kernel_diff worse = compare_kernels(before, more);
            ASSERT_EQ(worse.changes.size(), 1u);
            EXPECT_EQ(worse.changes[0].verdict, diff_verdict::worse);
            EXPECT_EQ(worse.changes[0].decided_by, diff_figure::occupancy);
            EXPECT_EQ(worse.changes[0].before->info.figures.registers, 50);
        } while (std::next_permutation(after.begin(), after.end(), by_registers));
    }
}

}  // namespace
}  // namespace launchbox
