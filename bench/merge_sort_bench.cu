// launchbox::merge_sort against cub::DeviceMergeSort and, where the order is < of numbers, cub::DeviceRadixSort: one
// type of keys and values per program, since nvcc compiles sorts slowly. bench/measure_merge_sort compiles and runs all
// programs and makes tables of their output, one line of JSON for each comparison.
//
//     nvcc -std=c++20 -O3 -arch=native -Iinclude -Itests -DKEY=u32 -DVALUE=u32 bench/merge_sort_bench.cu -o bench
//     ./bench [--part table|grid|worst] [--max-log2 28] [--quick]
//
// KEY: i8 i16 i32 i64 i128 u32 u64 f32 f64 c32; VALUE: none, one of these, or b16 (16 bytes).
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>

#include <launchbox/algorithms/merge_sort.cuh>
#include <launchbox/measure.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

#include "include/algorithms/sort_inputs.hpp"

#ifndef KEY
#define KEY u32
#endif
#ifndef VALUE
#define VALUE none
#endif
#define TEXT(word) TEXT_OF(word)
#define TEXT_OF(word) #word

namespace {

using i8 = std::int8_t;
using i16 = std::int16_t;
using i32 = std::int32_t;
using i64 = std::int64_t;
using i128 = __int128;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using f32 = float;
using f64 = double;
struct c32 {
    float real, imaginary;
};
struct b16 {
    std::uint64_t data[2];
};
struct none {};
using key = KEY;
using value = VALUE;
constexpr bool has_values = !std::is_same_v<value, none>;
constexpr std::size_t value_bytes = has_values ? sizeof(value) : 0;
constexpr bool has_radix = !std::is_same_v<key, c32>;

/// Complex numbers by magnitude, as in CUB's benchmark, but without its tolerance.
struct by_magnitude {
    __host__ __device__ static double of(const c32& z)
    {
        return static_cast<double>(z.real) * z.real + static_cast<double>(z.imaginary) * z.imaginary;
    }
    __host__ __device__ bool operator()(const c32& a, const c32& b) const { return of(a) < of(b); }
};
using order = std::conditional_t<std::is_same_v<key, c32>, by_magnitude, launchbox::less>;

void check(cudaError_t status, const char* what)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "merge_sort_bench: %s: %s\n", what, cudaGetErrorString(status));
    std::exit(1);
}

// Keys.

template <class Float>
__device__ Float uniform(std::uint64_t random)
{
    const double most = std::is_same_v<Float, float> ? 3.4028234663852886e38 : 1.7976931348623157e308;
    return static_cast<Float>((static_cast<double>(random >> 11) / (std::uint64_t{1} << 53) * 2 - 1) * most);
}

/// As in CUB's benchmark: uniform numbers, `words` of which are combined by a bitwise AND. The entropy of a bit is
/// 1.000 with one word and 0.201 with five.
template <class Key>
__device__ Key random_key(std::uint64_t i, int words)
{
    Key made{};
    for (int word = 0; word < words; ++word) {
        const std::uint64_t random = sort_inputs::hash(i * 8 + static_cast<std::uint64_t>(word));
        const std::uint64_t more = sort_inputs::hash(random);
        Key next{};
        if constexpr (std::is_same_v<Key, c32>)
            next = {uniform<float>(random), uniform<float>(more)};
        else if constexpr (std::is_floating_point_v<Key>)
            next = uniform<Key>(random);
        else if constexpr (sizeof(Key) > 8)
            next = static_cast<Key>(random) << 64 | more;
        else
            next = static_cast<Key>(random);
        if (word == 0) {
            made = next;
            continue;
        }
        unsigned char bits[sizeof(Key)], others[sizeof(Key)];
        memcpy(bits, &made, sizeof made);
        memcpy(others, &next, sizeof next);
        for (unsigned b = 0; b < sizeof(Key); ++b) bits[b] &= others[b];
        memcpy(&made, bits, sizeof made);
    }
    return made;
}

template <class Key>
__global__ void make_random(Key* keys, std::int64_t n, int words)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        keys[i] = random_key<Key>(static_cast<std::uint64_t>(i), words);
}

