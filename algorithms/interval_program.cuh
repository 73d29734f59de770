// Shared by the programs interval_expand.cu and interval_move.cu: ELEMENT and ROW, the command line, memory, and how
// the result is measured, checked and printed.
#pragma once

#include <launchbox/algorithms/interval_row.hpp>
#include <launchbox/measure.cuh>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = unsigned long long;
struct alignas(16) u128 {
    u64 high, low;
};
using element = ELEMENT;

#ifdef ROW
using tuning = launchbox::only<launchbox::interval_row{ROW}>;
#else
using tuning = void;
#endif

struct workload {
    std::int64_t n, size, intervals;
    bool irregular;  ///< sizes are 0 to 2 * size, and there are as many intervals as needed for n
};

inline int usage(const char* program)
{
    std::fprintf(
        stderr,
        "usage: %s N SIZE [IRREGULAR], N outputs up to 4,000,000,000, SIZE of them of an interval, or with 1 as "
        "the third number 0 to twice as many\n",
        program);
    return 2;
}

/// Ends the program if the arguments are wrong or there is no GPU.
inline workload parsed(int count, char** arguments, const char* program)
{
    const std::int64_t n = count >= 3 ? std::atoll(arguments[1]) : 0, size = count >= 3 ? std::atoll(arguments[2]) : 0;
    const std::int64_t irregular = count == 4 ? std::atoll(arguments[3]) : 0;
    const bool is_usual = count == 3 || count == 4;
    if (!is_usual || n < 1 || n > 4'000'000'000 || size < 1 || irregular < 0 || irregular > 1)
        std::exit(usage(program));
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fputs("no GPU here\n", stderr);
        std::exit(77);
    }
    return {n, size, (n + size - 1) / size, irregular == 1};
}

template <class Type>
class device_array {
public:
    explicit device_array(std::int64_t count)
    {
        if (cudaMalloc(&data_, static_cast<std::size_t>(count) * sizeof(Type)) == cudaSuccess) return;
        std::fputs("not enough memory on the GPU\n", stderr);
        std::exit(77);
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }
    Type* data() const { return data_; }
    const Type* in() const { return data_; }

private:
    Type* data_ = nullptr;
};

/// The finaliser of splitmix64.
__host__ __device__ inline u64 mixed(u64 x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

template <class Element>
__device__ Element made_of(u64 high, u64 low)
{
    if constexpr (sizeof(Element) == 16)
        return {high, low};
    else
        return static_cast<Element>(high);
}
__device__ inline element element_at(std::int64_t i)
{
    return made_of<element>(mixed(i), mixed(~i));
}
template <class Element>
__device__ u64 bits_of(const Element& value)
{
    if constexpr (sizeof(Element) == 16)
        return mixed(value.high) + value.low;
    else
        return value;
}

/// Calls `function(place)` for all places, with any grid.
template <class Function>
__device__ void for_each_place(std::int64_t n, Function function)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n;
         i += std::int64_t{gridDim.x} * blockDim.x)
        function(i);
}

/// Sums that do not depend on the order in which threads add to them.
struct findings {
    u64 wrong, places;
};

/// `source(k)`: the number of the element that output k must equal.
template <class Source>
__device__ void look(const element* out, std::int64_t n, findings* found, Source source)
{
    findings own{};
    for_each_place(n, [&](std::int64_t k) {
        const u64 bits = bits_of(out[k]);
        own.places += mixed(bits + mixed(k));
        own.wrong += bits != bits_of(element_at(source(k)));
    });
    atomicAdd(&found->wrong, own.wrong);
    atomicAdd(&found->places, own.places);
}

/// Measures `run(stream)`, checks its output with `look_at(findings on the GPU)`, and prints the line that tune reads.
/// Returns the exit status.
template <class Run, class Look>
int measured(const Run& run, std::int64_t bytes, const Look& look_at)
{
    launchbox::measurement_options options;
    options.max_samples = 40;
    options.max_seconds = 0.2;
    options.bytes = bytes;
    const launchbox::measurement_result result = launchbox::measure(run, options);
    findings seen{};
    if (result.measured()) {
        const device_array<findings> found(1);
        cudaMemset(found.data(), 0, sizeof seen);
        look_at(found.data());
        if (const cudaError_t error = cudaMemcpy(&seen, found.data(), sizeof seen, cudaMemcpyDeviceToHost)) {
            std::fprintf(stderr, "%s\n", cudaGetErrorString(error));
            return 1;
        }
        if (seen.wrong != 0) {
            std::fprintf(stderr, "%llu outputs are wrong\n", seen.wrong);
            return 1;
        }
    }
    launchbox::print_measurement(result, {.checksum = seen.places});
    return result.measured() ? 0 : 1;
}
