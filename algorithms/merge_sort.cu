// The program that tune builds for each row of merge_sort.toml and runs for each size: launchbox::merge_sort on random
// keys, timed by measure.cuh and checked on the GPU.
//
//     nvcc -std=c++20 -arch=sm_90 -I ../include -DKEY=u32 -DVALUE=none '-DROW=512\,8\,2\,4' merge_sort.cu &&
//     ./a.out 1000000
//
// Ends with 1 if the result is wrong and with 77 without a GPU. Without ROW it uses the shipped rows.
#include <launchbox/algorithms/merge_sort.cuh>
#include <launchbox/measure.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

struct u128 {
    std::uint64_t high, low;
    friend __host__ __device__ bool operator<(const u128& a, const u128& b)
    {
        return a.high < b.high || (a.high == b.high && a.low < b.low);
    }
};
// Equal keys can differ in their padding bytes, so that the sort must be stable.
struct f64_i32 {
    double first;
    std::int32_t second;
    friend __host__ __device__ bool operator<(const f64_i32& a, const f64_i32& b)
    {
        return a.first < b.first || (a.first == b.first && a.second < b.second);
    }
};
/// Compared by magnitude, which is more expensive than comparing numbers.
struct c32 {
    float real, imaginary;
    __host__ __device__ double magnitude() const
    {
        return static_cast<double>(real) * real + static_cast<double>(imaginary) * imaginary;
    }
    friend __host__ __device__ bool operator<(const c32& a, const c32& b) { return a.magnitude() < b.magnitude(); }
};
using f32 = float;
using f64 = double;
using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = unsigned long long;
using none = void;

using key_type = KEY;
using value_type = VALUE;
constexpr bool has_values = !std::is_void_v<value_type>;
using stored_value = std::conditional_t<has_values, value_type, char>;

#ifdef ROW
constexpr launchbox::merge_sort_row row{ROW};
using tuning = launchbox::only<row>;
#else
using tuning = void;
#endif

// The finaliser of splitmix64.
__device__ u64 mixed(u64 x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

/// The key at a place of the input; `mask` 255 makes most keys equal to others.
template <class Key>
__device__ Key key_at(u64 place, u64 mask)
{
    if constexpr (std::is_same_v<Key, u128>)
        return {mixed(place) & mask, mixed(~place) & mask};
    else if constexpr (std::is_same_v<Key, f64_i32>)
        return {static_cast<double>(mixed(place) & mask), static_cast<std::int32_t>(mixed(~place) & mask)};
    else if constexpr (std::is_same_v<Key, c32>)
        return {static_cast<float>(mixed(place) & mask), static_cast<float>(mixed(~place) & mask)};
    else if constexpr (std::is_floating_point_v<Key>)
        return static_cast<Key>(static_cast<long long>(mixed(place) & mask));
    else
        return static_cast<Key>(mixed(place) & mask);
}

template <class Key>
__device__ u64 bits_of(const Key& key)
{
    if constexpr (std::is_same_v<Key, u128>)
        return mixed(key.high) + key.low;
    else if constexpr (std::is_same_v<Key, f64_i32>)
        return mixed(bits_of(key.first)) + static_cast<u64>(key.second);
    else if constexpr (std::is_same_v<Key, c32>)
        return mixed(__float_as_uint(key.real)) + __float_as_uint(key.imaginary);
    else if constexpr (std::is_same_v<Key, double>)
        return static_cast<u64>(__double_as_longlong(key));
    else if constexpr (std::is_same_v<Key, float>)
        return __float_as_uint(key);
    else
        return key;
}

/// Calls `function(place)` for all places, with any grid.
template <class Function>
__device__ void for_each_place(std::int64_t n, Function function)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        function(i);
}

__global__ void make_input(key_type* keys, stored_value* values, std::int64_t n, u64 mask)
{
    for_each_place(n, [&](std::int64_t i) {
        keys[i] = key_at<key_type>(i, mask);
        if constexpr (has_values) values[i] = static_cast<stored_value>(i);
    });
}

/// Sums that do not depend on the order in which threads add to them.
struct findings {
    u64 wrong, keys_before, keys_after, places;
};

