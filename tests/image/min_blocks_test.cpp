#include "flat_binary.hpp"

#include <gtest/gtest.h>

#include <array>

namespace launchbox {
namespace {

kernel_info cubin_kernel(const std::string& name, const std::string& architecture, const std::string& from, int threads,
                         int cap)
{
    kernel_info kernel;
    kernel.name = name;
    set_architecture(kernel, architecture);
    kernel.virtual_architecture = from;
    kernel.bounds.max_threads = std::array<int, 3>{threads, 1, 1};
    kernel.bounds.register_cap = cap;
    return kernel;
}

kernel_info ptx_kernel(const std::string& name, const std::string& architecture, int threads, std::optional<int> blocks)
{
    kernel_info kernel;
    kernel.name = name;
    set_architecture(kernel, architecture);
    kernel.virtual_architecture = architecture;
    kernel.bounds.max_threads = std::array<int, 3>{threads, 1, 1};
    kernel.bounds.min_blocks = blocks;
    return kernel;
}

// "4", "4 inferred" or "none" for the first kernel; `containers` are indices from 0.
std::string bound_of_first(std::vector<kernel_info> kernels, std::vector<std::size_t> containers = {})
{
    containers.resize(kernels.size());
    add_min_blocks_flat(kernels, containers);
    if (!kernels.at(0).bounds.min_blocks) return "none";
    return std::to_string(*kernels[0].bounds.min_blocks) + (kernels[0].bounds.min_blocks_inferred ? " inferred" : "");
}

TEST(min_blocks, ptx_that_it_was_compiled_from_is_exact)
{
    EXPECT_EQ(
        bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 64), ptx_kernel("k", "compute_90", 256, 4)}),
        "4");
    EXPECT_EQ(
        bound_of_first({cubin_kernel("k", "sm_90", "compute_80", 256, 64), ptx_kernel("k", "compute_80", 256, 4)}),
        "4");
    // It is exact even if the cap has another reason, as with -maxrregcount, and if there is no bound.
    EXPECT_EQ(
        bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 32), ptx_kernel("k", "compute_90", 256, 4)}),
        "4");
    EXPECT_EQ(
        bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 32), ptx_kernel("k", "compute_90", 256, {})}),
        "none");
}

TEST(min_blocks, maxnreg_is_read_from_ptx)
{
    kernel_info ptx = ptx_kernel("k", "compute_90", 256, {});
    ptx.bounds.requested_max_registers = 40;
    std::vector<kernel_info> kernels{cubin_kernel("k", "sm_90", "compute_90", 256, 40), ptx};
    add_min_blocks_flat(kernels, {0, 0});
    ASSERT_EQ(kernels.size(), 1u);
    EXPECT_EQ(kernels[0].bounds.requested_max_registers, 40);
    EXPECT_EQ(kernels[0].bounds.min_blocks, std::nullopt);  // not inferred from a cap that has another reason
}

TEST(min_blocks, it_is_inferred_from_the_cap_without_ptx)
{
    EXPECT_EQ(bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 64)}), "4 inferred");
    EXPECT_EQ(bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 255)}), "none");
    EXPECT_EQ(bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 1024, 64)}), "none");  // the cap of one block
    EXPECT_EQ(bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 63)}), "none");   // no bound gives this cap
    EXPECT_EQ(bound_of_first({cubin_kernel("k", "sm_20", "compute_20", 4096, 20)}), "none");
    EXPECT_EQ(bound_of_first({cubin_kernel("k", "", "", 256, 64)}), "none");
    kernel_info no_threads = cubin_kernel("k", "sm_90", "compute_90", 256, 64);
    no_threads.bounds.max_threads.reset();
    EXPECT_EQ(bound_of_first({no_threads}), "none");
    for (const int wrong : {0, -1, 2049, 1 << 30}) {
        kernel_info odd = cubin_kernel("k", "sm_90", "compute_90", 256, 64);
        odd.bounds.max_threads = std::array<int, 3>{wrong, wrong, wrong};
        EXPECT_EQ(bound_of_first({odd}), "none") << wrong;
    }
    kernel_info required = no_threads;
    required.bounds.required_threads = std::array<int, 3>{128, 2, 1};
    EXPECT_EQ(bound_of_first({required}), "4 inferred");
}

