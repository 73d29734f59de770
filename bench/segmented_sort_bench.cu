// launchbox::segmented_merge_sort against cub::DeviceSegmentedSort::StableSortKeys and StableSortPairs. Segments have
// between half of a size and that size, as in CUB's own benchmark but for more sizes, or sizes with a heavy tail (a
// log-normal distribution, called power law below), so that few segments have most elements. Every result is compared
// with CUB's, byte for byte. Needs a GPU:
//
//     nvcc -std=c++20 -O3 -arch=sm_90 -I include bench/segmented_sort_bench.cu -o segmented_sort_bench
//     ./segmented_sort_bench [type [sizes [elements]]]   u32, u64, f32, i16, u32-u32 or u64-u64, "all" for all of them,
//                             of segments of up to a size, such as 18,4096, 0 for the power law, "all" for all of them,
//                             and of how many elements, as powers of two, such as 20,22; 14, 16 and 18 only so
//
// With -DKEY=u32 -DVALUE=u32 (or none) it is a program for one type: bench/measure_segmented_sort compiles one for each
// type on all cores and runs them.
//
// Prints a line for each cell: median microseconds, with the L2 flushed before each sample; at the end the geometric
// means. Exits with 1 if a result differs, and with 77 without a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_segmented_sort.cuh>
#include <cub/version.cuh>
#include <launchbox/algorithms/segmented_merge_sort.cuh>
#include <launchbox/measure.cuh>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

#include "sort_bench.cuh"

namespace {

using namespace sort_bench;

using none = void;

std::vector<double> ratios;

template <class Key>
__global__ void make_keys(Key* keys, std::int64_t n)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        keys[i] = static_cast<Key>(std::is_integral_v<Key> ? mixed(i) : mixed(i) >> 40);
}

template <class Value>
__global__ void make_values(Value* values, std::int64_t n)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        values[i] = static_cast<Value>(i);
}

std::vector<int> uniform_offsets(std::int64_t n, std::int64_t most)
{
    std::mt19937_64 random(n + most);
    std::vector<int> offsets{0};
    while (offsets.back() < n) {
        const std::int64_t size =
            std::uniform_int_distribution<std::int64_t>(std::max<std::int64_t>(1, most / 2), most)(random);
        offsets.push_back(static_cast<int>(std::min(n, offsets.back() + size)));
    }
    return offsets;
}

std::vector<int> power_law_offsets(std::int64_t n, std::int64_t segments)
{
    std::mt19937_64 random(n + segments);
    std::lognormal_distribution<double> size(3, 1.2);
    std::vector<double> sizes(segments);
    double sum = 0;
    for (double& each : sizes) sum += each = size(random);
    std::vector<int> offsets{0};
    double until = 0;
    for (const double each : sizes) {
        until += each;
        offsets.push_back(static_cast<int>(std::min<double>(n, std::floor(until / sum * static_cast<double>(n)))));
    }
    offsets.back() = static_cast<int>(n);
    return offsets;
}

template <class Key, class Value>
void compare(const char* type, std::int64_t n, const std::string& name, const std::vector<int>& offsets)
{
    constexpr bool has_values = !std::is_void_v<Value>;
    using value = std::conditional_t<has_values, Value, unsigned char>;
    const auto segments = static_cast<std::int64_t>(offsets.size()) - 1;
    const std::size_t count = static_cast<std::size_t>(n), values_count = has_values ? count : 0;
    const device_array<Key> in(count), sorted(count), cubs_sorted(count);
    const device_array<value> values_in(values_count), values(values_count), cubs_values(values_count);
    const device_array<int> where(offsets.size());
    const device_array<unsigned long long> differences(1);
    if (failed) return;
    make_keys<<<2048, 256>>>(in.data, n);
    if (has_values) make_values<<<2048, 256>>>(values_in.data, n);
    check(cudaMemcpy(where.data, offsets.data(), offsets.size() * sizeof(int), cudaMemcpyHostToDevice), "offsets");
    check(cudaMemset(differences.data, 0, sizeof(unsigned long long)), "count");

    const auto sort_ours = [&](cudaStream_t stream, launchbox::workspace space) {
        if constexpr (has_values)
            launchbox::segmented_merge_sort(stream, sorted.data, values.data, n, where.data, segments,
                                            launchbox::less{}, space);
        else
            launchbox::segmented_merge_sort(stream, sorted.data, n, where.data, segments, launchbox::less{}, space);
    };
    const auto sort_cubs = [&](cudaStream_t stream, void* memory, std::size_t& bytes) {
        if constexpr (has_values)
            return cub::DeviceSegmentedSort::StableSortPairs(
                memory, bytes, in.data, cubs_sorted.data, values_in.data, cubs_values.data, static_cast<int>(n),
                static_cast<int>(segments), where.data, where.data + 1, stream);
        else
            return cub::DeviceSegmentedSort::StableSortKeys(memory, bytes, in.data, cubs_sorted.data,
                                                            static_cast<int>(n), static_cast<int>(segments), where.data,
                                                            where.data + 1, stream);
    };
    std::size_t ours = 0, cubs = 0;
    sort_ours(nullptr, launchbox::workspace::query(ours));
    check(sort_cubs(nullptr, nullptr, cubs), "CUB");
    const device_array<unsigned char> memory(std::max(ours, cubs));
    if (failed) return;
    const auto restore = [&](cudaStream_t stream) {
        cudaMemcpyAsync(sorted.data, in.data, count * sizeof(Key), cudaMemcpyDeviceToDevice, stream);
        if (has_values)
            cudaMemcpyAsync(values.data, values_in.data, count * sizeof(value), cudaMemcpyDeviceToDevice, stream);
    };
    launchbox::measurement_options options;
    options.max_samples = 20;
    options.max_seconds = 0.06;
    const auto other = launchbox::measure([&](cudaStream_t stream) { sort_cubs(stream, memory.data, cubs); }, options);
    options.prepare = restore;
    const auto mine = launchbox::measure([&](cudaStream_t stream) { sort_ours(stream, {memory.data, ours}); }, options);
    restore(nullptr);
    sort_ours(nullptr, {memory.data, ours});
    const auto count_in = [&](const auto* a, const auto* b) {
        count_differences<<<2048, 256>>>(reinterpret_cast<const unsigned char*>(a),
                                         reinterpret_cast<const unsigned char*>(b),
                                         static_cast<std::int64_t>(count * sizeof *a), differences.data);
    };
    count_in(sorted.data, cubs_sorted.data);
    if constexpr (has_values) count_in(values.data, cubs_values.data);
    unsigned long long different = 0;
    check(cudaMemcpy(&different, differences.data, sizeof different, cudaMemcpyDeviceToHost), "count");
    if (!mine.measured() || !other.measured() || different > 0) failed = true;
    const double ratio = other.median_ns / mine.median_ns;
    ratios.push_back(ratio);
    std::printf("%-8s 2^%d %-22s %9lld segments  launchbox %10.2f CUB %10.2f %6.2f times as fast%s\n", type,
                std::bit_width(static_cast<std::uint64_t>(n)) - 1, name.c_str(), static_cast<long long>(segments),
                mine.median_ns / 1e3, other.median_ns / 1e3, ratio, different > 0 ? " DIFFERENT" : "");
    std::fflush(stdout);
}

