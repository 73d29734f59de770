// A program that was compiled for GPUs other than this one: launch.cuh says so.
#include <gtest/gtest.h>
#include <launchbox/launch.cuh>

#include <string>

#include "record.hpp"

namespace launchbox {

__global__ void elsewhere(int* data)
{
    if (data != nullptr) data[0] = 1;
}

namespace {

// The build compiles this file only for sm_120, with PTX: no older GPU can run it.
TEST(launch_no_code_gpu, says_what_to_compile_for)
{
    int count = 0;
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU here";
    cudaDeviceProp device{};
    ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
    if (device.major >= 12) GTEST_SKIP() << "this GPU runs it";
    const std::string wanted = "the program has no code of it for this GPU, compute capability " +
                               std::to_string(device.major) + "." + std::to_string(device.minor) +
                               ". Compile it with -gencode=arch=compute_";
    std::string asked;
    try {
        kernel_resources_of(elsewhere);
        ADD_FAILURE() << "has resources";
    } catch (const launch_error& error) {
        asked = error.what();
        EXPECT_NE(asked.find(wanted), std::string::npos) << asked;
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    try {
        launch(elsewhere, {.threads = 32}, nullptr);
        ADD_FAILURE() << "was launched";
    } catch (const launch_error& error) {
        const std::string text = error.what();
        EXPECT_NE(text.find(wanted), std::string::npos) << text;
        EXPECT_TRUE(error.kind == launch_error_kind::no_code || error.kind == launch_error_kind::not_a_kernel) << text;
        record("no_code", text, cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(explain_launch(elsewhere, {.threads = 32}), asked);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

}  // namespace
}  // namespace launchbox
