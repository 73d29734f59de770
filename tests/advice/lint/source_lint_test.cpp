// Mistakes around kernels in source text, each with a similar text without the mistake; and the toolkit's headers,
// which have none.
#include "advice/lint/source_lint.hpp"

#include "advice/lint/block_size_use.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

kernel_info bounded(std::optional<int> bound, const char* architecture = "sm_90")
{
    kernel_info info;
    set_architecture(info, architecture);
    if (bound) info.bounds.max_threads = {*bound, 1, 1};
    return info;
}

std::vector<diagnosis> found(std::string_view text, const std::vector<linted_kernel>& kernels = {},
                             const std::vector<std::string>& flags = {})
{
    return lint_source({.file = "k.cu", .text = text, .kernels = kernels, .flags = flags});
}

// "id:line" of each.
std::string places(std::string_view text, const std::vector<linted_kernel>& kernels = {},
                   const std::vector<std::string>& flags = {})
{
    std::string result;
    for (const diagnosis& finding : found(text, kernels, flags)) {
        EXPECT_FALSE(finding.message.empty() || finding.fix.empty());
        EXPECT_EQ(finding.place ? finding.place->file : "k.cu", "k.cu");
        result +=
            fmt::format("{}{}:{}", result.empty() ? "" : " ", finding.id, finding.place ? finding.place->line : 0);
    }
    return result;
}

const std::string by_arch = "#if __CUDA_ARCH__ >= 900\n#define T 512\n#else\n#define T 256\n#endif\n";

TEST(source_lint, a_launch_with_a_constant_chosen_by_cuda_arch)
{
    const std::vector<diagnosis> one = found(by_arch + "void f() { k<<<1, T>>>(); }\n");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].id, "host_reads_cuda_arch");
    EXPECT_EQ(one[0].level, severity::error);
    EXPECT_EQ(one[0].place, (source_location{"k.cu", 6}));
    EXPECT_EQ(one[0].message,
              "this launch uses T, which __CUDA_ARCH__ chooses on line 4: the host has no __CUDA_ARCH__ and uses 256 "
              "for every GPU; device code has 512 where __CUDA_ARCH__ >= 900");
    const std::string launched = "host_reads_cuda_arch:6";
    EXPECT_EQ(places(by_arch + "void f() { k<<<n / T, 32>>>(); }"), launched);
    EXPECT_EQ(places("#define B (T * 2)\n" + by_arch + "void f() { k<<<1, B>>>(); }"), "host_reads_cuda_arch:7");
    EXPECT_EQ(places("#if __CUDA_ARCH__ >= 900\nconstexpr int t = 512;\n#else\nconstexpr int t = 256;\n#endif\n"
                     "void f() { k<<<1, t>>>(); }"),
              launched);
    EXPECT_EQ(places("#ifdef __CUDA_ARCH__\n#define T 512\n#else\n#define T 256\n#endif\nvoid f() { k<<<1, T>>>(); }"),
              launched);
    EXPECT_EQ(places("#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && X\n#define T 512\n#else\n#define T 256\n"
                     "#endif\nvoid f() { k<<<1, T>>>(); }"),
              launched);
    // In a host function it is a warning.
    const std::vector<diagnosis> use = found(by_arch + "int f() { return T; }\n");
    ASSERT_EQ(use.size(), 1u);
    EXPECT_EQ(use[0].level, severity::warning);
}

TEST(source_lint, harmless_constants_by_cuda_arch)
{
    for (const std::string& text :
         {by_arch + "__global__ void __launch_bounds__(T) k() { int x = T; }\nvoid f() { k<<<1, 256>>>(); }",
          by_arch + "__host__ __device__ int f() { return T; }", by_arch + "constexpr int f() { return T; }",
          by_arch + "MY_API int f() { return T; }", by_arch + "__global__ void k() { c<<<1, T>>>(); }",
          std::string(
              "#if __CUDA_ARCH__ >= 900\n#define T 256\n#else\n#define T 256\n#endif\nvoid f() { k<<<1, T>>>(); }"),
          std::string("#if __CUDA_ARCH__ >= 900\n#define T 512\n#endif\nvoid f() { k<<<1, T>>>(); }"),
          std::string("#if X >= 900\n#define T 512\n#else\n#define T 256\n#endif\nvoid f() { k<<<1, T>>>(); }"),
          // X decides which branch the host takes.
          std::string("#if __CUDA_ARCH__ >= 900 || X\n#define T 512\n#else\n#define T 256\n#endif\n"
                      "void f() { k<<<1, T>>>(); }"),
          std::string(
              "#ifdef __CUDA_ARCH__\n#if __CUDA_ARCH__ >= 900\n#define T 512\n#else\n#define T 256\n#endif\n#endif\n"
              "void f() { k<<<1, T>>>(); }"),
          std::string("#if __CUDA_ARCH__ >= 900\n#define LDG(x) __ldg(x)\n#else\n#define LDG(x) x\n#endif\n"
                      "int f() { return LDG(1); }")})
        EXPECT_EQ(places(text), "") << text;
}