template <class Key>
__global__ void make_input(Key* keys, std::int64_t n, sort_inputs::kind input)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        if constexpr (!std::is_same_v<Key, c32>)
            keys[i] = sort_inputs::key<Key>(
                sort_inputs::element(input, static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(n)));
}

template <class Key>
__global__ void make_conflicts(Key* keys, std::int64_t n, const sort_inputs::conflicts ranks)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        if constexpr (!std::is_same_v<Key, c32>)
            keys[i] = sort_inputs::key<Key>(static_cast<std::uint64_t>(ranks(i)) *
                                            (~std::uint64_t{0} / static_cast<std::uint64_t>(n)));
}

template <class Key, class Order>
__global__ void count_differences(const Key* a, const Key* b, std::int64_t n, Order less, unsigned long long* count)
{
    const std::int64_t step = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
    for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step)
        if (less(a[i], b[i]) || less(b[i], a[i])) atomicAdd(count, 1ull);
}

// The sorts.

struct memory {
    char* data = nullptr;
    explicit memory(std::size_t bytes) { check(cudaMalloc(&data, bytes == 0 ? 1 : bytes), "cudaMalloc"); }
    memory(const memory&) = delete;
    ~memory() { cudaFree(data); }
    key* keys() const { return reinterpret_cast<key*>(data); }
    value* values() const { return reinterpret_cast<value*>(data); }
};

/// Calls a sort of CUB, with or without values. `SortPairs` and `SortKeys` are not guaranteed to be stable; the
/// functions that begin with Stable are. CUB 3.0 implements both the same way.
cudaError_t cub_merge(void* space, std::size_t& bytes, key* keys, value* values, int n, cudaStream_t stream)
{
    if constexpr (has_values)
        return cub::DeviceMergeSort::SortPairs(space, bytes, keys, values, n, order{}, stream);
    else
        return cub::DeviceMergeSort::SortKeys(space, bytes, keys, n, order{}, stream);
}

cudaError_t cub_radix(void* space, std::size_t& bytes, cub::DoubleBuffer<key>& keys, cub::DoubleBuffer<value>& values,
                      int n, cudaStream_t stream)
{
    if constexpr (!has_radix)
        return cudaErrorNotSupported;
    else if constexpr (has_values)
        return cub::DeviceRadixSort::SortPairs(space, bytes, keys, values, n, 0, sizeof(key) * 8, stream);
    else
        return cub::DeviceRadixSort::SortKeys(space, bytes, keys, n, 0, sizeof(key) * 8, stream);
}

void our_merge(key* keys, value* values, std::int64_t n, cudaStream_t stream, launchbox::workspace space)
{
    if constexpr (has_values)
        launchbox::merge_sort(stream, keys, values, n, order{}, space);
    else
        launchbox::merge_sort(stream, keys, n, order{}, space);
}

/// The bytes per element that the passes of a sort with `Carried` values read and write.
template <class Carried>
double bytes_of_passes(std::int64_t n, std::size_t carried_bytes)
{
    namespace kernels = launchbox::merge_sort_kernels;
    using tuning = kernels::tuning_or_default<void, key, Carried, order>;
    const kernels::sort<kernels::places_elements<key, void>, key, Carried, order, tuning> sorting(n);
    const int passes = sorting.placed_tile > 0 ? 1 : sorting.plan.count;
    return 2.0 * (passes + 1) * static_cast<double>(sizeof(key) + carried_bytes);
}

/// The bytes that our passes read and write, the only use of launchbox internals here. A template, so that only one
/// branch is compiled.
template <class Value>
double bytes_moved_with(std::int64_t n)
{
    double of_element = 0;
    if constexpr (!has_values)
        of_element = bytes_of_passes<void>(n, 0);
    else if constexpr (sizeof(Value) <= launchbox::merge_sort_kernels::max_carried_bytes)
        of_element = bytes_of_passes<Value>(n, sizeof(Value));
    else  // a copy of the values, and the permutation
        of_element = bytes_of_passes<std::uint32_t>(n, 4) + 4.0 * static_cast<double>(value_bytes) + 4;
    return of_element * static_cast<double>(n);
}
double bytes_moved(std::int64_t n)
{
    return bytes_moved_with<value>(n);
}

