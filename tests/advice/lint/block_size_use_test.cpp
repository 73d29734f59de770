// Whether a kernel's block size is free, from its source and its PTX.
#include "advice/lint/block_size_use.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

// For the first kernel with this name in `source`, whose code may read blockDim.
block_size_use use_in(const std::string& source, const std::string& short_form, std::optional<bool> reads)
{
    kernel_info kernel;
    kernel.architecture = "sm_90";
    kernel.short_form = short_form;
    kernel.launches.reads_block_size = reads;
    const lint_request request{
        .file = "k.cu", .text = source, .kernels = {{short_form, &kernel}}, .flags = {}, .unit = nullptr};
    return block_size_uses(request).at(0);
}

const std::string body = "__global__ void k(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n";

}  // namespace

TEST(block_size_use, a_kernel_that_reads_blockdim_is_free_and_others_are_fixed)
{
    const std::string source = body + "void go(float* p) {\n  k<<<8, 192>>>(p);\n}\n";
    block_size_use use = use_in(source, "k", true);
    EXPECT_EQ(use.freedom, block_size_freedom::free);
    EXPECT_EQ(use.threads, 192);
    ASSERT_EQ(use.launches.size(), 1u);
    EXPECT_EQ(use.launches[0], (seen_launch{{"k.cu", 3}, 192, 0}));
    EXPECT_EQ(use.defined_at, (source_location{"k.cu", 1}));
    use = use_in(source, "k", false);
    EXPECT_EQ(use.freedom, block_size_freedom::fixed);
    EXPECT_EQ(use.reason, "it never reads blockDim");
    EXPECT_EQ(use_in(source, "k", std::nullopt).freedom, block_size_freedom::unknown);
}

TEST(block_size_use, a_template_argument_that_sets_it_fixes_it)
{
    const std::string kernel =
        "template <int T> __global__ void k(float* p) { __shared__ float s[T]; s[threadIdx.x] = blockDim.x; }\n";
    for (const char* launch :
         {"template <int T> void go(float* p) { k<T><<<8, T>>>(p); }\nvoid all(float* p) { go<128>(p); }\n",
          "void go(float* p) { constexpr int n = 128; k<n><<<8, n>>>(p); }\n",
          "void go(float* p) { constexpr int n = 128; const dim3 block(n / 1); k<n><<<8, block>>>(p); }\n"}) {
        const block_size_use use = use_in(kernel + launch, "k<128>", true);
        EXPECT_EQ(use.freedom, block_size_freedom::fixed) << launch << use.reason;
    }
    // The same number in two places may be a coincidence.
    const block_size_use use = use_in(kernel + "void go(float* p) { k<128><<<8, 128>>>(p); }\n", "k<128>", true);
    EXPECT_EQ(use.freedom, block_size_freedom::unknown);
    EXPECT_NE(use.reason.find("it may depend on it"), std::string::npos) << use.reason;
    EXPECT_EQ(use_in(kernel + "void go(float* p) { k<64><<<8, 96>>>(p); }\n", "k<64>", true).freedom,
              block_size_freedom::free);
}

