// The memory that the driver reserves for local memory, measured by the GPU's free memory, against the formula of
// `--stack-reserve`.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>

#include "record.hpp"

namespace launchbox {
namespace {

// An array that is indexed by data, so that it must be in local memory.
template <int bytes>
__global__ void deep(unsigned char* data, int at)
{
    unsigned char array[bytes];
    for (int i = 0; i < bytes; ++i) array[i] = data[(i + at) & 255];
    data[at & 255] = array[(at * 7) % bytes];
}

std::int64_t free_memory()
{
    std::size_t available = 0;
    std::size_t total = 0;
    EXPECT_EQ(cudaMemGetInfo(&available, &total), cudaSuccess);
    return static_cast<std::int64_t>(available);
}

class stack_reserve_gpu : public testing::Test {
protected:
    void SetUp() override
    {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU here";
        ASSERT_EQ(cudaGetDeviceProperties(&device_, 0), cudaSuccess);
        ASSERT_EQ(cudaMalloc(&data_, 256), cudaSuccess);
        ASSERT_EQ(cudaMemset(data_, 0, 256), cudaSuccess);
    }
    void TearDown() override { cudaFree(data_); }

    // Free memory before and after the first launch of a kernel that is already loaded.
    template <int bytes>
    void launch()
    {
        cudaFuncAttributes attributes{};
        ASSERT_EQ(cudaFuncGetAttributes(&attributes, deep<bytes>), cudaSuccess);
        const std::int64_t before = free_memory();
        deep<bytes><<<1, 32>>>(data_, 3);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        const std::int64_t after = free_memory();
        if (first_ < 0) first_ = before;
        const std::int64_t threads = std::int64_t{device_.multiProcessorCount} * device_.maxThreadsPerMultiProcessor;
        const std::int64_t formula = static_cast<std::int64_t>(attributes.localSizeBytes) * threads;
        const std::int64_t taken = first_ - after;
        std::string name = std::to_string(attributes.localSizeBytes) + " B";
        if (formula < most_) name += " after more";
        most_ = std::max(most_, formula);
        record(name, "formula MB", static_cast<double>(formula) / 1e6);
        record(name, "taken by this launch MB", static_cast<double>(before - after) / 1e6);
        record(name, "taken since before the first MB", static_cast<double>(taken) / 1e6);
        // A context initially reserves memory for 1 KB of stack, which is freed when more is reserved.
        if (bytes > 1024) {
            const auto more = static_cast<double>(most_ - 1024 * threads);
            EXPECT_NEAR(static_cast<double>(taken), more, 0.01 * more + 4e6) << name;
        }
    }

    cudaDeviceProp device_{};
    unsigned char* data_ = nullptr;
    std::int64_t first_ = -1;
    std::int64_t most_ = 0;  // of the formula; the reserved memory never shrinks
};

TEST_F(stack_reserve_gpu, equals_the_stack_of_all_threads_that_can_be_resident)
{
    launch<64>();
    launch<1000>();
    launch<2000>();
    launch<4000>();
    launch<16000>();
    launch<60000>();
    launch<4000>();
}

}  // namespace
}  // namespace launchbox