TEST(source_lint, early_launches_of_kernels_that_never_wait)
{
    kernel_info waits = bounded({}), not_yet = bounded({}), unknown = bounded({});
    waits.launches.waits_for_grid = true;
    not_yet.launches.waits_for_grid = false;
    const std::string ours = "\nvoid f() { launch<k>({.blocks = 1, .programmatic_dependent_launch = true}); }";
    const std::string runtime = "\nvoid f() { attribute.val.programmaticStreamSerializationAllowed = 1; }";
    for (const std::string& text : {ours, runtime}) {
        EXPECT_EQ(places(text, {{"k", &not_yet}}), "no_kernel_waits:2");
        EXPECT_EQ(places(text, {{"k", &not_yet}, {"k", &waits}}), "");
        EXPECT_EQ(places(text, {{"k", &unknown}}), "");  // the code is for 8.0, or unknown
        EXPECT_EQ(places(text), "");
    }
    for (const char* text : {"bool programmatic_dependent_launch = false;", "x.programmatic_dependent_launch = given;",
                             "// programmatic_dependent_launch = true"})
        EXPECT_EQ(places(text, {{"k", &not_yet}}), "") << text;
}

TEST(source_lint, an_if_on_cuda_arch_in_a_host_function)
{
    const std::vector<diagnosis> one = found(
        "void f() {\n int t;\n#if __CUDA_ARCH__ >= 900\n t = 512;\n#else\n t = 256;\n#endif\n k<<<1, t>>>();\n}\n");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].id, "host_reads_cuda_arch");
    EXPECT_EQ(one[0].level, severity::error);
    EXPECT_EQ(one[0].place->line, 3);
    EXPECT_EQ(one[0].message,
              "host code uses __CUDA_ARCH__, which is only defined in device code: it compiles what follows line 5, "
              "for every GPU; a launch depends on it");
    EXPECT_EQ(places("void f() {\n#if __CUDA_ARCH__ >= 900\n k<<<1, 512>>>();\n#endif\n}"), "host_reads_cuda_arch:2");
    EXPECT_EQ(places("void f() {\n#ifdef __CUDA_ARCH__\n k<<<1, 512>>>();\n#else\n k<<<1, 2>>>();\n#endif\n}"),
              "host_reads_cuda_arch:2");
    EXPECT_EQ(found("void f() {\n#if __CUDA_ARCH__ >= 900\n g();\n#endif\n}").at(0).level, severity::warning);
}

TEST(source_lint, ordinary_uses_of_cuda_arch)
{
    for (const char* text : {"__device__ void f() {\n#if __CUDA_ARCH__ >= 900\n g();\n#endif\n}",
                             "__global__ void f() {\n#if __CUDA_ARCH__ >= 900\n g();\n#endif\n}",
                             "__host__ __device__ void f() {\n#ifdef __CUDA_ARCH__\n g();\n#else\n h();\n#endif\n}",
                             "__host__ __device__ void f() {\n#if __CUDA_ARCH__ >= 700\n g();\n#endif\n}",
                             "void f() {\n#ifndef __CUDA_ARCH__\n g();\n#endif\n}",
                             "void f() {\n#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900\n g();\n#endif\n}",
                             "void f() {\n#ifdef __CUDA_ARCH__\n#if __CUDA_ARCH__ >= 900\n g();\n#endif\n#endif\n}",
                             "void f() { g([=] __device__ (int i) {\n#if __CUDA_ARCH__ >= 900\n h();\n#endif\n }); }",
                             "_CCCL_HOST_DEVICE void f() {\n#if __CUDA_ARCH__ >= 900\n g();\n#endif\n}",
                             "#if __CUDA_ARCH__ >= 900\nvoid f() {}\n#endif\n",
                             "struct __align__(16) s {\n#if __CUDA_ARCH__ >= 900\n int x;\n#endif\n};",
                             "// #if __CUDA_ARCH__\nconst char* s = R\"(\n#if __CUDA_ARCH__ >= 1\n)\";\nvoid f() {}"})
        EXPECT_EQ(places(text), "") << text;
}