TEST(block_size_use, a_constant_used_by_kernel_and_launch_fixes_it)
{
    const std::string use_of_n =
        "__global__ void k(float* p) { __shared__ float s[n]; s[threadIdx.x] = blockDim.x; }\n";
    EXPECT_EQ(
        use_in("constexpr int n = 256;\n" + use_of_n + "void go(float* p) { k<<<8, n>>>(p); }\n", "k", true).freedom,
        block_size_freedom::fixed);
    for (const char* launch :
         {"template <class K> void run(K f, int t, float* p) { f<<<8, t>>>(p); }\n"
          "void go(float* p) { run(k, n, p); }\n",
          "static void run(float* p, int t) { k<<<8, t>>>(p); } void go(float* p) { run(p, n); }\n",
          "void go() { cudaKernelNodeParams p = {}; p.func = (void*)k; p.blockDim = n; "
          "cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p); }\n"}) {
        const block_size_use use = use_in("constexpr int n = 256;\n" + use_of_n + launch, "k", true);
        EXPECT_EQ(use.freedom, block_size_freedom::fixed) << launch;
        EXPECT_EQ(use.threads, 256) << launch;
    }
    // Of a configuration, only what sets the block size.
    EXPECT_EQ(use_in("constexpr int n = 256;\n" + use_of_n +
                         "void go() { cudaKernelNodeParams p = {}; p.func = (void*)k; p.gridDim = n; p.blockDim = 128; "
                         "cudaGraphAddKernelNode(&node, graph, nullptr, 0, &p); }\n",
                     "k", true)
                  .freedom,
              block_size_freedom::free);
    // Another n, local to the launching function.
    EXPECT_EQ(
        use_in("constexpr int n = 256;\n" + use_of_n + "void go(float* p, int n) { k<<<8, n>>>(p); }\n", "k", true)
            .freedom,
        block_size_freedom::free);
    // Preprocessed text has no macros left.
    const block_size_use use = use_in(
        "__attribute__((global)) void k(float* p) { __attribute__((shared)) float s[256]; s[threadIdx.x] = 1; }\n"
        "void go(float* p) { k<<<8, 256>>>(p); }\n",
        "k", true);
    EXPECT_EQ(use.freedom, block_size_freedom::unknown);
    EXPECT_NE(use.reason.find("the constant 256"), std::string::npos) << use.reason;
}

TEST(block_size_use, a_kernel_that_gets_it_as_an_argument_is_free)
{
    const std::string kernel =
        "__global__ void k(float* p, int n, int size) { p[blockIdx.x * size + threadIdx.x] = n; }\n";
    for (const char* launch : {"void go(float* p, int t) { k<<<8, t>>>(p, 3, t); }\n",
                               "void go(float* p, int t) { const dim3 block(t); k<<<8, block, 0>>>(p, 3, t); }\n"}) {
        const block_size_use use = use_in(kernel + launch, "k", false);
        EXPECT_EQ(use.freedom, block_size_freedom::free) << launch;
        EXPECT_EQ(use.reason, "it gets t as an argument");
    }
    EXPECT_EQ(use_in(kernel + "void go(float* p, int t, int u) { k<<<8, t>>>(p, 3, u); }\n", "k", false).freedom,
              block_size_freedom::fixed);
}

TEST(block_size_use, launches_that_differ_or_are_unknown_have_no_single_size)
{
    block_size_use use = use_in(body + "void go(float* p) { k<<<8, 64>>>(p); k<<<8, 128>>>(p); }\n", "k", true);
    EXPECT_EQ(use.launches.size(), 2u);
    EXPECT_EQ(use.threads, std::nullopt);
    use = use_in(body + "void go(float* p, int n) { k<<<8, n>>>(p); }\n", "k", true);
    ASSERT_EQ(use.launches.size(), 1u);
    EXPECT_EQ(use.launches[0].threads, std::nullopt);
    EXPECT_TRUE(use_in(body, "k", true).launches.empty());
}

