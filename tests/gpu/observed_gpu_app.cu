// Launches kernels in every possible way and prints what it launched: a line "KERNEL GRID BLOCK CLUSTER SHARED COUNT
// HOW" for each, where HOW is plain or words joined by a plus: cooperative, extended (with attributes), graph, child
// (of a graph). For bench/measure_capture.
//
//   observed_gpu_app ways           all of them
//   observed_gpu_app many COUNT NS  COUNT launches of a kernel that takes about NS nanoseconds; prints the seconds they
//   took
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#define CHECK(call)                                                              \
    do {                                                                         \
        const cudaError_t result = (call);                                       \
        if (result != cudaSuccess) {                                             \
            std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(result)); \
            std::exit(2);                                                        \
        }                                                                        \
    } while (false)

extern "C" __global__ void ordinary(float* data, int n)
{
    const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (at < n) data[at] = data[at] * 0.5f + 1;
}

extern "C" __global__ void with_dynamic_shared(float* data)
{
    extern __shared__ float tile[];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void with_static_shared(float* data)
{
    __shared__ float tile[2048];
    tile[threadIdx.x] = data[threadIdx.x];
    __syncthreads();
    data[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern "C" __global__ void __launch_bounds__(1024, 2) with_spills(float* data, int rounds)
{
    float kept[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) kept[i] = data[i * 1024 + threadIdx.x];
    for (int round = 0; round < rounds; ++round)
#pragma unroll
        for (int i = 0; i < 64; ++i) kept[i] = kept[i] * kept[(i + 7) % 64] + static_cast<float>(round);
#pragma unroll
    for (int i = 0; i < 64; ++i) data[i * 1024 + threadIdx.x] = kept[i];
}

extern "C" __global__ void cooperative(float* data)
{
    cooperative_groups::this_grid().sync();
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" __global__ void clustered(float* data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

// Without a grid barrier, so that every kind of launch works.
extern "C" __global__ void together_or_not(float* data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" __global__ void in_graph(float* data)
{
    data[blockIdx.x * blockDim.x + threadIdx.x] += 1;
}

extern "C" __global__ void after_another(float* data)
{
#if __CUDA_ARCH__ >= 900
    cudaGridDependencySynchronize();
#endif
    data[threadIdx.x] += 1;
}

extern "C" __global__ void from_threads(float* data)
{
    data[threadIdx.x] += 1;
}

template <class Number>
__global__ void of_type(Number* data)
{
    data[threadIdx.x] += Number(1);
}

__global__ void takes(long long ns)
{
    long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begin < ns);
}

namespace {

void say(const char* kernel, unsigned grid, unsigned block, unsigned cluster, unsigned shared, int count,
         const char* how)
{
    std::printf("%s %u %u %u %u %d %s\n", kernel, grid, block, cluster, shared, count, how);
}

cudaLaunchConfig_t config_of(unsigned grid, unsigned block, cudaLaunchAttribute* attributes, unsigned count)
{
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(grid);
    config.blockDim = dim3(block);
    config.attrs = attributes;
    config.numAttrs = count;
    return config;
}

cudaLaunchAttribute cooperative_attribute(int value)
{
    cudaLaunchAttribute attribute{};
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = value;
    return attribute;
}

// Gets a function of the driver; nvcc does not link libcuda.
template <class Function>
Function driver_function(const char* name)
{
    void* found = nullptr;
    cudaDriverEntryPointQueryResult answer{};
    CHECK(cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &answer));
    if (found == nullptr) std::exit(2);
    return reinterpret_cast<Function>(found);
}

// One kernel and shape, cooperative and not: the launches differ only in that.
void launch_together_or_not(float* data, cudaStream_t stream)
{
    void* const kernel = reinterpret_cast<void*>(together_or_not);
    void* arguments[] = {&data};
    const dim3 grid(64), block(128);
    const auto extended = [&](std::vector<cudaLaunchAttribute> attributes, int count) {
        cudaLaunchConfig_t config = config_of(64, 128, attributes.data(), static_cast<unsigned>(attributes.size()));
        config.stream = stream;
        for (int i = 0; i < count; ++i) CHECK(cudaLaunchKernelExC(&config, kernel, arguments));
    };
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {2, 1, 1};

    for (int i = 0; i < 3; ++i) together_or_not<<<grid, block>>>(data);
    for (int i = 0; i < 5; ++i) CHECK(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, stream));
    for (int i = 0; i < 6; ++i)
        CHECK(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, cudaStreamPerThread));
    extended({cooperative_attribute(1)}, 7);
    extended({cooperative_attribute(0)}, 9);
    extended({}, 2);  // for CUPTI this is a launch with attributes, too
    extended({cooperative_attribute(1), cluster}, 4);
    extended({cooperative_attribute(0), cluster}, 8);

    cudaFunction_t handle{};
    CHECK(cudaGetFuncBySymbol(&handle, kernel));
    const auto driver_launch = driver_function<decltype(&cuLaunchCooperativeKernel)>("cuLaunchCooperativeKernel");
    const auto driver_extended = driver_function<decltype(&cuLaunchKernelEx)>("cuLaunchKernelEx");
    for (int i = 0; i < 10; ++i)
        if (driver_launch(handle, 64, 1, 1, 128, 1, 1, 0, stream, arguments) != CUDA_SUCCESS) std::exit(2);
    CUlaunchAttribute attribute{};
    attribute.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    attribute.value.cooperative = 1;
    CUlaunchConfig config{};
    config.gridDimX = 64;
    config.blockDimX = 128;
    config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
    config.hStream = stream;
    config.attrs = &attribute;
    config.numAttrs = 1;
    for (int i = 0; i < 12; ++i)
        if (driver_extended(&config, handle, arguments, nullptr) != CUDA_SUCCESS) std::exit(2);

    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread)
        threads.emplace_back([&] {
            cudaStream_t own{};
            CHECK(cudaStreamCreate(&own));
            for (int i = 0; i < 20; ++i) {
                CHECK(cudaLaunchCooperativeKernel(kernel, grid, block, arguments, 0, own));
                together_or_not<<<grid, block, 0, own>>>(data);
            }
            CHECK(cudaStreamSynchronize(own));
        });
    for (std::thread& thread : threads) thread.join();
    say("together_or_not", 64, 128, 1, 0, 3 + 4 * 20, "plain");
    say("together_or_not", 64, 128, 1, 0, 5 + 6 + 7 + 10 + 12 + 4 * 20, "cooperative");
    say("together_or_not", 64, 128, 1, 0, 9 + 2, "extended");
    say("together_or_not", 64, 128, 2, 0, 4, "cooperative");
    say("together_or_not", 64, 128, 2, 0, 8, "extended");
}

// The same as graph nodes: from a captured stream, with the attribute set later, cloned, and as a child.
void launch_graphs_together_or_not(float* data, cudaStream_t stream)
{
    void* const kernel = reinterpret_cast<void*>(together_or_not);
    void* arguments[] = {&data};
    const dim3 grid(32), block(64);
    cudaGraph_t captured{}, clone{}, made{}, inner{}, parent{};
    const auto capture = [&](cudaGraph_t& to, const dim3& blocks) {
        CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
        for (int i = 0; i < 2; ++i) CHECK(cudaLaunchCooperativeKernel(kernel, blocks, block, arguments, 0, stream));
        for (int i = 0; i < 3; ++i) together_or_not<<<blocks, block, 0, stream>>>(data);
        CHECK(cudaStreamEndCapture(stream, &to));
    };
    capture(captured, grid);
    capture(inner, dim3(16));
    CHECK(cudaGraphClone(&clone, captured));

    CHECK(cudaGraphCreate(&made, 0));
    cudaKernelNodeParams parameters{};
    parameters.func = kernel;
    parameters.gridDim = grid;
    parameters.blockDim = block;
    parameters.kernelParams = arguments;
    cudaGraphNode_t later{}, never{}, child{};
    CHECK(cudaGraphAddKernelNode(&later, made, nullptr, 0, &parameters));
    CHECK(cudaGraphAddKernelNode(&never, made, &later, 1, &parameters));
    const cudaLaunchAttribute cooperative = cooperative_attribute(1);
    CHECK(cudaGraphKernelNodeSetAttribute(later, cudaLaunchAttributeCooperative, &cooperative.val));
    CHECK(cudaGraphCreate(&parent, 0));
    CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, inner));

    int together = 0, apart = 0;
    const auto launch = [&](cudaGraph_t graph, int count, int cooperative_nodes, int other_nodes) {
        cudaGraphExec_t ready{};
        CHECK(cudaGraphInstantiate(&ready, graph, 0));
        for (int i = 0; i < count; ++i) CHECK(cudaGraphLaunch(ready, stream));
        CHECK(cudaStreamSynchronize(stream));
        together += count * cooperative_nodes;
        apart += count * other_nodes;
    };
    launch(captured, 4, 2, 3);
    launch(captured, 1, 2, 3);
    launch(clone, 3, 2, 3);
    launch(made, 5, 1, 1);
    say("together_or_not", 32, 64, 1, 0, together, "cooperative+graph");
    say("together_or_not", 32, 64, 1, 0, apart, "graph");
    launch(parent, 2, 2, 3);
    say("together_or_not", 16, 64, 1, 0, 2 * (2 + 3), "graph+child");
}