TEST(source_lint, a_launch_above_the_bound)
{
    const kernel_info small = bounded(128), large = bounded(256), none = bounded(std::nullopt);
    const std::vector<linted_kernel> one{{"a::merge", &small}};
    const std::vector<diagnosis> finding = found("void f() {\n merge<<<1, 256>>>(); }", one);
    ASSERT_EQ(finding.size(), 1u);
    EXPECT_EQ(finding[0].id, "launch_over_bound");
    EXPECT_EQ(finding[0].place, (source_location{"k.cu", 2}));
    EXPECT_EQ(finding[0].message,
              "merge is launched with 256 threads per block, but compiled for at most 128: the launch fails");
    EXPECT_EQ(finding[0].fix, "launch at most 128 threads, or write __launch_bounds__(256)");
    kernel_info clustered = small;
    clustered.bounds.max_cluster_blocks = 4;
    EXPECT_EQ(found("merge<<<1, 256>>>();", {{"a::merge", &clustered}}).at(0).fix,
              "launch at most 128 threads, or write __launch_bounds__(256, 0, 4)");
    EXPECT_EQ(places("merge<<<1, 128>>>();", one), "");
    EXPECT_EQ(places("scan<<<1, 256>>>();", one), "");
    EXPECT_EQ(places("a::merge<int> <<<1, dim3(16, 16)>>>();", one), "launch_over_bound:1");
    EXPECT_EQ(places("#if X\nmerge<<<1, 256>>>();\n#endif", one), "");
    // Several instantiations and architectures.
    const std::vector<linted_kernel> two{{"merge<int>", &small}, {"merge<float>", &large}};
    EXPECT_EQ(places("merge<int><<<1, 256>>>();", two), "launch_over_bound:1");
    EXPECT_EQ(places("merge<float><<<1, 256>>>();", two), "");
    EXPECT_EQ(places("merge<<<1, 256>>>(p);", two), "");  // it may be the other instantiation
    EXPECT_EQ(places("merge<<<1, 512>>>(p);", two), "launch_over_bound:1");
    // The user asks for one of them: the other counts nevertheless.
    EXPECT_EQ(places("merge<float><<<1, 256>>>();", {{"merge<int>", &small}, {"merge<float>", &large, false}}), "");
    EXPECT_EQ(places("merge<int><<<1, 512>>>();", {{"merge<int>", &small}, {"merge<float>", &large, false}}),
              "launch_over_bound:1");
    EXPECT_EQ(places("merge<<<1, 512>>>();", {{"merge", &small, false}}), "");
    const std::vector<linted_kernel> free{{"merge<int>", &small}, {"merge<float>", &none}};
    EXPECT_EQ(places("merge<<<1, 512>>>(p);", free), "");
    EXPECT_EQ(places("merge<int><<<1, 512>>>();", free), "launch_over_bound:1");
    EXPECT_EQ(places("merge<int><<<1, 2048>>>();", free), "launch_over_1024:1");
    EXPECT_EQ(places("k<<<1, dim3(32, 64)>>>();"), "launch_over_1024:1");
    EXPECT_EQ(places("k<<<1, dim3(32, 32)>>>();"), "");
}

// A compiled kernel with these figures.
kernel_info compiled(int registers, std::int64_t static_shared = 0, const char* architecture = "sm_90")
{
    kernel_info info = bounded(std::nullopt, architecture);
    info.figures.registers = registers;
    info.figures.static_shared_bytes = static_shared;
    info.figures.barriers = 1;
    return info;
}

TEST(source_lint, a_launch_with_more_registers_than_a_block_can_have)
{
    const kernel_info wide = compiled(96), narrow = compiled(64);
    const std::vector<diagnosis> finding = found("void f() { k<<<n, 1024>>>(); }", {{"k", &wide}});
    ASSERT_EQ(finding.size(), 1u);
    EXPECT_EQ(finding[0].id, "launch_fails");
    EXPECT_EQ(finding[0].level, severity::error);
    EXPECT_EQ(finding[0].message,
              "k is launched with 1,024 threads per block, and with its 96 registers per thread that is too many: "
              "98,304 registers, and a block has at most 65,536: the launch fails");
    EXPECT_EQ(finding[0].fix,
              "launch at most 640 threads, or compile with __launch_bounds__(1024) (at most 64 registers)");
    EXPECT_EQ(places("void f() { k<<<n, 640>>>(); }", {{"k", &wide}}), "");
    EXPECT_EQ(places("void f() { k<<<n, 1024>>>(); }", {{"k", &narrow}}), "");
    // The launch check rounds the warps up to whole sub-partitions: 9 warps count as 12.
    const kernel_info odd = compiled(224);
    EXPECT_EQ(places("void f() { k<<<n, 288>>>(); }", {{"k", &odd}}), "launch_fails:1");
    // On one of two architectures, and there only under a condition, which may check the GPU.
    const kernel_info other = compiled(64, 0, "sm_80");
    const std::vector<linted_kernel> both{{"k", &wide}, {"k", &other}};
    const std::vector<diagnosis> one = found("void f() { k<<<n, 1024>>>(); }", both);
    ASSERT_EQ(one.size(), 1u);
    EXPECT_TRUE(one[0].message.ends_with("the launch fails on sm_90")) << one[0].message;
    EXPECT_EQ(one[0].level, severity::error);
    for (const char* guarded :
         {"void f() { if (major < 9) k<<<n, 1024>>>(); }", "void f() { if (major < 9) { k<<<n, 1024>>>(); } }",
          "void f() { switch (major) { case 8: k<<<n, 1024>>>(); } }"})
        EXPECT_EQ(found(guarded, both).at(0).level, severity::warning) << guarded;
    // A launch through a variable that holds the kernel; and an instance whose own argument gives the threads.
    EXPECT_EQ(places("void f() { auto kernel = &k; kernel<<<n, 1024>>>(); }", {{"k", &wide}}), "launch_fails:1");
    EXPECT_EQ(
        places("void f() { cudaLaunchKernel((const void*)&k<int, 3>, 1, 1024, args, 0, s); }", {{"k<int, 3>", &wide}}),
        "launch_fails:1");
    // If a launch does not spell out the instance and only one exists, it is that one.
    EXPECT_EQ(
        block_size_uses(
            {.file = "k.cu", .text = "void f() { k<<<n, 64>>>(p); }", .kernels = {{"k<int>", &wide}}, .flags = {}})
            .at(0)
            .threads,
        64);
    const std::string by_argument = "template <int T> void f() { k<T><<<n, T>>>(); }";
    EXPECT_EQ(places(by_argument, {{"k<512>", &wide}}), "");
    EXPECT_EQ(places(by_argument, {{"k<512>", &wide}, {"k<1024>", &wide}}), "launch_fails:1");
}

