// The model against a real GPU: the CUDA runtime's occupancy functions, launches that must fail or succeed, and the
// number of blocks seen at once on an SM.
#include <cuda_runtime.h>
#include <gtest/gtest.h>
#include <launchbox/block_size.hpp>
#include <launchbox/clusters.hpp>
#include <launchbox/occupancy.hpp>

#include <algorithm>
#include <cstdio>

#include "kernels.cuh"
#include "record.hpp"

namespace launchbox {
namespace {

class occupancy_gpu : public testing::Test {
protected:
    void SetUp() override
    {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU here";
        ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
        limits = find_sm_limits({device.major, device.minor});
        ASSERT_NE(limits, nullptr) << "launchbox has no limits for " << device.major << '.' << device.minor;
        ASSERT_EQ(cudaMalloc(&data, 1 << 22), cudaSuccess);
    }
    void TearDown() override { cudaFree(data); }

    // The runtime's attributes of a kernel, and its barriers, which the runtime does not report.
    kernel_resources resources_of(const kernel_under_test& kernel, cudaFuncAttributes& attributes) const
    {
        EXPECT_EQ(cudaFuncGetAttributes(&attributes, kernel.function), cudaSuccess) << kernel.name;
        return {.registers = attributes.numRegs,
                .static_shared_bytes = static_cast<std::int64_t>(attributes.sharedSizeBytes),
                .local_bytes = static_cast<std::int64_t>(attributes.localSizeBytes),
                .barriers = kernel.barriers,
                .max_threads = max_threads_per_block};
    }

    std::int64_t raise_dynamic_limit(const kernel_under_test& kernel, const kernel_resources& resources) const
    {
        const auto most = limits->shared_per_block_opt_in - resources.static_shared_bytes;
        EXPECT_EQ(
            cudaFuncSetAttribute(kernel.function, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
            cudaSuccess)
            << kernel.name;
        return most;
    }

    cudaDeviceProp device{};
    const sm_limits* limits = nullptr;
    void* data = nullptr;
};

TEST_F(occupancy_gpu, the_table_equals_the_runtimes_properties)
{
    EXPECT_EQ(limits->threads_per_sm, device.maxThreadsPerMultiProcessor);
    EXPECT_EQ(limits->blocks_per_sm, device.maxBlocksPerMultiProcessor);
    EXPECT_EQ(limits->registers_per_sm, device.regsPerMultiprocessor);
    EXPECT_EQ(limits->registers_per_block, device.regsPerBlock);
    EXPECT_EQ(static_cast<std::size_t>(limits->shared_per_sm), device.sharedMemPerMultiprocessor);
    EXPECT_EQ(static_cast<std::size_t>(limits->shared_per_block), device.sharedMemPerBlock);
    EXPECT_EQ(static_cast<std::size_t>(limits->shared_per_block_opt_in), device.sharedMemPerBlockOptin);
    EXPECT_EQ(static_cast<std::size_t>(limits->reserved_shared_per_block), device.reservedSharedMemPerBlock);
}

TEST_F(occupancy_gpu, equals_the_runtime_for_kernels_threads_shared_memory_and_carveouts)
{
    double compared = 0, differing = 0;
    for (const kernel_under_test& kernel : all_kernels()) {
        cudaFuncAttributes attributes{};
        const kernel_resources resources = resources_of(kernel, attributes);
        const std::int64_t most = raise_dynamic_limit(kernel, resources);
        double of_kernel = 0;
        for (int carveout : {-1, 0, 25, 50, 75, 100}) {
            ASSERT_EQ(cudaFuncSetAttribute(kernel.function, cudaFuncAttributePreferredSharedMemoryCarveout, carveout),
                      cudaSuccess);
            const launch_settings settings{.max_dynamic_shared_bytes = most, .carveout_percent = carveout};
            const int thread_step = carveout < 0 ? 16 : 96;
            for (int threads = 1; threads <= max_threads_per_block; threads = threads == 1 ? 32 : threads + thread_step)
                for (std::int64_t dynamic = 0; dynamic <= most; dynamic += carveout < 0 ? 997 : 3989) {
                    int runtime = -1;
                    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, kernel.function, threads,
                                                                            static_cast<std::size_t>(dynamic)),
                              cudaSuccess);
                    const int ours = resident_blocks(*limits, resources,
                                                     {.threads = threads, .dynamic_shared_bytes = dynamic}, settings);
                    ++of_kernel;
                    if (ours == runtime) continue;
                    ++differing;
                    EXPECT_EQ(ours, runtime) << kernel.name << " (" << resources.registers << " registers), " << threads
                                             << " threads, " << dynamic << " B, carveout " << carveout;
                    if (differing > 10) return;
                }
        }
        cudaFuncSetAttribute(kernel.function, cudaFuncAttributePreferredSharedMemoryCarveout, -1);
        record("runtime_comparison", kernel.name + " (" + std::to_string(resources.registers) + " registers)",
               of_kernel);
        compared += of_kernel;
    }
    record("runtime_comparison", "compared", compared);
    record("runtime_comparison", "differing", differing);
    std::printf("%.0f configurations, %.0f differences\n", compared, differing);

