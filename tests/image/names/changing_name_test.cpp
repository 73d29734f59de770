#include "image/names/changing_name.hpp"

#include <gtest/gtest.h>

#include "image/names/demangle.hpp"
#include "image/names/kernel_identity.hpp"

namespace launchbox {

namespace {

struct two_builds {
    const char *before, *after;
};

TEST(changing_name, is_the_same_for_two_builds)
{
    for (const auto& [before, after] : std::initializer_list<two_builds>{
             // Rust, old and new
             {"_ZN7kernels4axpy17h0123456789abcdefE", "_ZN7kernels4axpy17hfedcba9876543210E"},
             {"kernels::axpy::h0123456789abcdef", "kernels::axpy::h00000000000000ff"},
             {"_RNvNtCs4fqI2P2rA04_7kernels4math4axpy", "_RNvNtCs9bT1xk2QzzA_7kernels4math4axpy"},
             {"_RINvCs4fqI2P2rA04_7kernels4axpyfECs12_4main", "_RINvCsa_7kernels4axpyfECsZ9_4main"},
             // Numba, with and without its tags
             {"_ZN6cudapy8__main__9step$2417E5ArrayIfLi1E1C7mutable7alignedE",
              "_ZN6cudapy8__main__8step$248E5ArrayIfLi1E1C7mutable7alignedE"},
             {"_ZN6cudapy8__main__10step$2417E5ArrayIfLi1E1C7mutable7alignedE",  // with a wrong length
              "_ZN6cudapy8__main__9step$248E5ArrayIfLi1E1C7mutable7alignedE"},
             {"_ZN6cudapy3app10step2_2417E5ArrayIfLi1E1C7mutable7alignedE",
              "_ZN6cudapy3app12step2_242418E5ArrayIfLi1E1C7mutable7alignedE"},
             {"cudapy::app::outer$3::inner$45[abi:v7][abi:cw51cXTLSUwv1](Array<float, 1, C, mutable, aligned>)",
              "cudapy::app::outer$8::inner$1[abi:v12][abi:cw51cXTLSUwv1](Array<float, 1, C, mutable, aligned>)"},
             {"_ZN8__main__4stepB2v1B8cw51cXTLE5ArrayIfLi1E1C7mutable7alignedE",
              "_ZN8__main__4stepB3v12B8cw51cXTLE5ArrayIfLi1E1C7mutable7alignedE"},
             // clang's OpenMP, and its kernels with internal linkage
             {"__omp_offloading_10302_4a1b2c_main_l12", "__omp_offloading_fd00_99_main_l12"},
             {"__omp_offloading_10302_4a1b2c__Z5saxpyifPf_l7", "__omp_offloading_1_ffffffff9__Z5saxpyifPf_l7"},
             {"__omptgt__0_12c01e8_804_", "__omptgt__0_99_1_"},
             {"_Z4statPi__static__0123456789abcdef", "_Z4statPi__static__fedcba9876543210"},
             {"_Z4statPi__intern__0123456789abcdef", "_Z4statPi__intern__fedcba9876543210"},
             // Julia
             {"_Z15julia_vadd_216913CuDeviceArrayIfLi1ELi1EE", "_Z13julia_vadd_7713CuDeviceArrayIfLi1ELi1EE"},
             {"ptxcall_vadd_1", "ptxcall_vadd_23"}}) {
        EXPECT_EQ(kernel_identity(before, demangle(before)), kernel_identity(after, demangle(after)));
        EXPECT_TRUE(has_changing_part(demangle(before))) << before;
        EXPECT_TRUE(has_changing_part(demangle(after))) << after;
    }
}

// What distinguishes kernels is kept: sizes in template arguments, numbers of lambdas and of outlined functions, lines.
TEST(changing_name, keeps_what_distinguishes_kernels)
{
    for (const char* name : {"step<2417>(int)",
                             "main$_omp_fn$0",
                             "main::$_0::operator()() const",
                             "k[abi:v1](int)",
                             "k[abi:v1][abi:v2](int)",
                             "kernels::h0123456789abcde",
                             "kernels::h0123456789abcdefg",
                             "kernels::hash0123456789abcdef(int)",
                             "ns::h0123456789abcdef::axpy(int)",
                             "step_2417(int)",
                             "cudapy::app::step_17(int)",
                             "_ZN6cudapy3app4stepEi",
                             "_ZN6cudapy99x",
                             "__omp_offloading_main_l12",
                             "__omp_offloading_10302_",
                             "__omp_offloading_",
                             "run<main::'lambda0'(float), 5>",
                             "julia_vadd",
                             "julia_2169",
                             "fusion_123",
                             "_RNvC7kernels4axpy",
                             "price$",
                             "$1",
                             "__static__0123456789abcdef",
                             "k__static__12",
                             "nvkernel_main_F1L12_2",
                             "__nv_static_23__89b8bf71_4_t_cu__Z1f",
                             ""}) {
        EXPECT_EQ(without_changing_part(name), name);
        EXPECT_FALSE(has_changing_part(name)) << name;
    }
    EXPECT_EQ(without_changing_part("__omp_offloading_10302_4a1b2c_main_l12"), "__omp_offloading_main_l12");
    EXPECT_NE(without_changing_part("__omp_offloading_10302_4a1b2c_main_l12"),
              without_changing_part("__omp_offloading_10302_4a1b2c_main_l30"));
}

}  // namespace

}  // namespace launchbox
