// The variables of a module with the compiler's layout: those in global memory that the source declares, and no others.
#include "image/module_variables.hpp"

#include <algorithm>

#include "toolkit.hpp"

namespace launchbox {
namespace {

constexpr const char* declarations = R"(
#include <cassert>
__device__ int counter;
__device__ int table[100] = {1, 2, 3};
static __device__ unsigned hidden;
__constant__ int fixed[4];
namespace inner { __device__ double sum; }
template <int N> __device__ int of_template;
__global__ void kernel(int* out)
{
    static __device__ int inside;
    __shared__ int shared[32];
    shared[threadIdx.x] = atomicAdd(&counter, 1) + atomicAdd(&hidden, 1) + inside++;
    inner::sum += 1;
    of_template<3>++;
    table[out[0]]++;
    assert(out[1] != 0);
    out[2] = fixed[out[3]] + shared[31 - threadIdx.x];
}
)";

std::vector<std::string> sorted(std::vector<std::string> names)
{
    std::ranges::sort(names);
    return names;
}

TEST(module_variables, are_the_variables_that_launches_can_change)
{
    if (!has_toolkit()) GTEST_SKIP() << "no nvcc";
    for (const std::string architecture : {"sm_75", "sm_90a", "sm_120"}) {
        const compiled made = compile_cuda(declarations, architecture, {});
        ASSERT_EQ(made.exit_code, 0) << made.log;
        std::vector<std::string> names = module_variables(made.image);
        std::erase_if(names, [](const std::string& name) { return name.starts_with("__unnamed_"); });  // of assert
        EXPECT_EQ(sorted(names), (std::vector<std::string>{"_Z11of_templateILi3EE", "_ZN5inner3sumE",
                                                           "_ZZ6kernelPiE6inside", "counter", "hidden", "table"}))
            << architecture;
    }
    EXPECT_EQ(module_variables(compile_cuda("__global__ void none() {}", "sm_90", {}).image),
              std::vector<std::string>{});
    EXPECT_EQ(module_variables("no cubin"), std::vector<std::string>{});
    EXPECT_EQ(module_variables({}), std::vector<std::string>{});
}

}  // namespace
}  // namespace launchbox