    // The comparison can fail: with a wrong number of barriers it does.
    const kernel_under_test sixteen{"", reinterpret_cast<const void*>(barrier_kernel<16>), 1};
    cudaFuncAttributes attributes{};
    const kernel_resources wrong = resources_of(sixteen, attributes);
    int runtime = -1;
    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, sixteen.function, 32, 0), cudaSuccess);
    if (limits->barriers_per_sm) {
        EXPECT_NE(resident_blocks(*limits, wrong, {.threads = 32}), runtime);
    }
}

// Every launch that the model calls possible succeeds, and all others are refused.
TEST_F(occupancy_gpu, every_launch_succeeds_or_fails_as_the_model_says)
{
    double launched = 0, refused = 0;
    for (const kernel_under_test& kernel : all_kernels()) {
        cudaFuncAttributes attributes{};
        kernel_resources resources = resources_of(kernel, attributes);
        const int reported = attributes.maxThreadsPerBlock;
        const int bound = kernel.name == "bound 256,2" ? 256 : max_threads_per_block;
        resources.max_threads = bound;
        EXPECT_EQ(max_launchable_threads(*limits, resources), reported) << kernel.name;
        for (int threads = 32; threads <= max_threads_per_block; threads += 32) {
            void* pointer = kernel.name.starts_with("registers") ? data : nullptr;
            int rounds = 1;
            void* arguments[] = {&pointer, &rounds};
            const cudaError_t code =
                cudaLaunchKernel(kernel.function, dim3(1), dim3(static_cast<unsigned>(threads)), arguments, 0, nullptr);
            const cudaError_t after = cudaDeviceSynchronize();
            const occupancy_result ours = occupancy(*limits, resources, {.threads = threads});
            EXPECT_EQ(code == cudaSuccess, ours.resident_blocks > 0)
                << kernel.name << " with " << threads << " threads: " << cudaGetErrorString(code);
            if (ours.obstacle == launch_obstacle::over_launch_bound) {
                EXPECT_EQ(code, cudaErrorInvalidValue);
            }
            if (ours.obstacle == launch_obstacle::register_rounding ||
                ours.obstacle == launch_obstacle::registers_per_block) {
                EXPECT_EQ(code, cudaErrorLaunchOutOfResources);
            }
            EXPECT_EQ(after, cudaSuccess) << kernel.name;
            cudaGetLastError();
            (code == cudaSuccess ? launched : refused) += 1;
        }
    }
    EXPECT_GT(refused, 0);
    record("launches", "launched", launched);
    record("launches", "refused", refused);
}

struct bytes_a_thread {
    int bytes;
    __host__ __device__ int operator()(int threads) const { return threads * bytes; }
};

TEST_F(occupancy_gpu, block_sizes_equal_the_runtimes)
{
    int compared = 0;
    for (const kernel_under_test& kernel : all_kernels()) {
        cudaFuncAttributes attributes{};
        kernel_resources resources = resources_of(kernel, attributes);
        resources.max_threads = attributes.maxThreadsPerBlock;
        const std::int64_t most = raise_dynamic_limit(kernel, resources);
        const launch_settings settings{.max_dynamic_shared_bytes = most};
        const auto compare = [&](const auto& bytes) {
            int grid = 0, threads = 0;
            ASSERT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, kernel.function, bytes),
                      cudaSuccess);
            const block_size_choice ours = suggest_block_size(*limits, resources, bytes, {}, settings);
            EXPECT_EQ(ours.threads, threads) << kernel.name;
            EXPECT_EQ(ours.resident_blocks * device.multiProcessorCount, grid) << kernel.name;
            ++compared;
        };
        for (int bytes : {0, 4, 96}) compare(bytes_a_thread{bytes});
    }
    record("block_size", "compared", compared);
}