TEST(source_lint, dynamic_shared_memory_that_needs_an_attribute)
{
    const kernel_info plain = compiled(32), with = compiled(32, 1024), old = compiled(32, 0, "sm_75");
    const std::string launch = "k<<<n, 256, 64 * 1024>>>(); }";
    const std::vector<diagnosis> finding = found("void f() { " + launch, {{"k", &plain}});
    ASSERT_EQ(finding.size(), 1u);
    EXPECT_EQ(finding[0].id, "launch_needs_opt_in");
    EXPECT_EQ(finding[0].message,
              "k is launched with 65,536 B of dynamic shared memory: more than 49,152 B need "
              "cudaFuncAttributeMaxDynamicSharedMemorySize, which is not set here: the launch fails; with it, an SM "
              "of sm_90 "
              "holds 3 blocks of 256 threads, 37.5 %");
    EXPECT_EQ(finding[0].fix, "before it, cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536)");
    const std::string allowed = "void f() { cudaFuncSetAttribute(";
    const std::string attribute = ", cudaFuncAttributeMaxDynamicSharedMemorySize, ";
    EXPECT_EQ(places(allowed + "k" + attribute + "65536); " + launch, {{"k", &plain}}), "");
    EXPECT_EQ(places(allowed + "(const void*)k" + attribute + "bytes); " + launch, {{"k", &plain}}), "");
    EXPECT_EQ(places(allowed + "kernel" + attribute + "65536); " + launch, {{"k", &plain}}), "");  // any kernel
    EXPECT_EQ(places(allowed + "k" + attribute + "50000); " + launch, {{"k", &plain}}), "launch_needs_opt_in:1");
    EXPECT_EQ(places(allowed + "other" + attribute + "65536); " + launch, {{"k", &plain}, {"other", &plain}}),
              "launch_needs_opt_in:1");
    EXPECT_EQ(places("void f() { launchbox::launch(k, {.grid = 1, .threads = 256, .dynamic_shared_bytes = 65536}); }",
                     {{"k", &plain}}),
              "");  // it sets the attribute itself
    // Static and dynamic shared memory are added; more than a block of the chip can have never works.
    EXPECT_EQ(places("void f() { k<<<n, 256, 48 * 1024>>>(); }", {{"k", &plain}}), "");
    EXPECT_EQ(places("void f() { k<<<n, 256, 48 * 1024>>>(); }", {{"k", &with}}), "launch_needs_opt_in:1");
    EXPECT_EQ(places(allowed + "k" + attribute + "65536); k<<<n, 256, 65536>>>(); }", {{"k", &old}}), "");
    const std::vector<diagnosis> never =
        found(allowed + "k" + attribute + "70000); k<<<n, 256, 70000>>>(); }", {{"k", &old}, {"k", &plain}});
    ASSERT_EQ(never.size(), 1u);
    EXPECT_EQ(never[0].message,
              "k is launched with 70,000 B of dynamic shared memory, and a block of sm_75 has at most "
              "65,536 B: the launch fails");
}

TEST(source_lint, sizes_that_cannot_be_launched)
{
    const kernel_info plain = compiled(32);
    for (const char* launch : {"<<<0, 64>>>", "<<<1, 0>>>", "<<<dim3(1, 70000), 64>>>", "<<<dim3(1, 1, 65536), 64>>>",
                               "<<<1, dim3(1, 1, 65)>>>", "<<<1, dim3(n, 1, 65)>>>"})
        EXPECT_EQ(places("void f() { k" + std::string(launch) + "(); }", {{"k", &plain}}), "launch_fails:1") << launch;
    for (const char* launch : {"<<<dim3(70000, 65535, 65535), 64>>>", "<<<1, dim3(1, 1, 64)>>>", "<<<n, m>>>"})
        EXPECT_EQ(places("void f() { k" + std::string(launch) + "(); }", {{"k", &plain}}), "") << launch;
}