struct times {
    double ours = 0, merge = 0, radix = 0;  // ms; 0: not measured
    unsigned long long differences = 0;
    std::string problem;
};

class comparison {
public:
    comparison(std::int64_t most, bool is_quick)
        : is_quick_(is_quick),
          source_(static_cast<std::size_t>(most) * sizeof(key)),
          keys_(static_cast<std::size_t>(most) * sizeof(key)),
          other_keys_(static_cast<std::size_t>(most) * sizeof(key)),
          values_(static_cast<std::size_t>(most) * value_bytes),
          other_values_(static_cast<std::size_t>(most) * value_bytes),
          space_(most_space(most)),
          count_(sizeof(unsigned long long))
    {
        check(cudaMemset(values_.data, 0, static_cast<std::size_t>(most) * value_bytes), "cudaMemset");
    }

    key* source() const { return source_.keys(); }

    times of(std::int64_t n, bool with_radix)
    {
        times result;
        const auto key_bytes = static_cast<std::size_t>(n) * sizeof(key);
        std::size_t bytes = 0;
        our_merge(keys_.keys(), values_.values(), n, nullptr, launchbox::workspace::query(bytes));
        const launchbox::workspace space(space_.data, bytes);
        result.ours = ms([&](cudaStream_t stream) { our_merge(keys_.keys(), values_.values(), n, stream, space); },
                         key_bytes, result.problem);
        // The result is compared with CUB's.
        check(cudaMemcpy(other_keys_.data, keys_.data, key_bytes, cudaMemcpyDeviceToDevice), "cudaMemcpy");
        const int count = static_cast<int>(n);
        bytes = 0;
        cub_merge(nullptr, bytes, keys_.keys(), values_.values(), count, nullptr);
        result.merge = ms(
            [&](cudaStream_t stream) { cub_merge(space_.data, bytes, keys_.keys(), values_.values(), count, stream); },
            key_bytes, result.problem);
        check(cudaMemset(count_.data, 0, sizeof(unsigned long long)), "cudaMemset");
        count_differences<<<2048, 256>>>(keys_.keys(), other_keys_.keys(), n, order{},
                                         reinterpret_cast<unsigned long long*>(count_.data));
        check(cudaMemcpy(&result.differences, count_.data, sizeof result.differences, cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        if (has_radix && with_radix) {
            cub::DoubleBuffer<key> both_keys(keys_.keys(), other_keys_.keys());
            cub::DoubleBuffer<value> both_values(values_.values(), other_values_.values());
            bytes = 0;
            cub_radix(nullptr, bytes, both_keys, both_values, count, nullptr);
            result.radix = ms(
                [&](cudaStream_t stream) {
                    both_keys.selector = both_values.selector = 0;
                    cub_radix(space_.data, bytes, both_keys, both_values, count, stream);
                },
                key_bytes, result.problem);
        }
        return result;
    }

private:
    std::size_t most_space(std::int64_t n) const
    {
        std::size_t ours = 0, merge = 0, radix = 0;
        our_merge(keys_.keys(), values_.values(), n, nullptr, launchbox::workspace::query(ours));
        cub_merge(nullptr, merge, keys_.keys(), values_.values(), static_cast<int>(n), nullptr);
        cub::DoubleBuffer<key> both_keys(keys_.keys(), other_keys_.keys());
        cub::DoubleBuffer<value> both_values(values_.values(), other_values_.values());
        if (has_radix) cub_radix(nullptr, radix, both_keys, both_values, static_cast<int>(n), nullptr);
        return std::max({ours, merge, radix}) + (std::size_t{1} << 20);
    }

    double ms(const std::function<void(cudaStream_t)>& call, std::size_t key_bytes, std::string& problem) const
    {
        launchbox::measurement_options options;
        options.prepare = [&](cudaStream_t stream) {
            cudaMemcpyAsync(keys_.data, source_.data, key_bytes, cudaMemcpyDeviceToDevice, stream);
        };
        options.min_samples = is_quick_ ? 3 : 5;
        options.max_samples = is_quick_ ? 3 : 9;
        options.relative_error = 0.005;
        options.max_seconds = is_quick_ ? 0.1 : 0.25;
        const launchbox::measurement_result result = launchbox::measure(call, options);
        if (!result.measured()) {
            problem = result.failure + ": " + result.reason;
            return 0;
        }
        return result.median_ns / 1e6;
    }

    bool is_quick_;
    memory source_, keys_, other_keys_, values_, other_values_, space_, count_;
};

/// Bytes read and written per second by a copy of 1 GiB, x 10^9.
double copy_gigabytes()
{
    constexpr std::size_t bytes = std::size_t{1} << 30;
    const memory from(bytes), to(bytes);
    launchbox::measurement_options options;
    options.max_seconds = 0.3;
    const auto copied = launchbox::measure(
        [&](cudaStream_t stream) { cudaMemcpyAsync(to.data, from.data, bytes, cudaMemcpyDeviceToDevice, stream); },
        options);
    return copied.measured() ? 2.0 * bytes / copied.median_ns : 0;
}

void print(const char* part, const std::string& input, std::int64_t n, const times& result, double copy)
{
    std::string problem;
    for (const char c : result.problem) problem += c == '"' || c == '\\' || c < ' ' ? '\'' : c;
    std::printf("{\"part\":\"%s\",\"key\":\"" TEXT(KEY) "\",\"value\":\"" TEXT(VALUE) "\",\"input\":\"%s\",\"n\":%lld,"
                "\"ours_ms\":%.5f,\"cub_ms\":%.5f,\"radix_ms\":%.5f,\"bytes_moved\":%.0f,\"copy_gb_s\":%.0f,"
                "\"differences\":%llu,\"problem\":\"%s\"}\n",
                part, input.c_str(), static_cast<long long>(n), result.ours, result.merge, result.radix,
                bytes_moved(n), copy, result.differences, problem.c_str());
    std::fflush(stdout);
}

int measure_parts(const std::string& part, int most_log2, bool is_quick)
{
    const double copy = copy_gigabytes();
    const std::int64_t most = std::int64_t{1} << most_log2;
    comparison compare(most, is_quick);
    if (part == "table")
        for (const int log2 : {16, 20, 24, 28}) {
            if (log2 > most_log2) continue;
            make_random<<<2048, 256>>>(compare.source(), std::int64_t{1} << log2, 1);
            print("table", "1.000", std::int64_t{1} << log2, compare.of(std::int64_t{1} << log2, true), copy);
        }
    if (part == "grid")
        for (const int words : {1, 5})
            for (const int log2 : {16, 20, 24, 28}) {
                if (log2 > most_log2) continue;
                make_random<<<2048, 256>>>(compare.source(), std::int64_t{1} << log2, words);
                print("grid", words == 1 ? "1.000" : "0.201", std::int64_t{1} << log2,
                      compare.of(std::int64_t{1} << log2, false), copy);
            }
    if (part == "worst") {
        for (const sort_inputs::kind input : sort_inputs::kinds) {
            make_input<<<2048, 256>>>(compare.source(), most, input);
            print("worst", sort_inputs::name(input), most, compare.of(most, false), copy);
        }
        for (const int grain : {8, 15, 16, 17, 32}) {
            make_conflicts<<<2048, 256>>>(compare.source(), most, sort_inputs::conflicts(grain, most));
            print("worst", "conflicts, grain " + std::to_string(grain), most, compare.of(most, false), copy);
        }
    }
    check(cudaDeviceSynchronize(), "at the end");
    return 0;
}

}  // namespace

int main(int count, char** arguments)
{
    std::string part = "table";
    int most_log2 = 28;
    bool is_quick = false;
    for (int i = 1; i < count; ++i) {
        const std::string argument = arguments[i];
        if (argument == "--quick")
            is_quick = true;
        else if (argument == "--part" && i + 1 < count)
            part = arguments[++i];
        else if (argument == "--max-log2" && i + 1 < count)
            most_log2 = std::atoi(arguments[++i]);
        else
            part = "?";
    }
    if ((part != "table" && part != "grid" && part != "worst") || most_log2 < 10 || most_log2 > 30) {
        std::fprintf(stderr, "usage: merge_sort_bench [--part table|grid|worst] [--max-log2 10 to 30] [--quick]\n");
        return 2;
    }
    try {
        return measure_parts(part, most_log2, is_quick);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "merge_sort_bench: %s\n", error.what());
        return 1;
    }
}
