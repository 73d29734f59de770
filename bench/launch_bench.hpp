// Launches and timing of launch_bench.cu and launch_box_bench.cu; the .cpp files beside them do rounds and ratios.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <vector>

namespace launchbox::bench {

/// One way to launch one kernel. `batch(n)` launches it n times and returns the host nanoseconds per launch.
struct launch_way {
    std::string kernel;  ///< ways with the same kernel are compared
    std::string way;     ///< such as "<<<>>>", "cudaLaunchKernelEx" or "launchbox::launch"
    double (*batch)(int launches) = nullptr;
};

std::vector<launch_way> launch_ways();

/// Launches per batch: fewer than a stream's queue holds.
inline constexpr int launches_of_batch = 200;

/// Nanoseconds per `launch()`. A batch starts with an idle GPU and is shorter than its queue, so only the host's call
/// is timed and never a wait for space in the queue.
template <class Launch>
double timed(int launches, const Launch& launch)
{
    cudaDeviceSynchronize();
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches; ++i) launch();
    const auto end = std::chrono::steady_clock::now();
    cudaDeviceSynchronize();
    return std::chrono::duration<double, std::nano>(end - begin).count() / launches;
}

inline double median(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// By kernel and way: the nanoseconds of a launch, one value per round.
using launch_times = std::map<std::string, std::map<std::string, std::vector<double>>>;

/// Each round times all ways in a new random order.
inline launch_times measure(int rounds)
{
    std::vector<launch_way> ways = launch_ways();
    std::mt19937 random(1);
    for (const launch_way& each : ways) each.batch(launches_of_batch);  // loads kernels, opts in
    launch_times result;
    for (int round = 0; round < rounds; ++round) {
        std::shuffle(ways.begin(), ways.end(), random);
        for (const launch_way& each : ways) result[each.kernel][each.way].push_back(each.batch(launches_of_batch));
    }
    return result;
}

/// Empty if there is no GPU.
inline std::string gpu_name()
{
    int count = 0;
    cudaDeviceProp properties{};
    if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) return "";
    return cudaGetDeviceProperties(&properties, 0) == cudaSuccess ? properties.name : "";
}

/// Empty, or the error pending in the runtime at the end of a measurement.
inline std::string pending_error()
{
    const cudaError_t code = cudaGetLastError();
    return code == cudaSuccess ? "" : cudaGetErrorString(code);
}

}  // namespace launchbox::bench