TEST(source_lint, clusters_that_need_an_attribute_or_never_work)
{
    const auto launched = [](const std::string& cluster, const std::string& grid, const std::string& before = "") {
        return "void f() { " + before + "cudaLaunchConfig_t c{}; c.gridDim = " + grid +
               "; c.blockDim = 128; cudaLaunchAttribute a[1]; a[0].id = cudaLaunchAttributeClusterDimension; "
               "a[0].val.clusterDim.x = " +
               cluster +
               "; a[0].val.clusterDim.y = 1; a[0].val.clusterDim.z = 1; c.attrs = a; c.numAttrs = 1; "
               "cudaLaunchKernelEx(&c, k, 1); }";
    };
    const kernel_info plain = compiled(32), old = compiled(32, 0, "sm_80");
    kernel_info fixed = plain, limited = plain;
    fixed.bounds.cluster = {16, 1, 1};
    limited.bounds.max_cluster_blocks = 4;
    const std::string allow = "cudaFuncSetAttribute(k, cudaFuncAttributeNonPortableClusterSizeAllowed, 1); ";
    EXPECT_EQ(places(launched("8", "64"), {{"k", &plain}}), "");
    EXPECT_EQ(places(launched("16", "64"), {{"k", &plain}}), "launch_needs_opt_in:1");
    EXPECT_EQ(places(launched("16", "64", allow), {{"k", &plain}}), "");
    EXPECT_EQ(places(launched("32", "64", allow), {{"k", &plain}}), "launch_fails:1");
    EXPECT_EQ(places(launched("8", "60"), {{"k", &plain}}), "launch_fails:1");
    EXPECT_EQ(places(launched("8", "64"), {{"k", &limited}}), "launch_fails:1");
    EXPECT_EQ(places(launched("2", "64"), {{"k", &old}}), "launch_fails:1");
    // __cluster_dims__(16), launched like any other kernel.
    EXPECT_EQ(places("void f() { k<<<32, 128>>>(); }", {{"k", &fixed}}), "launch_needs_opt_in:1");
    EXPECT_EQ(places("void f() { " + allow + "k<<<32, 128>>>(); }", {{"k", &fixed}}), "");
    EXPECT_EQ(places("void f() { " + allow + "k<<<30, 128>>>(); }", {{"k", &fixed}}), "launch_fails:1");
    EXPECT_EQ(places("void f() { " + allow + "k<<<n, 128>>>(); }", {{"k", &fixed}}), "");
}

TEST(source_lint, a_launch_that_is_never_executed_does_not_fail)
{
    const kernel_info plain = compiled(32);
    const std::vector<linted_kernel> one{{"k", &plain}};
    const auto threads = [&](const std::string& text) {
        return block_size_uses({.file = "k.cu", .text = text, .kernels = one, .flags = {}}).at(0).threads;
    };
    const std::string constant =
        "constexpr int N = 9; void f() { if constexpr (N == 8) k<<<1, 2048>>>(); else k<<<1, 288>>>(); }";
    EXPECT_EQ(places(constant, one), "");
    EXPECT_EQ(threads(constant), 288);
    const std::string of_template =
        "template <int N> void go() { if constexpr (N == 7) k<<<1, 4096>>>(); else k<<<1, N>>>(); }\n";
    EXPECT_EQ(places(of_template + "void f() { go<96>(); }", one), "");
    EXPECT_EQ(threads(of_template + "void f() { go<96>(); }"), 96);
    EXPECT_EQ(places(of_template + "void f() { go<7>(); }", one), "launch_over_1024:1");
    EXPECT_EQ(places(of_template + "void f() { go<96>(); go<2048>(); }", one), "launch_over_1024:1 launch_occupancy:1");
    EXPECT_EQ(places(of_template + "void f() { go<96>(); }"), "");  // nor if the kernel is unknown
    EXPECT_EQ(threads(of_template + "void f() { go<96>(); go<64>(); }"), std::nullopt);
}

// The instance of a kernel template decides which instance launches the kernel.
TEST(source_lint, the_instance_of_a_kernel_decides_the_instance_that_launches_it)
{
    const kernel_info plain = compiled(32);
    const std::vector<linted_kernel> both{{"k<tile<2, 1>, true>", &plain}, {"k<tile<8, 4>, true>", &plain}};
    const std::string text =
        "template <int W, int H = W / 2> struct tile { static constexpr int threads = 32 * W; };\n"
        "template <class T, bool B> void run(float* p) { auto kernel = &k<T, B>; kernel<<<1, T::threads>>>(p); }\n"
        "void f(float* p) { run<tile<2>, true>(p); run<tile<8>, true>(p); }\n";
    const auto uses = block_size_uses({.file = "k.cu", .text = text, .kernels = both, .flags = {}});
    EXPECT_EQ(uses.at(0).threads, 64);
    EXPECT_EQ(uses.at(1).threads, 256);
    const std::string chosen =
        "template <class T> void run(float* p) { auto kernel = &k<T, true && T::threads <= 512>; "
        "kernel<<<1, T::threads>>>(p); }\n"
        "template <int W, int H> struct tile { static constexpr int threads = 32 * W; };\n";
    EXPECT_EQ(block_size_uses({.file = "k.cu", .text = chosen, .kernels = both, .flags = {}}).at(1).threads, 256);
}