void print_mean(const char* of, std::size_t from)
{
    double sum = 0, least = 1e9;
    for (std::size_t i = from; i < ratios.size(); ++i) sum += std::log(ratios[i]), least = std::min(least, ratios[i]);
    if (ratios.size() > from)
        std::printf("%s: %.2f times as fast in the geometric mean of %zu cells, %.2f in the least\n", of,
                    std::exp(sum / static_cast<double>(ratios.size() - from)), ratios.size() - from, least);
}

template <class Key, class Value = void>
void compare_all(const char* type, const char* wanted, const char* wanted_sizes, const char* wanted_elements)
{
    if (wanted != nullptr && std::strcmp(wanted, "all") != 0 && std::strcmp(wanted, type) != 0) return;
    const auto is_in = [](const char* wanted_numbers, std::int64_t number) {
        if (wanted_numbers == nullptr || std::strcmp(wanted_numbers, "all") == 0) return true;
        const std::string list = ',' + std::string(wanted_numbers) + ',';
        return list.find(',' + std::to_string(number) + ',') != std::string::npos;
    };
    const auto is_wanted = [&](std::int64_t size) { return is_in(wanted_sizes, size); };
    const std::size_t from = ratios.size();
    const bool are_all = is_in(wanted_elements, 0);
    for (const int log2 : {14, 16, 18, 20, 22, 24, 26}) {
        if (!is_in(wanted_elements, log2) || (are_all && log2 < 20)) continue;
        const std::int64_t n = std::int64_t{1} << log2;
        for (const std::int64_t most : {4, 8, 18, 64, 256, 1024, 4096, 16384, 1 << 18})
            if (!failed && is_wanted(most))
                compare<Key, Value>(type, n, "up to " + std::to_string(most), uniform_offsets(n, most));
        for (const int segments : {12, 16, 20})
            if (!failed && is_wanted(0) && segments + 2 <= log2)
                compare<Key, Value>(type, n, "power law", power_law_offsets(n, std::int64_t{1} << segments));
    }
    print_mean(type, from);
}

}  // namespace

int main(int count, char** arguments)
{
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fputs("no GPU here\n", stderr);
        return 77;
    }
    const char* const wanted = count > 1 ? arguments[1] : nullptr;
    const char* const sizes = count > 2 ? arguments[2] : nullptr;
    const char* const elements = count > 3 ? arguments[3] : nullptr;
#if defined(KEY) && defined(VALUE)
    compare_all<KEY, VALUE>(std::is_void_v<VALUE> ? TEXT(KEY) : TEXT(KEY) "-" TEXT(VALUE), wanted, sizes, elements);
#else
    compare_all<u32>("u32", wanted, sizes, elements);
    compare_all<u64>("u64", wanted, sizes, elements);
    compare_all<f32>("f32", wanted, sizes, elements);
    compare_all<i16>("i16", wanted, sizes, elements);
    compare_all<u32, u32>("u32-u32", wanted, sizes, elements);
    compare_all<u64, u64>("u64-u64", wanted, sizes, elements);
#endif
    print_mean("all", 0);
    std::printf("CUB %d\n", CUB_VERSION);
    if (failed) std::fputs("failed: see above\n", stderr);
    return failed ? 1 : 0;
}
