// The summary of one input.
#include "advice/inspect/kernel_summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "image/gpu_coverage.hpp"
#include "known_kernels.hpp"

namespace launchbox {
namespace {

kernel_summary summary_of(const std::vector<inspected_kernel>& kernels, const std::vector<binary_image>& images)
{
    std::vector<const inspected_kernel*> pointers;
    for (const inspected_kernel& kernel : kernels) pointers.push_back(&kernel);
    return summarize(pointers, images);
}

binary_image image(const std::string& architecture, const std::string& kind = "cubin",
                   const std::string& container = "fatbin at byte 64")
{
    return {.container = container,
            .entry = "",
            .kind = kind,
            .architecture = architecture,
            .capability = parse_compute_capability(architecture),
            .compression = "zstd",
            .offset = 0,
            .stored_bytes = 10,
            .bytes = 100,
            .relocatable = false,
            .kernels = 1};
}

gpu_support support(const kernel_summary& summary, const compute_capability& gpu)
{
    const auto found =
        std::find_if(summary.gpus.begin(), summary.gpus.end(), [&](const auto& entry) { return entry.gpu == gpu; });
    if (found == summary.gpus.end()) throw std::runtime_error("no such GPU");
    return *found;
}

TEST(kernel_summary, adds_up_by_architecture)
{
    std::vector<inspected_kernel> kernels{known_kernel("a", 40), known_kernel("b", 64), known_kernel("a", 40, "sm_80"),
                                          known_kernel("a", 50)};
    kernels[1].info.figures.spill_store_bytes = 8;
    kernels[1].info.figures.spill_load_bytes = 12;
    kernels[2].info.figures.spill_store_bytes = std::nullopt;
    kernels[2].info.figures.code_bytes = std::nullopt;
    kernels[2].info.toolkit_version = 123;
    kernels[3].info.relocatable = true;
    binary_image relocatable = image("sm_90");
    relocatable.relocatable = true;
    const kernel_summary summary = summary_of(
        kernels, {image("sm_90"), image("sm_90"), image("sm_80"), relocatable, image("compute_90", "LTO-IR")});
    EXPECT_EQ(summary.kernels, 4u);
    EXPECT_EQ(summary.unique_kernels, 2u);
    ASSERT_EQ(summary.architectures.size(), 4u);
    EXPECT_EQ(summary.architectures[0].architecture, "sm_80");
    EXPECT_EQ(summary.architectures[0].code_unknown, 1u);
    EXPECT_EQ(summary.architectures[0].spills_unknown, 1u);
    const architecture_summary& sm_90 = summary.architectures[1];
    EXPECT_EQ(sm_90.architecture, "sm_90");
    EXPECT_EQ(sm_90.images, 2u);
    EXPECT_EQ(sm_90.stored_bytes, 20u);
    EXPECT_EQ(sm_90.bytes, 200u);
    EXPECT_EQ(sm_90.kernels, 2u);
    EXPECT_EQ(sm_90.unique_kernels, 2u);
    EXPECT_EQ(sm_90.code_bytes, 2000);
    EXPECT_EQ(sm_90.spilling, 1u);
    EXPECT_EQ(sm_90.spill_store_bytes, 8);
    EXPECT_EQ(sm_90.spill_load_bytes, 12);
    EXPECT_EQ(sm_90.largest_registers, 64);
    EXPECT_EQ(summary.architectures[2].kind, "LTO-IR");
    EXPECT_TRUE(summary.architectures[3].relocatable);
    const std::vector<std::pair<int, std::size_t>> toolkits{{123, 1}, {130, 3}};
    EXPECT_EQ(summary.toolkits, toolkits);
}

TEST(kernel_summary, copies_have_the_same_code_and_others_only_the_same_name)
{
    std::vector<inspected_kernel> kernels;
    for (int i = 0; i < 3; ++i) kernels.push_back(known_kernel("copied"));
    for (const std::uint64_t code : {1u, 2u}) {
        kernels.push_back(known_kernel("differing"));
        kernels.back().info.figures.code_hash = code;
    }
    kernels.push_back(known_kernel("copied", 40, "sm_80"));  // another architecture
    kernels.push_back(known_kernel("copied"));               // linked into the others
    kernels.back().info.relocatable = true;
    kernels.push_back(known_kernel("unknown"));
    kernels.back().info.figures.code_hash = std::nullopt;
    const kernel_summary summary = summary_of(kernels, {});
    ASSERT_EQ(summary.copies.size(), 1u);
    EXPECT_EQ(summary.copies[0].short_form, "copied");
    EXPECT_EQ(summary.copies[0].times, 3u);
    EXPECT_EQ(summary.copies[0].bytes, 2000);
    ASSERT_EQ(summary.differing.size(), 1u);
    EXPECT_EQ(summary.differing[0].short_form, "differing");
    EXPECT_EQ(summary.differing[0].times, 2u);
    EXPECT_EQ(summary.code_not_compared, 1u);
    EXPECT_TRUE(summary.gpus.empty());
}

// Two files can have a kernel of the same name in an anonymous namespace; the symbol names the file.
TEST(kernel_summary, kernels_of_the_same_name_in_two_files_are_two)
{
    inspected_kernel a = known_kernel("_ZN43_GLOBAL__N__0ca2e3a5_4_a_cu_ef1c0f3c_1234561kEv");
    inspected_kernel b = known_kernel("_ZN43_GLOBAL__N__0ca2e3a5_4_b_cu_ef1c0f3c_1234561kEv");
    a.info.demangled = b.info.demangled = "(anonymous namespace)::k()";
    const kernel_summary summary = summary_of({a, b}, {});
    EXPECT_EQ(summary.unique_kernels, 2u);
    EXPECT_TRUE(summary.copies.empty());
}

TEST(kernel_summary, lists_which_gpus_run_it_and_how)
{
    inspected_kernel only_ptx = known_kernel("p", 40, "compute_80");
    only_ptx.info.figures.registers = std::nullopt;
    only_ptx.info.source.container = "another";
    inspected_kernel relocatable = known_kernel("r", 40, "sm_75");
    relocatable.info.relocatable = true;
    const kernel_summary summary =
        summary_of({known_kernel("a"), only_ptx, relocatable},
                   {image("sm_90"), image("compute_90", "PTX"), image("compute_80", "PTX", "another")});
    EXPECT_EQ(summary.runnable, 2u);
    EXPECT_EQ(summary.only_ptx, 1u);
    EXPECT_EQ(support(summary, {9, 0}).by_cubin, 1u);
    EXPECT_EQ(support(summary, {9, 0}).by_ptx, 1u);
    EXPECT_EQ(support(summary, {12, 0}).by_ptx, 2u);
    EXPECT_EQ(support(summary, {8, 6}).by_cubin, 0u);
    EXPECT_EQ(support(summary, {8, 6}).by_ptx, 1u);
    EXPECT_EQ(support(summary, {7, 5}).by_cubin, 0u);  // relocatable code does not run
    EXPECT_EQ(support(summary, {7, 5}).by_ptx, 0u);
    EXPECT_EQ(summary.on_later_gpus, 2u);
    EXPECT_EQ(summary.ptx, (std::vector<ptx_summary>{{"compute_80", where_ptx_runs({8, 0})},
                                                     {"compute_90", where_ptx_runs({9, 0})}}));
    EXPECT_EQ(summary_of({known_kernel("a")}, {image("sm_90")}).on_later_gpus, 0u);
}

}  // namespace
}  // namespace launchbox