// The runtime counts blocks even above the launch bound, although the launch fails; our model answers 0.
TEST_F(occupancy_gpu, the_runtime_counts_blocks_above_the_launch_bound)
{
    const auto function = reinterpret_cast<const void*>(bounded_kernel<256, 2>);
    int runtime = -1;
    const cudaError_t code = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, function, 512, 0);
    EXPECT_EQ(code, cudaSuccess);
    EXPECT_GT(runtime, 0);
    record("defects", "runtime blocks for 512 threads on a bound of 256", runtime);
    int* nothing = nullptr;
    void* arguments[] = {&nothing};
    EXPECT_EQ(cudaLaunchKernel(function, dim3(1), dim3(512), arguments, 0, nullptr), cudaErrorInvalidValue);
    cudaGetLastError();
}

// The size from the runtime's cudaOccupancyAvailableDynamicSMemPerBlock allows fewer blocks than asked for; that of our
// function allows them.
TEST_F(occupancy_gpu, available_dynamic_shared_memory)
{
    const kernel_under_test kernel{"barriers 1", reinterpret_cast<const void*>(barrier_kernel<1>), 1};
    cudaFuncAttributes attributes{};
    const kernel_resources resources = resources_of(kernel, attributes);
    const launch_settings settings{.max_dynamic_shared_bytes = raise_dynamic_limit(kernel, resources)};
    for (int asked : {1, 2, 3, 4, 8, 16}) {
        std::size_t bytes = 0;
        if (cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, kernel.function, asked, 128) != cudaSuccess) continue;
        int fed_back = -1, ours_fed_back = -1;
        ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fed_back, kernel.function, 128, bytes), cudaSuccess);
        const auto ours = available_dynamic_shared(*limits, resources, 128, asked, settings);
        ASSERT_TRUE(ours);
        ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ours_fed_back, kernel.function, 128,
                                                                static_cast<std::size_t>(*ours)),
                  cudaSuccess);
        EXPECT_GE(ours_fed_back, asked);
        const std::string name = std::to_string(asked) + " blocks asked";
        record("available_dynamic_shared", name + ", runtime bytes", static_cast<double>(bytes));
        record("available_dynamic_shared", name + ", resident with the runtime's bytes", fed_back);
        record("available_dynamic_shared", name + ", our bytes", static_cast<double>(*ours));
        record("available_dynamic_shared", name + ", resident with our bytes", ours_fed_back);
        if (asked > 1 && limits->reserved_shared_per_block > 0) {
            EXPECT_LT(fed_back, asked);
        }
    }
}