void launch_all_ways()
{
    float* data = nullptr;
    CHECK(cudaMalloc(&data, std::size_t{64} << 20));
    CHECK(cudaMemset(data, 0, std::size_t{64} << 20));

    for (int i = 0; i < 100; ++i) ordinary<<<1000, 256>>>(data, 256000);
    for (int i = 0; i < 50; ++i) ordinary<<<40, 100>>>(data, 4000);
    say("ordinary", 1000, 256, 1, 0, 100, "plain");
    say("ordinary", 40, 100, 1, 0, 50, "plain");

    CHECK(cudaFuncSetAttribute(with_dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 100000));
    CHECK(cudaFuncSetAttribute(with_dynamic_shared, cudaFuncAttributePreferredSharedMemoryCarveout, 100));
    for (int i = 0; i < 30; ++i) with_dynamic_shared<<<500, 128, 100000>>>(data);
    say("with_dynamic_shared", 500, 128, 1, 100000, 30, "plain");
    for (int i = 0; i < 30; ++i) with_static_shared<<<500, 512>>>(data);
    say("with_static_shared", 500, 512, 1, 0, 30, "plain");
    for (int i = 0; i < 20; ++i) with_spills<<<264, 1024>>>(data, 10);
    say("with_spills", 264, 1024, 1, 0, 20, "plain");
    of_type<<<7, 32>>>(data);
    of_type<<<7, 32>>>(reinterpret_cast<int*>(data));
    say("_Z7of_typeIfEvPT_", 7, 32, 1, 0, 1, "plain");
    say("_Z7of_typeIiEvPT_", 7, 32, 1, 0, 1, "plain");

    void* arguments[] = {&data};
    for (int i = 0; i < 11; ++i)
        CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperative), dim3(64), dim3(128), arguments, 0,
                                          nullptr));
    say("cooperative", 64, 128, 1, 0, 11, "cooperative");

    cudaLaunchAttribute cluster[1]{};
    cluster[0].id = cudaLaunchAttributeClusterDimension;
    cluster[0].val.clusterDim = {4, 1, 1};
    cudaLaunchConfig_t config = config_of(64, 128, cluster, 1);
    for (int i = 0; i < 13; ++i) CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<void*>(clustered), arguments));
    say("clustered", 64, 128, 4, 0, 13, "extended");

    cudaStream_t stream{};
    CHECK(cudaStreamCreate(&stream));
    cudaLaunchAttribute dependent[1]{};
    dependent[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    dependent[0].val.programmaticStreamSerializationAllowed = 1;
    config = config_of(3, 64, dependent, 1);
    config.stream = stream;
    for (int i = 0; i < 17; ++i) CHECK(cudaLaunchKernelExC(&config, reinterpret_cast<void*>(after_another), arguments));
    say("after_another", 3, 64, 1, 0, 17, "extended");

    cudaGraph_t graph{};
    cudaGraphExec_t ready{};
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < 10; ++i) in_graph<<<20, 64, 0, stream>>>(data);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&ready, graph, 0));
    for (int i = 0; i < 5; ++i) CHECK(cudaGraphLaunch(ready, stream));
    say("in_graph", 20, 64, 1, 0, 50, "graph");
    CHECK(cudaDeviceSynchronize());
    launch_together_or_not(data, stream);
    launch_graphs_together_or_not(data, stream);

    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
        threads.emplace_back([&] {
            cudaStream_t own{};
            CHECK(cudaStreamCreate(&own));
            for (int n = 0; n < 25; ++n) from_threads<<<2, 32, 0, own>>>(data);
            CHECK(cudaStreamSynchronize(own));
        });
    for (std::thread& thread : threads) thread.join();
    say("from_threads", 2, 32, 1, 0, 200, "plain");
    CHECK(cudaDeviceSynchronize());
}

void launch_many(long count, long long ns)
{
    takes<<<1, 32>>>(0);
    CHECK(cudaDeviceSynchronize());
    const auto begin = std::chrono::steady_clock::now();
    for (long i = 0; i < count; ++i) takes<<<1, 32>>>(ns);
    CHECK(cudaDeviceSynchronize());
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%.6f\n", seconds.count());
}

}  // namespace

int main(int count, char** words)
{
    if (count == 2 && std::strcmp(words[1], "ways") == 0)
        launch_all_ways();
    else if (count == 4 && std::strcmp(words[1], "many") == 0)
        launch_many(std::atol(words[2]), std::atoll(words[3]));
    else
        return 2;
    return 0;
}