// A variable has the value that was assigned last before the launch.
TEST(block_size_use, a_parameter_assigned_before_the_launch_has_that_value)
{
    const auto threads = [](const std::string& launch) { return use_in(body + launch, "k", true).threads; };
    EXPECT_EQ(threads("void go(float* p, int bs) { bs = 32; k<<<8, bs>>>(p); }\n"), 32);
    EXPECT_EQ(threads("void go(float* p, int bs, int n) { n = bs = 64; k<<<n, bs>>>(p); }\n"), 64);
    EXPECT_EQ(threads("void go(float* p, int bs) { const int n = bs = 96, m = 2; k<<<8, bs>>>(p); }\n"), 96);
    EXPECT_EQ(threads("void go(float* p, const unsigned n, dim3 b) { b = dim3(16, 4); k<<<n, b>>>(p); }\n"), 64);
    EXPECT_EQ(threads("void go(float* p, dim3 b) { b.x = 8; b.y = 4; b.z = 2; k<<<8, b>>>(p); }\n"), 64);
    EXPECT_EQ(threads("auto go = [](float* p, int bs) { bs = 128; k<<<8, bs>>>(p); };\n"), 128);
    EXPECT_EQ(threads("void all(float* q) { auto go = [](float* p, int bs) { bs = 128; k<<<8, bs>>>(p); }; go(q); }\n"),
              128);
    EXPECT_EQ(threads("void go(float* p, int v, int bs) { switch (v) { case 1: bs = 32; k<<<8, bs>>>(p); break; } }\n"),
              32);
    const block_size_use use =
        use_in(body + "void go(float* p, int bs) { bs = 32; k<<<8, bs, bs * sizeof(float)>>>(p); }\n", "k", true);
    EXPECT_EQ(use.dynamic_shared_bytes, 128);
    // Assignments that may not be executed, may be executed again, or are to another variable.
    for (const char* launch :
         {"void go(float* p, int bs) { if (bs > 99) bs = 32; k<<<8, bs>>>(p); }\n",
          "void go(float* p, int bs) { for (int i = 0; i < 3; ++i) { k<<<8, bs>>>(p); bs = 32; } }\n",
          "void go(float* p, int bs) { bs = 32; bs *= p != nullptr ? 2 : 1; k<<<8, bs>>>(p); }\n",
          "void go(float* p, int* bs) { *bs = 32; k<<<8, *bs>>>(p); }\n",
          "void ask(int&); void go(float* p, int bs) { bs = 32; ask(bs); k<<<8, bs>>>(p); }\n",
          "void go(float* p, dim3 b) { b.x = 32; k<<<8, b>>>(p); }\n",
          "void go(float* p, int v, int bs) { switch (v) { case 1: v = 2; bs = 32; case 2: k<<<8, bs>>>(p); } }\n",
          "void go(float* p, int v, int bs) { if (v) goto out; v = 1; bs = 32; out: k<<<8, bs>>>(p); }\n",
          "void go(float* p, int v) { int bs = 32; again: k<<<8, bs>>>(p); bs *= 2; if (v > bs) goto again; }\n",
          "void go(float* p, int bs) { auto f = [bs = 32] { return bs; }; k<<<8, bs>>>(p); }\n",
          "void go(float* p, int bs = 64) { k<<<8, bs>>>(p); }\n"})
        EXPECT_EQ(threads(launch), std::nullopt) << launch;
    EXPECT_EQ(threads("void go(float* p, int v) { int bs = 32; k<<<8, bs>>>(p); bs = 64; if (v) goto out; v = 1; out:; "
                      "}\n"),
              32);
    // A local variable that may not be assigned in a switch.
    EXPECT_EQ(threads("void go(float* p, int v) { int bs = 64; switch (v) { case 1: v = 2; bs = 32; break; case 2: "
                      "k<<<8, bs>>>(p); } }\n"),
              std::nullopt);
}

