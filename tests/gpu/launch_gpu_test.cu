// launch.cuh on a GPU: refused launches are explained and leave no error behind, launches that need an attribute get
// it, and the answers about kernels equal those of the CUDA runtime.
#include <gtest/gtest.h>
#include <launchbox/launch.cuh>

#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "kernels.cuh"
#include "record.hpp"

namespace launchbox {

// Outside the anonymous namespace, so that their names are short.
template <class T>
__global__ void __launch_bounds__(256) merge(T* data)
{
    if (data != nullptr) data[threadIdx.x] = static_cast<T>(blockIdx.x);
}

// Writes its arguments, so that a test sees which ones it got.
template <int ID>
__global__ void launch_probe(int* out, int value)
{
    extern __shared__ int dynamic[];
    if (threadIdx.x == 0 && blockIdx.x == 0) {
        dynamic[0] = value;
        out[0] = dynamic[0] + static_cast<int>(gridDim.x) * 1000 + static_cast<int>(blockDim.x) * 1000000;
    }
}

__global__ void staged(int* out, int value)
{
    __shared__ int fixed[10000];  // 40,000 B
    extern __shared__ int dynamic[];
    fixed[threadIdx.x] = value;
    dynamic[threadIdx.x] = 1;
    __syncthreads();
    if (threadIdx.x == 0) out[0] = fixed[blockDim.x - 1] + dynamic[blockDim.x - 1];
}

__global__ void cluster_size(int* out)
{
#if __CUDA_ARCH__ >= 900
    unsigned size = 0;
    asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = static_cast<int>(size);
#else
    if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = 1;
#endif
}

__global__ void add_one(int* data)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    if (threadIdx.x == 0 && blockIdx.x == 0) data[0] += 1;
}

__global__ void many_arguments(int* out, char a, short b, int c, long long d, float e, double f, bool g)
{
    out[0] = static_cast<int>(a + b + c + d + static_cast<long long>(e) + static_cast<long long>(f) + g);
}

__global__ void write_nowhere(int* nowhere)
{
    nowhere[threadIdx.x] = 1;
}

namespace {

class launch_gpu : public testing::Test {
protected:
    void SetUp() override
    {
        int count = 0;
        if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) GTEST_SKIP() << "no GPU here";
        ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
        limits = find_sm_limits({device.major, device.minor});
        ASSERT_NE(limits, nullptr) << "launchbox has no limits for " << device.major << '.' << device.minor;
        ASSERT_EQ(cudaMalloc(&out, 1 << 20), cudaSuccess);
        cudaGetLastError();
    }
    void TearDown() override { cudaFree(out); }

    int result() const
    {
        int value = -1;
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(&value, out, sizeof value, cudaMemcpyDeviceToHost), cudaSuccess);
        return value;
    }

    cudaDeviceProp device{};
    const sm_limits* limits = nullptr;
    int* out = nullptr;
};

// Expects the launch to throw this kind of error, explain_launch to predict it, and no error to be left. Returns the
// message.
template <class... Parameters, class... Arguments>
std::string refused(launch_error_kind kind, void (*kernel)(Parameters...), const launch_config& config,
                    Arguments&&... arguments)
{
    const std::string before = explain_launch(kernel, config);
    EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess) << "explain_launch left an error";
    std::string text;
    try {
        launch(kernel, config, std::forward<Arguments>(arguments)...);
        ADD_FAILURE() << "was launched; explain_launch said: " << before;
        return before;
    } catch (const launch_error& error) {
        text = error.what();
        EXPECT_EQ(static_cast<int>(error.kind), static_cast<int>(kind)) << text;
        EXPECT_NE(error.code, cudaSuccess) << text;
        EXPECT_EQ(error.earlier, cudaSuccess) << text;
        record("refused", text, cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess) << text;
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess) << text;
    if (kind != launch_error_kind::runtime) {
        EXPECT_EQ(before, text);
    }
    return text;
}

TEST_F(launch_gpu, a_launch_gets_its_arguments)
{
    launch(launch_probe<0>, {.grid = 7, .threads = 64, .dynamic_shared_bytes = sizeof(int)}, out, 5);
    EXPECT_EQ(result(), 64007005);
    launch(many_arguments, {.threads = 1}, out, 1, 20, 300, 4000, 50000, 600000, true);
    EXPECT_EQ(result(), 654322);
    EXPECT_EQ(explain_launch(launch_probe<0>, {.grid = 7, .threads = 64}), "");
}

