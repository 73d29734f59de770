// Registers that ptxas spills to shared memory are not included in what it reports as spills.
#include <gtest/gtest.h>

#include "image/cubin.hpp"
#include "ptxas_log.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

// A kernel with this many live values; `threads` and `blocks` limit the registers, and so determine the spills.
std::string source_of(int values, int threads, int blocks, bool pragma)
{
    const std::string n = std::to_string(values);
    return "extern \"C\" __global__ void __launch_bounds__(" + std::to_string(threads) + ", " + std::to_string(blocks) +
           ") k(float* p, int n)\n{\n" +
           (pragma ? "    asm volatile(\".pragma \\\"enable_smem_spilling\\\";\");\n" : "") + "    float v[" + n +
           "];\n#pragma unroll\n    for (int i = 0; i < " + n +
           "; ++i) v[i] = p[i * 64 + threadIdx.x];\n    for (int k = 0; k < n; ++k) {\n#pragma unroll\n        for "
           "(int "
           "i = 0; i < " +
           n + "; ++i) v[i] = v[i] * v[(i + 5) % " + n + "] + p[k];\n    }\n#pragma unroll\n    for (int i = 0; i < " +
           n + "; ++i) p[i * 64 + threadIdx.x] = v[i];\n}\n";
}

TEST(shared_spills, are_a_separate_figure)
{
    SKIP_WITHOUT_TOOLKIT();
    if (toolkit_version() < 130) GTEST_SKIP() << "ptxas spills to shared memory from CUDA 13.0 on";
    bool both = false, shared_alone = false;
    for (const char* architecture : {"sm_75", "sm_86", "sm_90", "sm_120"})
        for (const auto& [values, threads, blocks] :
             {std::tuple{64, 256, 4}, std::tuple{44, 128, 12}, std::tuple{100, 64, 16}}) {
            const compiled made = compile_cuda(source_of(values, threads, blocks, true), architecture);
            SCOPED_TRACE(std::string(architecture) + " " + std::to_string(values) + "\n" + made.log);
            ASSERT_EQ(made.exit_code, 0);
            const logged_kernel logged = parse_ptxas_log(made.log).kernels.at("k");
            const cubin_contents cubin = read_cubin(made.image, "k.cubin");
            ASSERT_EQ(cubin.kernels.size(), 1u);
            const kernel_info& kernel = cubin.kernels[0];
            EXPECT_EQ(kernel.figures.spill_store_bytes, logged.stores);
            EXPECT_EQ(kernel.figures.spill_load_bytes, logged.loads);
            ASSERT_TRUE(shared_spill_bytes(kernel));
            EXPECT_EQ(*shared_spill_bytes(kernel) > 0,
                      kernel.analysis.features.has(kernel_feature::shared_memory_spilling));
            both |= *shared_spill_bytes(kernel) > 0 && *spill_bytes(kernel) > 0;
            shared_alone |= *shared_spill_bytes(kernel) > 0 && *spill_bytes(kernel) == 0;
        }
    EXPECT_TRUE(both) << "no kernel spills to both: the test has to ask for more registers";
    EXPECT_TRUE(shared_alone) << "no kernel spills to shared memory alone";
}

TEST(shared_spills, are_none_without_the_pragma)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made = compile_cuda(source_of(64, 256, 4, false), "sm_90");
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const kernel_info kernel = read_cubin(made.image, "k.cubin").kernels.at(0);
    EXPECT_EQ(kernel.figures.shared_spill_store_bytes, 0);
    EXPECT_EQ(kernel.figures.shared_spill_load_bytes, 0);
    EXPECT_GT(spill_bytes(kernel), 0);
}

TEST(shared_spills, lines_sum_to_those_of_the_kernel)
{
    SKIP_WITHOUT_TOOLKIT();
    if (toolkit_version() < 130) GTEST_SKIP() << "ptxas spills to shared memory from CUDA 13.0 on";
    const compiled made = compile_cuda(source_of(64, 256, 4, true), "sm_90", {"-lineinfo"});
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const kernel_info kernel = read_cubin(made.image, "k.cubin", {.lines = wanted_lines::of_spills}).kernels.at(0);
    ASSERT_TRUE(kernel.analysis.lines && kernel.analysis.lines->told);
    EXPECT_TRUE(kernel.analysis.lines->all_spills);
    std::int64_t stores = 0, loads = 0, shared_stores = 0, shared_loads = 0;
    for (const line_use& use : kernel.analysis.lines->uses) {
        stores += use.spill_store_bytes;
        loads += use.spill_load_bytes;
        shared_stores += use.shared_spill_store_bytes;
        shared_loads += use.shared_spill_load_bytes;
    }
    EXPECT_EQ(kernel.figures.spill_store_bytes, stores);
    EXPECT_EQ(kernel.figures.spill_load_bytes, loads);
    EXPECT_EQ(kernel.figures.shared_spill_store_bytes, shared_stores);
    EXPECT_EQ(kernel.figures.shared_spill_load_bytes, shared_loads);
    EXPECT_GT(shared_stores, 0);
}

}  // namespace
}  // namespace launchbox
