// The launches of launch_bench.
#include "launch_bench.hpp"

#include <launchbox/launch.cuh>

namespace launchbox::bench {
namespace {

__global__ void empty() {}
__global__ void eight(const float*, const float*, float*, int, int, long long, double, float) {}
__global__ void large_shared()
{
    extern __shared__ int dynamic[];
    if (gridDim.x == 0) dynamic[0] = 1;  // never true: only the size counts
}

constexpr int threads = 128;
constexpr std::size_t shared_bytes = 65536;

cudaLaunchConfig_t native(std::size_t bytes)
{
    cudaLaunchConfig_t config{};
    config.gridDim = dim3(1);
    config.blockDim = dim3(threads);
    config.dynamicSmemBytes = bytes;
    return config;
}

double empty_chevrons(int launches)
{
    return timed(launches, [] { empty<<<1, threads>>>(); });
}
double empty_native(int launches)
{
    return timed(launches, [] {
        const cudaLaunchConfig_t config = native(0);
        cudaLaunchKernelEx(&config, empty);
    });
}
double empty_ours(int launches)
{
    return timed(launches, [] { launchbox::launch(empty, {.grid = 1, .threads = threads}); });
}

double eight_chevrons(int launches)
{
    return timed(launches, [] { eight<<<1, threads>>>(nullptr, nullptr, nullptr, 1, 2, 3, 4, 5); });
}
double eight_native(int launches)
{
    return timed(launches, [] {
        const cudaLaunchConfig_t config = native(0);
        cudaLaunchKernelEx(&config, eight, nullptr, nullptr, nullptr, 1, 2, 3, 4, 5);
    });
}
double eight_ours(int launches)
{
    return timed(launches, [] {
        launchbox::launch(eight, {.grid = 1, .threads = threads}, nullptr, nullptr, nullptr, 1, 2, 3, 4, 5);
    });
}

// The peers opt in once, before timing; launchbox::launch checks at every launch whether it has opted in.
void opt_in_once()
{
    static const cudaError_t once =
        cudaFuncSetAttribute(large_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared_bytes));
    static_cast<void>(once);
}
double shared_chevrons(int launches)
{
    opt_in_once();
    return timed(launches, [] { large_shared<<<1, threads, shared_bytes>>>(); });
}
double shared_native(int launches)
{
    opt_in_once();
    return timed(launches, [] {
        const cudaLaunchConfig_t config = native(shared_bytes);
        cudaLaunchKernelEx(&config, large_shared);
    });
}
double shared_ours(int launches)
{
    return timed(launches, [] {
        launchbox::launch(large_shared, {.grid = 1, .threads = threads, .dynamic_shared_bytes = shared_bytes});
    });
}

}  // namespace

std::vector<launch_way> launch_ways()
{
    const char *chevrons = "<<<>>>", *native_call = "cudaLaunchKernelEx", *ours = "launchbox::launch";
    return {{"empty kernel", chevrons, empty_chevrons},
            {"empty kernel", native_call, empty_native},
            {"empty kernel", ours, empty_ours},
            {"8 arguments", chevrons, eight_chevrons},
            {"8 arguments", native_call, eight_native},
            {"8 arguments", ours, eight_ours},
            {"64 KB dynamic shared", chevrons, shared_chevrons},
            {"64 KB dynamic shared", native_call, shared_native},
            {"64 KB dynamic shared", ours, shared_ours}};
}

}  // namespace launchbox::bench