// Dynamic shared memory that depends on the block size is known for each size, even if the size is not.
TEST(block_size_use, dynamic_shared_memory_by_threads)
{
    const auto use = [](const std::string& launch) { return use_in(body + launch, "k", true); };
    for (const char* launch :
         {"void go(float* p, int bs) { k<<<8, bs, bs * sizeof(float)>>>(p); }\n",
          "void go(float* p, int bs) { const dim3 b(bs); k<<<8, b, b.x * 4>>>(p); }\n",
          "void go(float* p, int warps) { k<<<8, 32 * warps, warps * 128>>>(p); }\n",
          "void go(float* p, int y) { const dim3 b(32, y); const auto m = 32 * y * 4; k<<<8, b, m>>>(p); }\n"}) {
        const block_size_use found = use(launch);
        EXPECT_EQ(found.threads, std::nullopt) << launch;
        EXPECT_EQ(found.dynamic_shared_bytes, std::nullopt) << launch;
        EXPECT_FALSE(found.passes_unknown_shared()) << launch;
        EXPECT_EQ(found.dynamic_shared_for(256), 1024) << launch;
    }
    EXPECT_EQ(use("void go(float* p, int bs) { k<<<8, bs, 64 + bs / 32 * 8>>>(p); }\n").dynamic_shared_for(512), 192);
    for (const char* launch : {"void go(float* p, int bs, int n) { k<<<8, bs, n * sizeof(float)>>>(p); }\n",
                               "void go(float* p, int bs) { k<<<8, bs, bs * bs>>>(p); }\n",
                               "void go(float* p, int n) { k<<<8, 128, n>>>(p); }\n",
                               "void go(float* p) { k<<<8, 128, 64>>>(p); k<<<8, 128, 32>>>(p); }\n"}) {
        const block_size_use found = use(launch);
        EXPECT_TRUE(found.passes_unknown_shared()) << launch;
        EXPECT_NE(unknown_shared_text(found, kernel_info{}).find("--dynamic-shared"), std::string::npos) << launch;
    }
    // For that it need not be known which instance is launched.
    const std::string unsure =
        "template <int N> __global__ void k(float* p) { *p = N; }\nvoid go(float* p) { k<f()><<<8, 128>>>(p); }\n";
    kernel_info one, other;
    one.architecture = other.architecture = "sm_90";
    const lint_request request{
        .file = "k.cu", .text = unsure, .kernels = {{"k<1>", &one}, {"k<2>", &other}}, .flags = {}, .unit = nullptr};
    EXPECT_FALSE(block_size_uses(request).at(0).launches.empty());
    EXPECT_FALSE(block_size_uses(request).at(0).passes_unknown_shared());
    EXPECT_EQ(unknown_shared_text(use("void go(float* p) { k<<<8, 128>>>(p); }\n"), kernel_info{}), "");
}

namespace {

const std::string two = "__global__ void k(float* p) { *p = 1; }\n__global__ void other(float* p) { *p = 2; }\n";

// The sizes of `k` and `other` in the text behind them: "256 -", "? 128", "- maybe".
std::string sizes_in(const std::string& text)
{
    kernel_info k, other;
    k.architecture = other.architecture = "sm_90";
    const std::string source = two + text;
    const lint_request request{
        .file = "k.cu", .text = source, .kernels = {{"k", &k}, {"other", &other}}, .flags = {}, .unit = nullptr};
    std::string found;
    for (const block_size_use& use : block_size_uses(request)) {
        found += found.empty() ? "" : " ";
        if (!use.maybe_launched.empty())
            found += "maybe";
        else if (use.launches.empty())
            found += "-";
        else
            found += use.threads ? std::to_string(*use.threads) : "?";
    }
    return found;
}

}  // namespace