TEST(source_lint, a_pack_of_template_arguments_matches_one_kernel)
{
    const kernel_info plain = compiled(32);
    const std::vector<linted_kernel> both{{"k<>", &plain}, {"k<1, 2, 3>", &plain}};
    const auto uses = block_size_uses({.file = "k.cu",
                                       .text = "void f() { k<1, 2, 3><<<1, 96>>>(); k<><<<1, 32>>>(); }",
                                       .kernels = both,
                                       .flags = {}});
    EXPECT_EQ(uses.at(0).threads, 32);
    EXPECT_EQ(uses.at(1).threads, std::nullopt);  // more arguments may be deduced
    EXPECT_EQ(uses.at(1).launches.size(), 2u);
}

// Which kernel is launched may depend on a type that the text calls by another name: using scalar_t = float.
TEST(source_lint, launches_that_may_be_of_several_kernels_agree)
{
    const kernel_info plain = compiled(32);
    const std::vector<linted_kernel> both{{"k<float>", &plain}, {"k<double>", &plain}};
    const auto threads = [&](const std::string& body) {
        std::string all;
        for (const auto& use : block_size_uses({.file = "k.cu", .text = body, .kernels = both, .flags = {}}))
            all += (all.empty() ? "" : " ") + std::to_string(use.threads.value_or(0));
        return all;
    };
    const std::string real = "void f() { using real = double; k<real><<<1, 256>>>(); }\n";
    EXPECT_EQ(threads(real), "0 256");
    EXPECT_EQ(threads(real + "void g() { k<float><<<1, 128>>>(); }"), "128 256");
    EXPECT_EQ(threads("template <class real> void g() { k<real><<<1, 128>>>(); }\n" + real), "128 0");
    const std::string elsewhere = "void f() { k<real><<<1, 256>>>(); }\n";
    EXPECT_EQ(threads(elsewhere), "256 256");
    EXPECT_EQ(threads(elsewhere + "void g() { k<float><<<1, 128>>>(); }"), "0 256");
    EXPECT_EQ(threads(real + "void g() { using real = float; k<real><<<1, 64>>>(); }"), "0 0");
    EXPECT_EQ(threads(real + "void g(int n) { using real = float; k<real><<<1, n>>>(); }"), "0 0");
}

TEST(source_lint, a_helper_launches_each_kernel_as_its_calls_say)
{
    const kernel_info plain = compiled(32);
    const std::vector<linted_kernel> both{{"a", &plain}, {"b", &plain}};
    const auto threads = [&](const std::string& text) {
        std::string all;
        for (const auto& use : block_size_uses({.file = "k.cu", .text = text, .kernels = both, .flags = {}}))
            all += (all.empty() ? "" : " ") + std::to_string(use.threads.value_or(0));
        return all;
    };
    const std::string run = "template <class K> void run(K k, int t, float* p) { k<<<1, t>>>(p); }\n";
    EXPECT_EQ(threads(run + "void f(float* p) { run(a, 64, p); run(b, 96, p); run(b, 96, p); }"), "64 96");
    EXPECT_EQ(threads(run + "void f(float* p) { run(a, 64, p); run(a, 96, p); run(b, 96, p); }"), "0 96");
    EXPECT_EQ(threads(run + "void f(float* p, int n) { run(a, n ? 32 : 64, p); run(b, n, p); }"), "0 0");
    // Through two functions, one of which computes the size.
    const std::string twice = run + "template <class K> void twice(K k, int t, float* p) { run(k, 2 * t, p); }\n";
    EXPECT_EQ(threads(twice + "void f(float* p) { twice(a, 64, p); run(b, 96, p); }"), "128 96");
    const std::string either = run +
                               "template <class K> void either(K k, float* p, bool big) { if (big) run(k, 512, p); "
                               "else run(k, 256, p); }\n";
    EXPECT_EQ(threads(either + "void f(float* p, bool big) { either(a, p, big); run(b, 96, p); }"), "0 96");
    EXPECT_EQ(threads("void run(void (*k)(float*), dim3 b, float* p) { k<<<1, b>>>(p); }\n"
                      "void f(float* p) { run(a, dim3(8, 8), p); run(&b, 32, p); }"),
              "64 32");
    EXPECT_EQ(threads("template <int T, class K> void run(K k, float* p) { k<<<1, T>>>(p); }\n"
                      "void f(float* p) { run<160>(a, p); run<64>(b, p); }"),
              "160 64");
}

TEST(source_lint, kernels_that_graphs_and_modules_launch)
{
    const kernel_info plain = compiled(32, 0, "sm_90");
    const auto threads = [&](const std::string& text) {
        return block_size_uses({.file = "k.cu", .text = text, .kernels = {{"k", &plain}}, .flags = {}}).at(0).threads;
    };
    const std::string node =
        "void f() { cudaKernelNodeParams p = {0}; p.func = (void*)k; p.gridDim = 1; "
        "p.blockDim = dim3(96); ";
    EXPECT_EQ(threads(node + "cudaGraphAddKernelNode(&n, graph, nullptr, 0, &p); }"), 96);
    EXPECT_EQ(threads(node + "if (x) p.func = (void*)other; cudaGraphAddKernelNode(&n, graph, nullptr, 0, &p); }"),
              std::nullopt);
    const std::string call = "cuLaunchKernel(fn, 8, 1, 1, 256, 1, 1, 0, s, a, nullptr); }";
    const std::string get = "void f() { CUfunction fn; cuModuleGetFunction(&fn, m, \"k\"); ";
    EXPECT_EQ(threads(get + call), 256);
    EXPECT_EQ(threads(get + "cuModuleGetFunction(&fn, m, \"other\"); " + call), std::nullopt);
}