__global__ void look_at(const key_type* keys, const stored_value* values, std::int64_t n, u64 mask, findings* found)
{
    findings own{};
    for_each_place(n, [&](std::int64_t i) {
        const key_type key = keys[i];
        own.keys_before += mixed(bits_of(key_at<key_type>(i, mask)));
        own.keys_after += mixed(bits_of(key));
        own.places += mixed(bits_of(key) + mixed(i));
        if (i > 0 && key < keys[i - 1]) ++own.wrong;
        if constexpr (has_values) {
            // A value is its original place. If every value is in range, belongs to the key of that place, and is
            // larger than the one before whenever keys are equal, then each occurs once and the sort is stable.
            const u64 from = values[i];
            if (from >= static_cast<u64>(n) || bits_of(key_at<key_type>(from, mask)) != bits_of(key)) ++own.wrong;
            if (i > 0 && !(keys[i - 1] < key) && !(values[i - 1] < values[i])) ++own.wrong;
        }
    });
    atomicAdd(&found->wrong, own.wrong);
    atomicAdd(&found->keys_before, own.keys_before);
    atomicAdd(&found->keys_after, own.keys_after);
    atomicAdd(&found->places, own.places);
}

struct workload {
    std::int64_t n = 0;
    key_type* keys = nullptr;
    stored_value* values = nullptr;
    findings* found = nullptr;
    launchbox::workspace space = {};

    void make(u64 mask, cudaStream_t stream) const { make_input<<<1024, 256, 0, stream>>>(keys, values, n, mask); }
    // A template, so that only one of the two is compiled.
    template <class Value = value_type>
    void sort(cudaStream_t stream, launchbox::workspace with) const
    {
        if constexpr (std::is_void_v<Value>)
            launchbox::merge_sort<tuning>(stream, keys, n, launchbox::less{}, with);
        else
            launchbox::merge_sort<tuning>(stream, keys, values, n, launchbox::less{}, with);
    }
    /// Whether keys and values are the result of a stable sort; `checksum` is that of the result.
    bool is_sorted(u64 mask, u64& checksum) const
    {
        findings seen{};
        cudaMemset(found, 0, sizeof *found);
        look_at<<<1024, 256>>>(keys, values, n, mask, found);
        if (const cudaError_t error = cudaMemcpy(&seen, found, sizeof seen, cudaMemcpyDeviceToHost)) {
            std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
            return false;
        }
        checksum = seen.places;
        if (seen.wrong == 0 && seen.keys_before == seen.keys_after) return true;
        std::fprintf(stderr, "not sorted: %llu places are wrong%s\n", seen.wrong,
                     seen.keys_before == seen.keys_after ? "" : ", and other keys than before");
        return false;
    }
};

template <class Type>
bool allocate(Type*& memory, std::size_t bytes)
{
    return cudaMalloc(reinterpret_cast<void**>(&memory), bytes) == cudaSuccess;
}

int main(int count, char** arguments)
try {
    workload sorted{.n = count == 2 ? std::atoll(arguments[1]) : 0};
    if (sorted.n < 1) {
        std::fputs("usage: merge_sort N\n", stderr);
        return 2;
    }
    const std::size_t n = static_cast<std::size_t>(sorted.n);
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fputs("no GPU here\n", stderr);
        return 77;
    }
    std::size_t needed = 0;
    sorted.sort(nullptr, launchbox::workspace::query(needed));
    if (!allocate(sorted.keys, n * sizeof(key_type)) || !allocate(sorted.found, sizeof(findings)) ||
        (has_values && !allocate(sorted.values, n * sizeof(stored_value))) || !allocate(sorted.space.memory, needed)) {
        std::fputs("not enough memory on the GPU\n", stderr);
        return 77;
    }
    sorted.space.bytes = needed;

    const u64 all = ~u64{0}, few = 255;
    launchbox::measurement_options options;
    options.prepare = [&](cudaStream_t stream) { sorted.make(all, stream); };
    options.max_samples = 30;
    options.max_seconds = 0.2;
    options.bytes = static_cast<std::int64_t>(2 * n * (sizeof(key_type) + (has_values ? sizeof(stored_value) : 0)));
    const launchbox::measurement_result result =
        launchbox::measure([&](cudaStream_t stream) { sorted.sort(stream, sorted.space); }, options);
    u64 checksum = 0, ignored = 0;
    if (result.measured() && !sorted.is_sorted(all, checksum)) return 1;
    launchbox::print_measurement(result, {.checksum = checksum});
    if (!result.measured()) return 1;

    sorted.make(few, nullptr);
    sorted.sort(nullptr, sorted.space);
    return sorted.is_sorted(few, ignored) ? 0 : 1;
} catch (const launchbox::launch_error& refused) {
    std::fprintf(stderr, "%s\n", refused.what());
    return 1;
}