TEST(block_size_use, a_launch_through_a_pointer_counts_for_every_kernel_it_may_hold)
{
    const std::string type = "using pointer = void (*)(float*);\n";
    for (const char* launch :
         {"void go(float* p) { void (*f)(float*); for (int i = 0; i < 2; ++i) { switch (i) { case 0: f = &k; break; "
          "case 1: f = &other; break; } f<<<8, 96>>>(p); } }\n",
          "void go(float* p, bool b) { auto f = b ? k : other; f<<<8, 96>>>(p); }\n",
          "void go(float* p, bool b) { auto* f = &k; if (b) f = &other; f<<<8, 96>>>(p); }\n",
          "void go(float* p, bool b) { pointer f = k; if (b) f = other; f<<<8, 96>>>(p); }\n",
          "void go(float* p, int i) { void (*f[])(float*) = {k, other}; f[i]<<<8, 96>>>(p); }\n",
          "void go(float* p, int i) { pointer f[2] = {k, other}; (*f[i])<<<8, 96>>>(p); }\n",
          "static const pointer all[] = {&k, &other};\nvoid go(float* p) { for (auto f : all) f<<<8, 96>>>(p); }\n",
          "struct row { const char* name; pointer f; };\nrow all[] = {{\"k\", k}, {\"other\", other}};\n"
          "void go(float* p, int i) { all[i].f<<<8, 96>>>(p); }\n",
          "void run(pointer f, float* p) { f<<<8, 96>>>(p); }\nvoid go(float* p) { run(k, p); run(other, p); }\n",
          "void run(void (*f)(float*), float* p) { f<<<8, 96>>>(p); }\nvoid go(float* p) { run(&k, p); run(other, p); "
          "}\n",
          "void go(float* q) { auto run = [&](auto f, float* p) { f<<<8, 96>>>(p); }; run(k, q); run(other, q); }\n",
          "template <void (*F)(float*)> void run(float* p) { F<<<8, 96>>>(p); }\n"
          "void go(float* p) { run<k>(p); run<other>(p); }\n",
          "pointer choose(int i) { if (i) return k; return other; }\n"
          "void go(float* p, int i) { choose(i)<<<8, 96>>>(p); }\n",
          "pointer choose(int i) { if (i) return k; return other; }\n"
          "void go(float* p, int i) { auto f = choose(i); f<<<8, 96>>>(p); }\n",
          "void go(float* p, int i, void** a) { pointer f = k; if (i) f = other; "
          "cudaLaunchKernel((const void*)f, 8, 96, a, 0, 0); }\n",
          "void go(float* p, int i) { pointer f[] = {k, other}; cudaLaunchConfig_t c{}; c.gridDim = 8; "
          "c.blockDim = 96; cudaLaunchKernelEx(&c, f[i], p); }\n"})
        EXPECT_EQ(sizes_in(type + launch), "96 96") << launch;
    // If the pointer certainly holds one kernel, it is a launch of that one.
    EXPECT_EQ(sizes_in("void go(float* p) { void (*f)(float*) = k; f<<<8, 64>>>(p); f = other; f<<<8, 96>>>(p); }\n"),
              "64 96");
    EXPECT_EQ(sizes_in("struct row { void (*first)(float*); void (*f)(float*); };\nrow all[] = {{k, other}};\n"
                       "void go(float* p) { all[0].f<<<8, 96>>>(p); }\n"),
              "- 96");
    EXPECT_EQ(sizes_in("struct set { void (*a)(float*); void (*b)(float*); };\n"
                       "void go(float* p) { set c; c.a = k; c.b = other; c.b<<<8, 96>>>(p); }\n"),
              "- 96");
}

TEST(block_size_use, a_launch_of_unknown_kernels_counts_for_those_whose_address_is_taken)
{
    EXPECT_EQ(sizes_in("void (*from_file())(float*);\nvoid add(void (*f)(float*));\n"
                       "void go(float* p) { add(k); auto f = from_file(); f<<<8, 96>>>(p); }\n"),
              "maybe -");
    EXPECT_EQ(sizes_in("void go(float* p, void (*f)(float*)) { f<<<8, 96>>>(p); other<<<8, 32>>>(p); }\n"
                       "void (*table[])(float*) = {k, other};\n"),
              "maybe 32");
    // Passing a kernel to a function of the runtime does not count as taking its address.
    EXPECT_EQ(sizes_in("void go(float* p, void (*f)(float*)) { cudaFuncSetAttribute(k, a, 1); f<<<8, 96>>>(p); }\n"),
              "- -");
    EXPECT_EQ(sizes_in("void (*table[])(float*) = {k, other};\n"), "- -");
}

}  // namespace launchbox