// Classes with the same template, and namespaces that need not be written.
TEST(source_lint, launches_name_their_kernel_by_a_class_or_without_inline_namespaces)
{
    const kernel_info plain = compiled(32);
    const std::vector<linted_kernel> both{{"k<one>", &plain}, {"k<tile<4>>", &plain}, {"a::v1::k2", &plain}};
    const auto uses = block_size_uses(
        {.file = "k.cu",
         .text = "struct one {}; template <int> struct tile {}; namespace a { inline namespace v1 {} }\n"
                 "void f() { k<one><<<1, 32>>>(); k<tile<4>><<<1, 64>>>(); k<tile<8>><<<1, 96>>>(); }\n"
                 "void g() { a::k2<<<1, 128>>>(); a::v1::k2<<<2, 128>>>(); }",
         .kernels = both,
         .flags = {}});
    EXPECT_EQ(uses.at(0).threads, 32);
    EXPECT_EQ(uses.at(1).threads, 64);
    EXPECT_EQ(uses.at(2).threads, 128);
}

TEST(source_lint, launches_that_differ_are_reported_one_by_one)
{
    const kernel_info plain = compiled(32);
    const std::vector<diagnosis> both = found("void f() {\nk<<<n, 128>>>();\nk<<<n, 512>>>(); }", {{"k", &plain}});
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(both[0].id, "launch_occupancy");
    EXPECT_EQ(both[0].level, severity::note);
    EXPECT_EQ(both[1].message, "k is launched with 512 threads: 4 blocks on an SM of sm_90, 100 %");
    EXPECT_EQ(both[1].place->line, 3);
    EXPECT_EQ(places("void f() {\nk<<<n, 128>>>();\nk<<<m, 128>>>(); }", {{"k", &plain}}), "");
    const auto sizes = [&](const std::string& text) {
        return block_size_uses({.file = "k.cu", .text = text, .kernels = {{"k", &plain}}, .flags = {}}).at(0);
    };
    EXPECT_EQ(sizes("void f() { k<<<n, 128, 64>>>(); k<<<m, 128, 64>>>(); }").threads, 128);
    EXPECT_EQ(sizes("void f() { k<<<n, 128, 64>>>(); k<<<m, 128, 64>>>(); }").dynamic_shared_bytes, 64);
    EXPECT_EQ(sizes("void f() { k<<<n, 128, 64>>>(); k<<<m, 128, 32>>>(); }").dynamic_shared_bytes, std::nullopt);
    EXPECT_EQ(sizes("void f() { k<<<n, 128>>>(); k<<<m, t>>>(); }").threads, std::nullopt);
    EXPECT_EQ(sizes("void f() { k<<<n, t, 512>>>(); }").dynamic_shared_bytes, 512);
}

TEST(source_lint, misspelt_macros_of_the_compiler)
{
    const std::vector<diagnosis> one = found("#if CUDA_ARCH >= 700\n#endif\n");
    ASSERT_EQ(one.size(), 1u);
    EXPECT_EQ(one[0].id, "macro_never_defined");
    EXPECT_EQ(one[0].message, "#if tests CUDA_ARCH, which is never defined: __CUDA_ARCH__?");
    for (const char* name : {"__CUDA_ARCH", "CUDA_ARCH__", "_CUDA_ARCH_", "__cuda_arch__", "__CUDA_ACRH__",
                             "__CUDACC_VER_MAJOR", "CUDACC", "___CUDA_ARCH__"})
        for (const char* directive : {"#if ", "#ifdef ", "#ifndef ", "#if defined(X) || "})
            EXPECT_EQ(places(directive + std::string(name) + "\n#endif\n"), "macro_never_defined:1") << name;
    EXPECT_EQ(places("#if X\n#elif CUDA_ARCH\n#endif\n"), "macro_never_defined:2");
    for (const char* text : {"#if __CUDA_ARCH__\n#endif\n", "#define CUDA_ARCH 80\n#if CUDA_ARCH\n#endif\n",
                             "#if MY_CUDA_ARCH\n#endif\n", "#if CUDA_VERSION\n#endif\n", "int CUDA_ARCH;\n",
                             "#if COMPILER(NVCC)\n#endif\n", "#ifdef __CUDACC_RDC__\n#endif\n",
                             "#if __CUDA_ARCH_LIST__\n#endif\n", "#if __CUDA_ARCH_FEAT_SM90_ALL\n#endif\n"})
        EXPECT_EQ(places(text), "") << text;
    for (const auto& flags :
         {std::vector<std::string>{"-DCUDA_ARCH=80"}, {"-D", "CUDA_ARCH"}, {"--define-macro=CUDA_ARCH"}})
        EXPECT_EQ(places("#if CUDA_ARCH\n#endif\n", {}, flags), "");
}

