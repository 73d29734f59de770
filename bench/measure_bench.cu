// How repeatable launchbox::measure is: the spread (largest / smallest) of 20 medians of one kernel, against the mean
// of 7 event timings without flushing and holding, as in Kernel Tuner. All ways of timing a kernel alternate in one
// process. Goal: cold medians within 1 %. Needs a GPU; without one it reports that and exits with 3.
//
//     measure_bench [repeats]        LAUNCHBOX_RECORD=FILE writes the figures to FILE
#include <launchbox/measure.cuh>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record.hpp"

namespace launchbox::bench {
namespace {

constexpr double goal_percent = 1;

__global__ void spin(unsigned long long ns, unsigned long long* passed)
{
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
    *passed = now - begin;
}

__global__ void scale(const float4* in, float4* out, int count)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const float4 each = in[i];
        out[i] = {2 * each.x, 2 * each.y, 2 * each.z, 2 * each.w};
    }
}

using work = std::function<void(cudaStream_t)>;

struct outcome {
    double ns = 0, seconds = 0;
    std::size_t samples = 0;
};

outcome by_measure(const work& call, l2_state l2)
{
    const auto begin = std::chrono::steady_clock::now();
    const measurement_result m = measure(call, {.l2 = l2});
    if (!m.measured()) {
        std::fprintf(stderr, "measure_bench: %s\n", m.reason.c_str());
        std::exit(1);
    }
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begin;
    return {m.median_ns, passed.count(), m.samples_ns.size()};
}

outcome by_mean_of_7(const work& call)
{
    const auto clock = std::chrono::steady_clock::now();
    cudaEvent_t begin = nullptr, end = nullptr;
    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    double sum = 0;
    for (int i = 0; i < 7; ++i) {
        cudaEventRecord(begin);
        call(nullptr);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        float milliseconds = 0;
        cudaEventElapsedTime(&milliseconds, begin, end);
        sum += static_cast<double>(milliseconds) * 1e6;
    }
    cudaEventDestroy(begin);
    cudaEventDestroy(end);
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - clock;
    return {sum / 7, passed.count(), 7};
}

double median_of(std::vector<double> values)
{
    return detail::estimate_median(std::move(values)).median;
}

void compare(const std::string& kernel, const work& call, int repeats, nlohmann::ordered_json& json)
{
    const std::vector<std::pair<std::string, std::function<outcome()>>> ways{
        {"measure, cold", [&] { return by_measure(call, l2_state::cold); }},
        {"measure, hot", [&] { return by_measure(call, l2_state::hot); }},
        {"mean of 7", [&] { return by_mean_of_7(call); }}};
    std::vector<std::vector<double>> ns(ways.size()), seconds(ways.size()), samples(ways.size());
    for (int i = 0; i < repeats; ++i)
        for (std::size_t way = 0; way < ways.size(); ++way) {
            const outcome each = ways[way].second();
            ns[way].push_back(each.ns);
            seconds[way].push_back(each.seconds);
            samples[way].push_back(static_cast<double>(each.samples));
        }
    for (std::size_t way = 0; way < ways.size(); ++way) {
        const auto [least, greatest] = std::minmax_element(ns[way].begin(), ns[way].end());
        const double percent = (*greatest / *least - 1) * 100;
        const bool promised = way == 0;
        std::printf("%-16s %-16s %12.3f %10.3f %9.0f %9.1f%s\n", kernel.c_str(), ways[way].first.c_str(),
                    median_of(ns[way]) / 1e3, percent, median_of(samples[way]), median_of(seconds[way]) * 1e3,
                    promised && percent > goal_percent ? "  missed" : "");
        nlohmann::ordered_json row{{"kernel", kernel},
                                   {"way", ways[way].first},
                                   {"median_us", median_of(ns[way]) / 1e3},
                                   {"spread_percent", percent},
                                   {"samples", median_of(samples[way])},
                                   {"ms_a_measurement", median_of(seconds[way]) * 1e3}};
        if (promised) row["goal_percent"] = goal_percent;
        json.push_back(row);
    }
}

}  // namespace
}  // namespace launchbox::bench

int main(int count, char** arguments)
{
    using namespace launchbox::bench;
    const int repeats = count > 1 ? std::atoi(arguments[1]) : 20;
    if (count > 2 || repeats < 1) {
        std::fprintf(stderr, "measure_bench [repeats]: repeats are 1 or more\n");
        return 2;
    }
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fprintf(stderr, "measure_bench needs a GPU, and there is none here\n");
        return 3;
    }
    constexpr int large = 1 << 28;
    void *in = nullptr, *out = nullptr;
    if (cudaMalloc(&in, large) != cudaSuccess || cudaMalloc(&out, large) != cudaSuccess) {
        std::fprintf(stderr, "measure_bench needs 512 MiB of the GPU's memory\n");
        return 3;
    }
    const auto spinning = [&](unsigned long long ns) {
        return [=](cudaStream_t s) { spin<<<1, 1, 0, s>>>(ns, static_cast<unsigned long long*>(out)); };
    };
    const auto scaling = [&](int bytes) {
        return [=](cudaStream_t s) {
            const int vectors = bytes / 16;
            scale<<<std::min((vectors + 255) / 256, 4096), 256, 0, s>>>(static_cast<const float4*>(in),
                                                                        static_cast<float4*>(out), vectors);
        };
    };
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, 0);
    nlohmann::ordered_json rows;
    std::printf("%s, %d repeats\n%-16s %-16s %12s %10s %9s %9s\n", properties.name, repeats, "kernel", "way",
                "median us", "spread %", "samples", "ms each");
    compare("spin 20 us", spinning(20'000), repeats, rows);
    compare("spin 2 ms", spinning(2'000'000), repeats, rows);
    compare("scale 64 KiB", scaling(1 << 16), repeats, rows);
    compare("scale 8 MiB", scaling(1 << 23), repeats, rows);
    compare("scale 256 MiB", scaling(large), repeats, rows);
    record("bench/measure_bench", {{"device", properties.name}, {"repeats", repeats}, {"measurements", rows}});
    cudaFree(in);
    cudaFree(out);
    return 0;
}