TEST_F(occupancy_gpu, cluster_counts_lie_in_the_estimated_interval)
{
    if (device.major < 9) GTEST_SKIP() << "no clusters before 9.0";
    const kernel_under_test kernel{"barriers 1", reinterpret_cast<const void*>(barrier_kernel<1>), 1};
    cudaFuncAttributes attributes{};
    const kernel_resources resources = resources_of(kernel, attributes);
    const launch_settings settings{.max_dynamic_shared_bytes = raise_dynamic_limit(kernel, resources)};
    ASSERT_EQ(cudaFuncSetAttribute(kernel.function, cudaFuncAttributeNonPortableClusterSizeAllowed, 1), cudaSuccess);
    for (int dynamic : {0, 50000, 100000, 200000}) {
        if (dynamic > *settings.max_dynamic_shared_bytes) continue;
        const int blocks =
            resident_blocks(*limits, resources, {.threads = 128, .dynamic_shared_bytes = dynamic}, settings);
        for (int size : {1, 2, 3, 4, 6, 8, 12, 16}) {
            cudaLaunchConfig_t config{};
            config.gridDim = dim3(static_cast<unsigned>(device.multiProcessorCount) * 48);
            config.blockDim = dim3(128);
            config.dynamicSmemBytes = static_cast<std::size_t>(dynamic);
            cudaLaunchAttribute attribute{};
            attribute.id = cudaLaunchAttributeClusterDimension;
            attribute.val.clusterDim = {static_cast<unsigned>(size), 1, 1};
            config.attrs = &attribute;
            config.numAttrs = 1;
            int counted = -1;
            if (cudaOccupancyMaxActiveClusters(&counted, kernel.function, &config) != cudaSuccess) {
                cudaGetLastError();
                continue;
            }
            const cluster_estimate from_sms = estimate_clusters(*limits, device.multiProcessorCount, size, blocks);
            EXPECT_LE(from_sms.low, counted) << size << " blocks, " << dynamic << " B";
            EXPECT_GE(from_sms.high, counted) << size << " blocks, " << dynamic << " B";
            const cluster_estimate from_gpcs = estimate_clusters(h200_gpcs, size, blocks);
            char name[80];
            std::snprintf(name, sizeof name, "%d B, %d blocks per SM, clusters of %d", dynamic, blocks, size);
            char value[120];
            std::snprintf(value, sizeof value, "runtime %d; from SMs %d (%d to %d); with the H200's GPCs %d", counted,
                          from_sms.expected.value_or(-1), from_sms.low, from_sms.high, *from_gpcs.expected);
            record("clusters", name, value);
        }
    }
}

// The number of blocks that are on one SM at the same time, counted by the blocks themselves.
__global__ void count_residents(int* now, int* most, long long nanoseconds)
{
    extern __shared__ char unused[];
    if (threadIdx.x == 0) {
        unsigned sm = 0;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        atomicMax(&most[sm], atomicAdd(&now[sm], 1) + 1);
        long long start = 0, time = 0;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time));
        while (time - start < nanoseconds);
        // The result is used, so that the count decreases before the block ends and the next one counts itself.
        if (atomicSub(&now[sm], 1) < 1) unused[0] = 0;
    }
    // All threads wait here at one barrier, since warps that ended would make room for the next block.
    __syncthreads();
}

TEST_F(occupancy_gpu, as_many_blocks_are_seen_on_an_sm_as_predicted)
{
    const auto function = reinterpret_cast<const void*>(count_residents);
    cudaFuncAttributes attributes{};
    const kernel_resources resources = resources_of({"", function, 1}, attributes);
    const launch_settings settings{.max_dynamic_shared_bytes = raise_dynamic_limit({"", function, 1}, resources)};
    int* now = static_cast<int*>(data);
    int* most = now + 1024;
    std::vector<int> seen(static_cast<std::size_t>(device.multiProcessorCount));
    for (int threads : {32, 64, 128, 256, 384, 512, 768, 1024})
        for (int dynamic : {0, 2048, 10000, 24000, 48000, 90000}) {
            if (dynamic > *settings.max_dynamic_shared_bytes) continue;
            const int expected =
                resident_blocks(*limits, resources, {.threads = threads, .dynamic_shared_bytes = dynamic}, settings);
            ASSERT_EQ(cudaMemset(data, 0, 2048 * sizeof(int)), cudaSuccess);
            long long wait = 300'000;
            void* arguments[] = {&now, &most, &wait};
            ASSERT_EQ(cudaLaunchKernel(function, dim3(static_cast<unsigned>(3 * expected * device.multiProcessorCount)),
                                       dim3(static_cast<unsigned>(threads)), arguments,
                                       static_cast<std::size_t>(dynamic), nullptr),
                      cudaSuccess);
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            ASSERT_EQ(cudaMemcpy(seen.data(), most, seen.size() * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
            const auto [least, largest] = std::minmax_element(seen.begin(), seen.end());
            // No SM ever has more, and with three times as many blocks as fit every SM is full.
            EXPECT_EQ(*largest, expected) << threads << " threads, " << dynamic << " B";
            EXPECT_EQ(*least, expected) << threads << " threads, " << dynamic << " B";
            record("seen_on_sms", std::to_string(threads) + " threads, " + std::to_string(dynamic) + " B",
                   "model " + std::to_string(expected) + ", seen " + std::to_string(*least) + " to " +
                       std::to_string(*largest));
        }
}

}  // namespace
}  // namespace launchbox