TEST_F(launch_gpu, streams)
{
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    launch(launch_probe<1>, {.grid = 3, .threads = 32, .dynamic_shared_bytes = 64, .stream = stream}, out, 2);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(result(), 32003002);
    cudaStreamDestroy(stream);
}

// A launch into a stream that is being captured becomes a node of its graph; setting attributes does not break the
// capture.
TEST_F(launch_gpu, capture)
{
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    cudaGraph_t graph = nullptr;
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    launch(launch_probe<9>, {.grid = 2, .threads = 32, .dynamic_shared_bytes = 60000, .stream = stream}, out, 1);
    launch(launch_probe<9>, {.grid = 2, .threads = 32, .dynamic_shared_bytes = 64, .stream = stream}, out, 1);
    ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
    std::size_t nodes = 0;
    ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 2u);
    cudaGraphDestroy(graph);
    cudaStreamDestroy(stream);
}

TEST_F(launch_gpu, launch_bound)
{
    cudaFuncAttributes attributes{};
    ASSERT_EQ(cudaFuncGetAttributes(&attributes, merge<int>), cudaSuccess);
    const int code = attributes.binaryVersion;
    ASSERT_EQ(attributes.ptxVersion, code);
    const int cap = *register_cap(*find_sm_limits({code / 10, code % 10}), 512);
    EXPECT_EQ(refused(launch_error_kind::block, merge<int>, {.threads = 512}, nullptr),
              "launchbox::merge<int>: 512 threads, but it was compiled for sm_" + std::to_string(code) +
                  " with __launch_bounds__(256). Launch with 256 threads or fewer, or raise the bound (then at most " +
                  std::to_string(cap) + " registers).");
    launch(merge<int>, {.threads = 256}, nullptr);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(launch_gpu, threads_and_grids)
{
    EXPECT_EQ(refused(launch_error_kind::block, launch_probe<0>, {.threads = 2048}, out, 1),
              "launchbox::launch_probe<0>: 2,048 threads, but a block has at most 1,024. Launch with 1,024 threads or "
              "fewer.");
    for (const launch_extent& threads : {launch_extent(0), launch_extent(32, 0), launch_extent(1, 1, 65),
                                         launch_extent(-32), launch_extent((std::int64_t{1} << 32) + 32)})
        refused(launch_error_kind::block, launch_probe<0>, {.threads = threads}, out, 1);
    for (const launch_extent& grid : {launch_extent(0), launch_extent(1, 65536), launch_extent(1, 1, 65536),
                                      launch_extent(std::int64_t{1} << 31), launch_extent((std::int64_t{1} << 32) + 1)})
        refused(launch_error_kind::grid, launch_probe<0>, {.grid = grid, .threads = 32}, out, 1);
}

TEST_F(launch_gpu, registers)
{
    for (int threads = 32; threads <= max_threads_per_block; threads += 32) {
        cudaFuncAttributes attributes{};
        ASSERT_EQ(cudaFuncGetAttributes(&attributes, register_kernel<224>), cudaSuccess);
        if (threads <= attributes.maxThreadsPerBlock) {
            EXPECT_EQ(explain_launch(register_kernel<224>, {.threads = threads}), "");
            launch(register_kernel<224>, {.threads = threads}, reinterpret_cast<float*>(out), 0);
            EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        } else {
            const std::string text = refused(launch_error_kind::block, register_kernel<224>, {.threads = threads},
                                             reinterpret_cast<float*>(out), 0);
            EXPECT_NE(text.find(" registers each "), std::string::npos) << text;
            EXPECT_NE(text.find("Launch with " + std::to_string(attributes.maxThreadsPerBlock) + " threads or fewer"),
                      std::string::npos)
                << text;
        }
    }
}

TEST_F(launch_gpu, dynamic_shared_memory)
{
    const int most = limits->shared_per_block_opt_in;
    for (const int bytes : {49152, 49153, most})
        if (bytes <= most) {
            EXPECT_EQ(explain_launch(launch_probe<2>, {.threads = 32, .dynamic_shared_bytes = bytes}), "");
            launch(launch_probe<3>, {.threads = 32, .dynamic_shared_bytes = bytes}, out, bytes % 1000);
            EXPECT_EQ(result(), 32001000 + bytes % 1000);
        }
    const std::string text =
        refused(launch_error_kind::block, launch_probe<3>, {.threads = 32, .dynamic_shared_bytes = most + 1}, out, 1);
    EXPECT_NE(text.find(": 1 B too many."), std::string::npos) << text;
    refused(launch_error_kind::block, launch_probe<3>, {.threads = 32, .dynamic_shared_bytes = -4}, out, 1);
    refused(launch_error_kind::block, launch_probe<3>, {.threads = 32, .dynamic_shared_bytes = std::int64_t{1} << 40},
            out, 1);
}

// The dynamic memory is below 48 KB, its sum with the static memory above: the first try fails and must leave no error
// behind.
TEST_F(launch_gpu, static_and_dynamic_shared_memory_together)
{
    if (limits->shared_per_block_opt_in < 60000) GTEST_SKIP() << "no such block on this GPU";
    launch(staged, {.threads = 128, .dynamic_shared_bytes = 20000}, out, 41);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(result(), 42);
    const int most = limits->shared_per_block_opt_in - 40000;
    launch(staged, {.threads = 128, .dynamic_shared_bytes = most}, out, 6);
    EXPECT_EQ(result(), 7);
    const std::string text =
        refused(launch_error_kind::block, staged, {.threads = 128, .dynamic_shared_bytes = most + 1}, out, 1);
    EXPECT_NE(text.find("and 40,000 B static"), std::string::npos) << text;
}

TEST_F(launch_gpu, many_threads_opt_in_at_the_same_time)
{
    const int most = limits->shared_per_block_opt_in;
    constexpr int workers = 16, rounds = 200;
    std::vector<int> failed(workers);
    {
        std::vector<std::thread> threads;
        for (int worker = 0; worker < workers; ++worker)
            threads.emplace_back([&, worker] {
                for (int round = 0; round < rounds; ++round) {
                    // Sizes that increase and decrease: lowering the limit would break another thread's launch.
                    const int bytes = most - (worker * 997 + round * 131) % (most / 2);
                    try {
                        launch(launch_probe<4>,
                               {.threads = 32, .dynamic_shared_bytes = bytes, .stream = cudaStreamPerThread},
                               out + 1 + worker, round);
                        launch(launch_probe<5>,
                               {.threads = 32, .dynamic_shared_bytes = bytes, .stream = cudaStreamPerThread},
                               out + 1 + worker, round);
                    } catch (const launch_error& error) {
                        if (failed[static_cast<std::size_t>(worker)]++ == 0) std::printf("%s\n", error.what());
                    }
                }
                if (cudaStreamSynchronize(cudaStreamPerThread) != cudaSuccess)
                    ++failed[static_cast<std::size_t>(worker)];
            });
        for (std::thread& thread : threads) thread.join();
    }
    for (const int count : failed) EXPECT_EQ(count, 0);
}

// cudaDeviceReset clears the attributes of kernels; the header must not rely on those it set before.
TEST_F(launch_gpu, opting_in_survives_a_reset)
{
    launch(launch_probe<6>, {.threads = 32, .dynamic_shared_bytes = 60000}, out, 1);
    EXPECT_EQ(result(), 32001001);
    ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
    ASSERT_EQ(cudaMalloc(&out, 1 << 20), cudaSuccess);
    launch(launch_probe<6>, {.threads = 32, .dynamic_shared_bytes = 60000}, out, 2);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(result(), 32001002);
}

TEST_F(launch_gpu, clusters)
{
    if (device.major < 9) {
        refused(launch_error_kind::cluster, cluster_size, {.grid = 4, .threads = 32, .cluster = 2}, out);
        return;
    }
    for (const int size : {1, 2, 4, 8}) {
        launch(cluster_size, {.grid = 16, .threads = 32, .cluster = size}, out);
        EXPECT_EQ(result(), size);
    }
    if (limits->non_portable_cluster == 16) {
        EXPECT_EQ(explain_launch(cluster_size, {.grid = 32, .threads = 32, .cluster = 16}), "");
        launch(cluster_size, {.grid = 32, .threads = 32, .cluster = 16}, out);
        EXPECT_EQ(result(), 16);
    }
    const std::string indivisible =
        refused(launch_error_kind::cluster, cluster_size, {.grid = 10, .threads = 32, .cluster = 4}, out);
    EXPECT_NE(indivisible.find("does not divide a grid of 10 blocks"), std::string::npos) << indivisible;
    const std::string large =
        refused(launch_error_kind::cluster, cluster_size, {.grid = 64, .threads = 32, .cluster = 32}, out);
    EXPECT_NE(large.find("a cluster of 32 blocks, but"), std::string::npos) << large;
}

TEST_F(launch_gpu, programmatic_dependent_launch)
{
    if (device.major < 9) GTEST_SKIP() << "from 9.0 on";
    ASSERT_EQ(cudaMemset(out, 0, sizeof(int)), cudaSuccess);
    for (int i = 0; i < 100; ++i)
        launch(add_one, {.grid = 4, .threads = 32, .programmatic_dependent_launch = true}, out);
    EXPECT_EQ(result(), 100);
}

TEST_F(launch_gpu, cooperative)
{
    const int blocks = resident_blocks(launch_probe<7>, {.threads = 256, .dynamic_shared_bytes = 4});
    ASSERT_GT(blocks, 0);
    const int most = blocks * device.multiProcessorCount;
    launch(launch_probe<7>, {.grid = most, .threads = 256, .dynamic_shared_bytes = 4, .cooperative = true}, out, 0);
    EXPECT_EQ(result(), 256000000 + most * 1000);
    const std::string text =
        refused(launch_error_kind::cooperative, launch_probe<7>,
                {.grid = most + 1, .threads = 256, .dynamic_shared_bytes = 4, .cooperative = true}, out, 0);
    EXPECT_NE(text.find("are resident at once"), std::string::npos) << text;
}

TEST_F(launch_gpu, an_error_that_was_pending_is_neither_lost_nor_blamed)
{
    const auto make_pending = [] { ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice); };
    // Successful launches keep it, including those whose attribute is already set.
    make_pending();
    launch(launch_probe<8>, {.threads = 32, .dynamic_shared_bytes = 4}, out, 1);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    // Setting the attribute would clear it, so it is reported first; once the attribute is set, the error stays.
    const auto over_48_kb = [&] { launch(launch_probe<8>, {.threads = 32, .dynamic_shared_bytes = 60000}, out, 2); };
    try {
        over_48_kb();
        ADD_FAILURE() << "was launched";
    } catch (const launch_error& error) {
        EXPECT_EQ(error.kind, launch_error_kind::earlier_error);
        EXPECT_EQ(error.earlier, cudaErrorInvalidDevice);
        record("refused", error.what(), cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    over_48_kb();
    make_pending();
    over_48_kb();
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    launch(merge<int>, {.threads = 32}, nullptr);
    EXPECT_EQ(explain_launch(launch_probe<8>, {.threads = 32}), "");
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    // A launch that fails reports both.
    make_pending();
    try {
        launch(merge<int>, {.threads = 512}, nullptr);
        ADD_FAILURE() << "was launched";
    } catch (const launch_error& error) {
        const std::string text = error.what();
        EXPECT_EQ(error.earlier, cudaErrorInvalidDevice);
        EXPECT_NE(text.find("with __launch_bounds__(256)"), std::string::npos) << text;
        EXPECT_NE(text.find(" An earlier error was pending: cudaErrorInvalidDevice: "), std::string::npos) << text;
        record("refused", text, cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// The first launch of a kernel whose static and dynamic memory together need the attribute, while an error is pending.
TEST_F(launch_gpu, a_pending_error_is_not_lost_in_a_first_try)
{
    if (limits->shared_per_block_opt_in < 60000) GTEST_SKIP() << "no such block on this GPU";
    ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice);
    const auto together = [] { launch(shared_kernel<40000>, {.threads = 32, .dynamic_shared_bytes = 20000}, nullptr); };
    try {
        together();
        ADD_FAILURE() << "was launched";
    } catch (const launch_error& error) {
        EXPECT_EQ(error.earlier, cudaErrorInvalidDevice);
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    together();
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

TEST_F(launch_gpu, errors_unknown_to_the_model_are_the_runtimes)
{
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    // A stream whose capture was started in global mode and invalidated refuses every launch.
    ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), cudaSuccess);
    EXPECT_NE(cudaStreamSynchronize(stream), cudaSuccess);
    cudaGetLastError();
    try {
        launch(launch_probe<0>, {.threads = 32, .dynamic_shared_bytes = 4, .stream = stream}, out, 1);
        ADD_FAILURE() << "was launched";
    } catch (const launch_error& error) {
        const std::string text = error.what();
        EXPECT_EQ(static_cast<int>(error.kind), static_cast<int>(launch_error_kind::runtime)) << text;
        EXPECT_NE(text.find(cudaGetErrorName(error.code)), std::string::npos) << text;
        record("refused", text, cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    cudaGraph_t graph = nullptr;
    cudaStreamEndCapture(stream, &graph);
    cudaStreamDestroy(stream);
    cudaGetLastError();
}

TEST_F(launch_gpu, no_kernel)
{
    void (*const null)(int*) = nullptr;
    EXPECT_EQ(refused(launch_error_kind::not_a_kernel, null, {.threads = 32}, out),
              "kernel (int*): the pointer to the kernel is null.");
    EXPECT_THROW(kernel_resources_of(null), launch_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// A kernel that wrote to an invalid address ends the context: later launches are not to blame. In a process of its own.
TEST_F(launch_gpu, a_sticky_error_of_an_earlier_kernel)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(
        {
            launch(write_nowhere, {.threads = 32}, reinterpret_cast<int*>(0x10));
            cudaDeviceSynchronize();
            try {
                launch(merge<int>, {.threads = 512}, nullptr);
            } catch (const launch_error& error) {
                std::fprintf(stderr, "%s\n", error.what());
                std::_Exit(error.kind == launch_error_kind::earlier_error ? 0 : 3);
            }
            std::_Exit(4);
        },
        testing::ExitedWithCode(0), "an earlier error was pending: cudaErrorIllegalAddress");
}

// The typed kernels of kernels.cuh; the first member is for the runtime.
template <class Visitor>
void for_each_kernel(const Visitor& visit)
{
    visit("registers 24", register_kernel<24>);
    visit("registers 40", register_kernel<40>);
    visit("registers 64", register_kernel<64>);
    visit("registers 96", register_kernel<96>);
    visit("registers 128", register_kernel<128>);
    visit("registers 168", register_kernel<168>);
    visit("registers 224", register_kernel<224>);
    visit("registers 255", register_kernel<255>);
    visit("barriers 0", barrier_kernel<0>);
    visit("barriers 1", barrier_kernel<1>);
    visit("barriers 3", barrier_kernel<3>);
    visit("barriers 8", barrier_kernel<8>);
    visit("barriers 16", barrier_kernel<16>);
    visit("shared 1000", shared_kernel<1000>);
    visit("shared 20000", shared_kernel<20000>);
    visit("bound 256,2", bounded_kernel<256, 2>);
    visit("bound 1024,1", bounded_kernel<1024, 1>);
}

// The header is not given the barriers: it finds them itself.
TEST_F(launch_gpu, resident_blocks_are_the_runtimes)
{
    double compared = 0, differing = 0, over_bound = 0;
    for_each_kernel([&](const char* name, auto kernel) {
        const kernel_resources resources = kernel_resources_of(kernel);
        const std::int64_t most = limits->shared_per_block_opt_in - resources.static_shared_bytes;
        ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
                  cudaSuccess);
        record("barriers_found", name, resources.barriers);
        for (const int carveout : {-1, 0, 50}) {
            ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, carveout),
                      cudaSuccess);
            for (int threads = 32; threads <= max_threads_per_block; threads += carveout < 0 ? 16 : 96)
                for (std::int64_t dynamic = 0; dynamic <= most; dynamic += carveout < 0 ? 9973 : 29989) {
                    int runtime = -1;
                    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, kernel, threads,
                                                                            static_cast<std::size_t>(dynamic)),
                              cudaSuccess);
                    const launch_shape shape{.threads = threads, .dynamic_shared_bytes = dynamic};
                    const int ours = resident_blocks(kernel, shape);
                    ++compared;
                    if (threads > resources.max_threads) {  // the exception: its launch fails
                        over_bound += runtime > 0;
                        EXPECT_EQ(ours, 0) << name << ", " << threads << " threads";
                    } else if (ours != runtime && ++differing <= 10) {
                        EXPECT_EQ(ours, runtime) << name << " (" << resources.registers << " registers), " << threads
                                                 << " threads, " << dynamic << " B, carveout " << carveout;
                    }
                }
        }
        ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, -1), cudaSuccess);
    });
    record("resident_blocks", "compared", compared);
    record("resident_blocks", "differing", differing);
    record("resident_blocks", "over the launch bound, where the runtime gives blocks", over_bound);
    std::printf("%.0f shapes, %.0f differences, %.0f over a launch bound\n", compared, differing, over_bound);
    EXPECT_GT(compared, 10000);
    EXPECT_GT(over_bound, 0) << "the runtime has learned about launch bounds: say so in the documentation";
    if (limits->barriers_per_sm) {
        EXPECT_GT(kernel_resources_of(barrier_kernel<16>).barriers, 0);
    }
}

