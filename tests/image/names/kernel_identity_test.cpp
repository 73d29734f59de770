#include "image/names/kernel_identity.hpp"

#include <gtest/gtest.h>

#include "image/names/demangle.hpp"

namespace launchbox {

namespace {

// Names from nvcc 13.0, for `nvcc -rdc=true t.cu` and `nvcc t.cu`.
const std::string static_kernel = "__nv_static_23__89b8bf71_4_t_cu__Z1fPi__Z4statPi";
const std::string anonymous_kernel = "_ZN34_GLOBAL__N__89b8bf71_4_t_cu__Z1fPi4anonEPi";
const std::string anonymous_static_kernel =
    "__nv_static_23__89b8bf71_4_t_cu__Z1fPi__ZN34_GLOBAL__N__89b8bf71_4_t_cu__Z1fPi4anonEPi";

TEST(kernel_identity, reads_static_kernels)
{
    EXPECT_EQ(without_static_prefix(static_kernel), "_Z4statPi");
    EXPECT_EQ(demangle(static_kernel), "stat(int*)");
    EXPECT_EQ(demangle(anonymous_static_kernel), "(anonymous namespace)::anon(int*)");
}

TEST(kernel_identity, names_the_file_of_anonymous_kernels)
{
    EXPECT_EQ(file_in_symbol(static_kernel), "t_cu");
    EXPECT_EQ(file_in_symbol(anonymous_kernel), "t_cu");
    EXPECT_EQ(file_in_symbol("_Z5templIN34_GLOBAL__N__89b8bf71_4_t_cu__Z1fPi7functorEEvPT_i"), "t_cu");
    // CUDA 10
    EXPECT_EQ(file_in_symbol("_ZN57_GLOBAL__N__45_tmpxft_00003de2_00000000_8_sort_cpp1_ii_0b9ab6a75anonEPi"), "sort");
    EXPECT_EQ(file_in_symbol("_Z5mergePi"), "");
}

TEST(kernel_identity, is_the_same_after_another_build)
{
    const std::string other = "_ZN34_GLOBAL__N__1122aabb_4_t_cu__Z1gPf4anonEPi";
    EXPECT_EQ(kernel_identity(anonymous_kernel, demangle(anonymous_kernel)), kernel_identity(other, demangle(other)));
    EXPECT_EQ(kernel_identity(anonymous_kernel, demangle(anonymous_kernel)),
              "(anonymous namespace)::anon(int*) [t_cu]");
    const std::string other_file = "_ZN34_GLOBAL__N__1122aabb_4_u_cu__Z1gPf4anonEPi";
    EXPECT_NE(kernel_identity(anonymous_kernel, demangle(anonymous_kernel)),
              kernel_identity(other_file, demangle(other_file)));
    EXPECT_EQ(kernel_identity("_Z4statPi", "stat(int*)"), "stat(int*)");
}

TEST(kernel_identity, leaves_similar_names_unchanged)
{
    for (const char* name : {"__nv_static_", "__nv_static_9", "__nv_static_99_x", "__nv_static_3_abc", "__nv_static_1_",
                             "_GLOBAL__N__", "_GLOBAL__N__9", "_GLOBAL__N__99999999999999999999999_a",
                             "_GLOBAL__N__12345678_5_t_cu", "_GLOBAL__N__8_tmpxft_1"}) {
        EXPECT_EQ(without_static_prefix(name), name);
        EXPECT_EQ(file_in_symbol(name), "") << name;
    }
}

}  // namespace

}  // namespace launchbox