// Bounds can depend on __CUDA_ARCH__.
TEST(min_blocks, ptx_of_another_virtual_architecture_is_never_exact)
{
    const kernel_info kernel = cubin_kernel("k", "sm_90", "compute_90", 256, 64);
    EXPECT_EQ(bound_of_first({kernel, ptx_kernel("k", "compute_80", 256, 4)}), "4 inferred");
    // The cap of 5 blocks would be 48: it was another bound, which the cap shows.
    EXPECT_EQ(bound_of_first({kernel, ptx_kernel("k", "compute_80", 256, 5)}), "4 inferred");
    EXPECT_EQ(bound_of_first({kernel, ptx_kernel("k", "compute_80", 256, {})}), "4 inferred");
    EXPECT_EQ(
        bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 255), ptx_kernel("k", "compute_80", 256, 5)}),
        "none");
    // 15 and 16 blocks have the same cap: the value in the PTX is the better guess, but still a guess.
    const kernel_info small = cubin_kernel("k", "sm_90", "compute_90", 96, 40);
    EXPECT_EQ(bound_of_first({small, ptx_kernel("k", "compute_80", 96, 15)}), "15 inferred");
    EXPECT_EQ(bound_of_first({small}), "16 inferred");
    EXPECT_EQ(bound_of_first({kernel, ptx_kernel("k", "compute_90a", 256, 4)}), "4 inferred");
}

TEST(min_blocks, ptx_with_other_threads_belongs_to_another_kernel)
{
    EXPECT_EQ(
        bound_of_first({cubin_kernel("k", "sm_90", "compute_90", 256, 64), ptx_kernel("k", "compute_90", 128, 8)}),
        "4 inferred");
}

// Two sources with static kernels of the same name.
TEST(min_blocks, each_container_has_its_own_ptx)
{
    std::vector<kernel_info> kernels{
        cubin_kernel("k", "sm_90", "compute_90", 256, 255), ptx_kernel("k", "compute_90", 256, {}),
        cubin_kernel("k", "sm_90", "compute_90", 256, 64), ptx_kernel("k", "compute_90", 256, 4)};
    add_min_blocks_flat(kernels, {0, 0, 1, 1});
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].bounds.min_blocks, std::nullopt);
    EXPECT_EQ(kernels[1].bounds.min_blocks, 4);
    EXPECT_FALSE(kernels[1].bounds.min_blocks_inferred);
}

// PTX in another container may come from another source: it may be right, but that is not certain.
TEST(min_blocks, ptx_of_another_container_is_never_exact)
{
    const kernel_info kernel = cubin_kernel("k", "sm_90", "compute_90", 256, 64);
    EXPECT_EQ(bound_of_first({kernel, ptx_kernel("k", "compute_90", 256, 4)}, {0, 1}), "4 inferred");
    EXPECT_EQ(bound_of_first({kernel, ptx_kernel("k", "compute_90", 256, 8)}, {0, 1}), "4 inferred");
}

TEST(min_blocks, kernels_only_present_as_ptx_are_kept)
{
    std::vector<kernel_info> kernels{ptx_kernel("a", "compute_90", 256, 4), ptx_kernel("b", "compute_90", 128, 2),
                                     cubin_kernel("b", "sm_80", "compute_80", 128, 255),
                                     ptx_kernel("b", "compute_80", 128, 3), ptx_kernel("c", "compute_90", 64, {})};
    add_min_blocks_flat(kernels, {0, 0, 0, 0, 0});
    ASSERT_EQ(kernels.size(), 3u);
    EXPECT_EQ(kernels[0].name, "a");
    EXPECT_EQ(kernels[0].bounds.min_blocks, 4);
    EXPECT_EQ(kernels[1].architecture, "sm_80");
    EXPECT_EQ(kernels[1].bounds.min_blocks, 3);
    EXPECT_EQ(kernels[2].name, "c");
}

TEST(min_blocks, many_kernels_of_one_name_are_cheap)
{
    std::vector<kernel_info> kernels;
    for (int i = 0; i < 20'000; ++i) {
        kernels.push_back(ptx_kernel("k", "compute_" + std::to_string(i), 256, 4));
        kernels.push_back(cubin_kernel("k", "sm_90", "compute_90", 256, 64));
    }
    add_min_blocks_flat(kernels, std::vector<std::size_t>(kernels.size(), 0));
    EXPECT_EQ(kernels.size(), 20'000u);
}

}  // namespace
}  // namespace launchbox