TEST_F(launch_gpu, a_block_over_the_bound_is_explained_although_the_runtime_counts_blocks)
{
    const occupancy_result account = occupancy_of(bounded_kernel<256, 2>, {.threads = 512});
    EXPECT_EQ(account.resident_blocks, 0);
    EXPECT_EQ(static_cast<int>(account.obstacle), static_cast<int>(launch_obstacle::over_launch_bound));
    const occupancy_result good = occupancy_of(bounded_kernel<256, 2>, {.threads = 256});
    EXPECT_GT(good.resident_blocks, 0);
    EXPECT_FALSE(good.limiters.empty());
}

struct bytes_a_thread {
    int bytes;
    __host__ __device__ int operator()(int threads) const { return threads * bytes; }
};

TEST_F(launch_gpu, block_sizes_are_the_runtimes)
{
    int compared = 0;
    for_each_kernel([&](const char* name, auto kernel) {
        const std::int64_t most = limits->shared_per_block_opt_in - kernel_resources_of(kernel).static_shared_bytes;
        ASSERT_EQ(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(most)),
                  cudaSuccess);
        for (const int bytes : {0, 4, 96}) {
            int grid = 0, threads = 0, blocks = 0;
            ASSERT_EQ(cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &threads, kernel, bytes_a_thread{bytes}),
                      cudaSuccess);
            const block_size_suggestion ours = suggest_block_size(kernel, bytes_a_thread{bytes});
            EXPECT_EQ(ours.threads, threads) << name << ", " << bytes << " B a thread";
            EXPECT_EQ(ours.grid, grid) << name << ", " << bytes << " B a thread";
            EXPECT_EQ(ours.dynamic_shared_bytes, threads * bytes) << name;
            ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads,
                                                                    static_cast<std::size_t>(threads * bytes)),
                      cudaSuccess);
            EXPECT_EQ(ours.resident_blocks, blocks) << name << ", " << bytes << " B a thread";
            EXPECT_FALSE(ours.limiters.empty()) << name;
            EXPECT_GT(ours.occupancy, 0) << name;
            ++compared;
        }
        for (const int fixed : {0, 5000, 40000}) {
            int grid = 0, threads = 0;
            if (fixed > most) continue;
            ASSERT_EQ(cudaOccupancyMaxPotentialBlockSize(&grid, &threads, kernel, static_cast<std::size_t>(fixed)),
                      cudaSuccess);
            const block_size_suggestion ours = suggest_block_size(kernel, fixed);
            EXPECT_EQ(ours.threads, threads) << name << ", " << fixed << " B";
            EXPECT_EQ(ours.grid, grid) << name << ", " << fixed << " B";
            ++compared;
        }
        const block_size_suggestion limited = suggest_block_size(kernel, 0, {.max_threads = 128, .multiple = 64});
        EXPECT_TRUE(limited.threads == 64 || limited.threads == 128) << name << ": " << limited.threads;
    });
    record("block_size", "compared", compared);
}

TEST_F(launch_gpu, available_dynamic_shared_memory_is_enough)
{
    for (const int blocks : {1, 2, 3, 4, 8, 16}) {
        const auto bytes = available_dynamic_shared(barrier_kernel<1>, 128, blocks);
        if (!bytes) continue;
        EXPECT_GE(resident_blocks(barrier_kernel<1>, {.threads = 128, .dynamic_shared_bytes = *bytes}), blocks);
        EXPECT_LT(resident_blocks(barrier_kernel<1>, {.threads = 128, .dynamic_shared_bytes = *bytes + 1}), blocks);
        ASSERT_EQ(cudaFuncSetAttribute(barrier_kernel<1>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       limits->shared_per_block_opt_in),
                  cudaSuccess);
        int runtime = -1;
        ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, barrier_kernel<1>, 128,
                                                                static_cast<std::size_t>(*bytes)),
                  cudaSuccess);
        EXPECT_GE(runtime, blocks);
        record("available_dynamic_shared", std::to_string(blocks) + " blocks asked, bytes",
               static_cast<double>(*bytes));
    }
}

}  // namespace
}  // namespace launchbox
