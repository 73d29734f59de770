// Kernels named in text that no compiler has seen.
#include "source/source_kernels.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

using names = std::vector<std::string>;

TEST(source_kernels, are_named_as_patterns)
{
    EXPECT_EQ(kernels_in_text("__global__ void scale(float* p) { *p = 1; }"), names{"scale"});
    EXPECT_EQ(kernels_in_text("template <class T>\n__global__ void merge(T* p) { *p = 1; }"), names{"merge<*"});
    EXPECT_EQ(kernels_in_text("namespace a::b { static __global__ void k() {} } extern \"C\" __global__ void c() {}"),
              (names{"a::b::k", "c"}));
    EXPECT_EQ(kernels_in_text("__global__ void __launch_bounds__(256, 2) k(int (*f)(int)) {}"), names{"k"});
    EXPECT_EQ(kernels_in_text("__global__ void BOUNDS(256) k(int* p) {}"), names{"k"});
    EXPECT_EQ(kernels_in_text("template <> __global__ void k<3>(int* p) {}"), names{"k<*"});
    EXPECT_EQ(kernels_in_text("void __global__ k() {} __global__ void k() {}"), names{"k"}) << "each once";
}

TEST(source_kernels, what_is_none_has_no_name)
{
    for (const char* text :
         {"", "__device__ int f() { return 1; }", "// __global__ void k() {}", "__global__ void k();",
          "const char* s = \"__global__ void k() {}\";", "__global__ void (*p)();", "__global__", "__global__ {}",
          "__global__ void KERNEL(k)(int* p) {}", "__global__ ) {", "__global__ > {", "__global__ void >(int) {}"})
        EXPECT_EQ(kernels_in_text(text), names{}) << text;
}

}  // namespace
}  // namespace launchbox