TEST(source_lint, maxrregcount_next_to_bounds_in_every_spelling)
{
    const kernel_info with = bounded(128), without = bounded(std::nullopt);
    kernel_info capped = without;
    capped.bounds.requested_max_registers = 40;
    const std::vector<linted_kernel> kernels{{"merge<int>", &with}, {"scan", &without}, {"merge<int>", &with}};
    using flags = std::vector<std::string>;
    const std::string text = "\ntemplate <class T>\n__global__ void merge(T) {}\n";
    for (const flags& entry : {flags{"-maxrregcount", "32"},
                               {"-maxrregcount=32"},
                               {"--maxrregcount", "32"},
                               {"--maxrregcount=32"},
                               {"-O3", "-Xptxas", "-maxrregcount=32"},
                               {"-Xptxas=-v,-maxrregcount=32"},
                               {"--ptxas-options=-maxrregcount=32"},
                               {"-Xptxas", "-v,--maxrregcount=32"},
                               {"-Xptxas", "-maxrregcount", "-Xptxas", "32"}}) {
        const std::vector<diagnosis> finding = found(text, kernels, entry);
        ASSERT_EQ(finding.size(), 1u) << fmt::format("{}", fmt::join(entry, " "));
        EXPECT_EQ(finding[0].id, "maxrregcount_ignored");
        EXPECT_EQ(finding[0].place, (source_location{"k.cu", 3}));
        EXPECT_EQ(finding[0].message,
                  "-maxrregcount 32 does not limit merge<int>: a kernel with a bound of its own keeps it, without a "
                  "message of ptxas");
    }
    for (const flags& entry : {flags{},
                               {"-O3"},
                               {"-DX=-maxrregcount2"},
                               {"-maxrregcount=0"},
                               {"-maxrregcount=255"},
                               {"-maxrregcount=300"},
                               {"-Xptxas", "--override-directive-values"}})
        EXPECT_EQ(places(text, kernels, entry), "") << fmt::format("{}", fmt::join(entry, " "));
    for (const flags& entry : {flags{"-maxrregcount=32", "-Xptxas", "--override-directive-values"},
                               {"-maxrregcount=32", "-Xptxas=-v,-override-directive-values"}}) {
        const std::vector<diagnosis> finding = found(text, kernels, entry);
        ASSERT_EQ(finding.size(), 1u) << fmt::format("{}", fmt::join(entry, " "));
        EXPECT_EQ(finding[0].id, "maxrregcount_overrides");
        EXPECT_EQ(finding[0].level, severity::note);
        EXPECT_NE(finding[0].message.find("applies to merge<int> too"), std::string::npos);
    }
    EXPECT_EQ(places(text, {{"scan", &without}}, {"-maxrregcount=32"}), "");
    EXPECT_EQ(places("", {{"scan", &capped}}, {"-maxrregcount=32"}), "maxrregcount_ignored:0");
    EXPECT_EQ(places("", {{"merge", &with, false}}, {"-maxrregcount=32"}), "");
    std::vector<linted_kernel> many;
    for (const char* name : {"a", "b", "c", "d", "e"}) many.push_back({name, &with});
    EXPECT_NE(found("", many, {"-maxrregcount=32"}).at(0).message.find("limit a, b, c and 2 more: "),
              std::string::npos);
}

TEST(source_lint, the_name_of_the_function)
{
    for (const auto& [whole, name] :
         std::vector<std::pair<const char*, const char*>>{{"merge", "merge"},
                                                          {"a::b::merge<int, c::d>", "merge"},
                                                          {"(anonymous namespace)::merge<x>", "merge"},
                                                          {"a<int>::merge", "merge"},
                                                          {"a<b<c>>::(anonymous namespace)::merge", "merge"},
                                                          {"merge<&f<int>::g>", "merge"},
                                                          {"", ""},
                                                          {"<", ""}})
        EXPECT_EQ(function_name(whole), name) << whole;
}

// No false alarms: CUB, Thrust, libcu++ and the runtime's headers use __CUDA_ARCH__ in many correct ways.
TEST(source_lint, the_headers_of_the_toolkit_have_no_finding)
{
    // The folder that nvcc reported when CMake ran: next to a compiler in PATH there may be none (a wrapper script).
    const fs::path include = LAUNCHBOX_CUDA_INCLUDE;
    if (!fs::is_directory(include / "cccl")) GTEST_SKIP() << "needs a CUDA toolkit with include/cccl";
    std::size_t files = 0, with_arch = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(fs::canonical(include))) {
        if (!entry.is_regular_file()) continue;
        const std::string text = read_input(entry.path().string());
        ++files;
        with_arch += text.find("__CUDA_ARCH__") != std::string::npos ? 1 : 0;
        EXPECT_EQ(places(text), "") << entry.path();
    }
    EXPECT_GT(files, 1000u);
    EXPECT_GT(with_arch, 50u);
}

}  // namespace
}  // namespace launchbox
