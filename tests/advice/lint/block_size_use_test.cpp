// Whether a kernel's block size is free, from its source's text and what its PTX tells.
#include "advice/lint/block_size_use.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

// The first kernel of `source`, of this name, whose code reads blockDim or not.
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

TEST(block_size_use, a_kernel_that_reads_it_is_free_and_one_that_does_not_is_fixed)
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
    // Written twice as a number: it may be chance.
    const block_size_use use = use_in(kernel + "void go(float* p) { k<128><<<8, 128>>>(p); }\n", "k<128>", true);
    EXPECT_EQ(use.freedom, block_size_freedom::unknown);
    EXPECT_NE(use.reason.find("may be tied"), std::string::npos) << use.reason;
    EXPECT_EQ(use_in(kernel + "void go(float* p) { k<64><<<8, 96>>>(p); }\n", "k<64>", true).freedom,
              block_size_freedom::free);
}

TEST(block_size_use, a_constant_that_kernel_and_launch_share_fixes_it)
{
    const std::string use_of_n =
        "__global__ void k(float* p) { __shared__ float s[n]; s[threadIdx.x] = blockDim.x; }\n";
    EXPECT_EQ(
        use_in("constexpr int n = 256;\n" + use_of_n + "void go(float* p) { k<<<8, n>>>(p); }\n", "k", true).freedom,
        block_size_freedom::fixed);
    // Another n, of the launching function.
    EXPECT_EQ(
        use_in("constexpr int n = 256;\n" + use_of_n + "void go(float* p, int n) { k<<<8, n>>>(p); }\n", "k", true)
            .freedom,
        block_size_freedom::free);
    // As preprocessed text has it, where macros are gone.
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

TEST(block_size_use, launches_that_differ_or_do_not_tell_have_no_one_size)
{
    block_size_use use = use_in(body + "void go(float* p) { k<<<8, 64>>>(p); k<<<8, 128>>>(p); }\n", "k", true);
    EXPECT_EQ(use.launches.size(), 2u);
    EXPECT_EQ(use.threads, std::nullopt);
    use = use_in(body + "void go(float* p, int n) { k<<<8, n>>>(p); }\n", "k", true);
    ASSERT_EQ(use.launches.size(), 1u);
    EXPECT_EQ(use.launches[0].threads, std::nullopt);
    EXPECT_TRUE(use_in(body, "k", true).launches.empty());
}

}  // namespace launchbox
