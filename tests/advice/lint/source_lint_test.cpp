// Mistakes around kernels in source text, each with a close case that has none; and the toolkit's headers, which have
// none.
#include "advice/lint/source_lint.hpp"

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
    if (bound) info.max_threads = {*bound, 1, 1};
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
              "this launch uses T, which __CUDA_ARCH__ chooses on line 4: the host has no __CUDA_ARCH__ and takes 256, "
              "whatever the GPU; device code has 512 where __CUDA_ARCH__ >= 900");
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

TEST(source_lint, constants_by_cuda_arch_that_harm_nobody)
{
    for (const std::string& text :
         {by_arch + "__global__ void __launch_bounds__(T) k() { int x = T; }\nvoid f() { k<<<1, 256>>>(); }",
          by_arch + "__host__ __device__ int f() { return T; }", by_arch + "constexpr int f() { return T; }",
          by_arch + "MY_API int f() { return T; }", by_arch + "__global__ void k() { c<<<1, T>>>(); }",
          std::string(
              "#if __CUDA_ARCH__ >= 900\n#define T 256\n#else\n#define T 256\n#endif\nvoid f() { k<<<1, T>>>(); }"),
          std::string("#if __CUDA_ARCH__ >= 900\n#define T 512\n#endif\nvoid f() { k<<<1, T>>>(); }"),
          std::string("#if X >= 900\n#define T 512\n#else\n#define T 256\n#endif\nvoid f() { k<<<1, T>>>(); }"),
          // Which branch the host takes, X decides.
          std::string("#if __CUDA_ARCH__ >= 900 || X\n#define T 512\n#else\n#define T 256\n#endif\n"
                      "void f() { k<<<1, T>>>(); }"),
          std::string(
              "#ifdef __CUDA_ARCH__\n#if __CUDA_ARCH__ >= 900\n#define T 512\n#else\n#define T 256\n#endif\n#endif\n"
              "void f() { k<<<1, T>>>(); }"),
          std::string("#if __CUDA_ARCH__ >= 900\n#define LDG(x) __ldg(x)\n#else\n#define LDG(x) x\n#endif\n"
                      "int f() { return LDG(1); }")})
        EXPECT_EQ(places(text), "") << text;
}

TEST(source_lint, launches_that_begin_early_of_kernels_that_never_wait)
{
    kernel_info waits = bounded({}), not_yet = bounded({}), unknown = bounded({});
    waits.waits_for_grid = true;
    not_yet.waits_for_grid = false;
    const std::string ours = "\nvoid f() { launch<k>({.blocks = 1, .programmatic_dependent_launch = true}); }";
    const std::string runtime = "\nvoid f() { attribute.val.programmaticStreamSerializationAllowed = 1; }";
    for (const std::string& text : {ours, runtime}) {
        EXPECT_EQ(places(text, {{"k", &not_yet}}), "no_kernel_waits:2");
        EXPECT_EQ(places(text, {{"k", &not_yet}, {"k", &waits}}), "");
        EXPECT_EQ(places(text, {{"k", &unknown}}), "");  // code for 8.0, or none
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
    EXPECT_EQ(
        one[0].message,
        "host code reads __CUDA_ARCH__, which only device code has: it compiles what follows line 5, whatever the "
        "GPU; a launch depends on it");
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
    clustered.max_cluster_blocks = 4;
    EXPECT_EQ(found("merge<<<1, 256>>>();", {{"a::merge", &clustered}}).at(0).fix,
              "launch at most 128 threads, or write __launch_bounds__(256, 0, 4)");
    EXPECT_EQ(places("merge<<<1, 128>>>();", one), "");
    EXPECT_EQ(places("scan<<<1, 256>>>();", one), "");
    EXPECT_EQ(places("a::merge<int> <<<1, dim3(16, 16)>>>();", one), "launch_over_bound:1");
    EXPECT_EQ(places("#if X\nmerge<<<1, 256>>>();\n#endif", one), "");
    // Instantiations and architectures.
    const std::vector<linted_kernel> two{{"merge<int>", &small}, {"merge<float>", &large}};
    EXPECT_EQ(places("merge<int><<<1, 256>>>();", two), "");
    EXPECT_EQ(places("merge<int><<<1, 512>>>();", two), "launch_over_bound:1");
    // The user asks for one of them: the other counts all the same.
    EXPECT_EQ(places("merge<float><<<1, 256>>>();", {{"merge<int>", &small}, {"merge<float>", &large, false}}), "");
    EXPECT_EQ(places("merge<int><<<1, 512>>>();", {{"merge<int>", &small}, {"merge<float>", &large, false}}),
              "launch_over_bound:1");
    EXPECT_EQ(places("merge<<<1, 512>>>();", {{"merge", &small, false}}), "");
    const std::vector<linted_kernel> free{{"merge<int>", &small}, {"merge<float>", &none}};
    EXPECT_EQ(places("merge<int><<<1, 512>>>();", free), "");
    EXPECT_EQ(places("merge<int><<<1, 2048>>>();", free), "launch_over_1024:1");
    EXPECT_EQ(places("k<<<1, dim3(32, 64)>>>();"), "launch_over_1024:1");
    EXPECT_EQ(places("k<<<1, dim3(32, 32)>>>();"), "");
}

TEST(source_lint, maxrregcount_beside_bounds_in_every_spelling)
{
    const kernel_info with = bounded(128), without = bounded(std::nullopt);
    kernel_info capped = without;
    capped.requested_max_registers = 40;
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
        EXPECT_EQ(
            finding[0].message,
            "-maxrregcount 32 does nothing for merge<int>: a kernel with a bound of its own keeps that, and ptxas "
            "says nothing");
    }
    for (const flags& entry : {flags{},
                               {"-O3"},
                               {"-DX=-maxrregcount2"},
                               {"-maxrregcount=32", "-Xptxas", "--override-directive-values"},
                               {"-maxrregcount=32", "-Xptxas=-v,-override-directive-values"}})
        EXPECT_EQ(places(text, kernels, entry), "") << fmt::format("{}", fmt::join(entry, " "));
    EXPECT_EQ(places(text, {{"scan", &without}}, {"-maxrregcount=32"}), "");
    EXPECT_EQ(places("", {{"scan", &capped}}, {"-maxrregcount=32"}), "maxrregcount_ignored:0");
    EXPECT_EQ(places("", {{"merge", &with, false}}, {"-maxrregcount=32"}), "");
    std::vector<linted_kernel> many;
    for (const char* name : {"a", "b", "c", "d", "e"}) many.push_back({name, &with});
    EXPECT_NE(found("", many, {"-maxrregcount=32"}).at(0).message.find("for a, b, c and 2 more: "), std::string::npos);
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

// The lint must not cry wolf: CUB, Thrust, libcu++ and the runtime's headers use __CUDA_ARCH__ in many ways, rightly.
TEST(source_lint, the_headers_of_the_toolkit_have_no_finding)
{
    // The folder that nvcc told when this was configured: beside a compiler in PATH there may be none (a wrapper
    // script).
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
