// The kernels of one variant: one table, two bodies and a classic kernel, the same in all units of a program, so that
// the linker merges whatever it can. UNIT names the unit, OTHER_UNIT a second one linked with it.
#include <launchbox/launch_box.cuh>

#include <cuda_runtime.h>

#include <vector>

#include "launch_box_variant.hpp"

namespace launchbox::variants {

struct row {
    int threads, items, min_blocks = 0;
};

// No two rows have a value in common.
using table = launch_box<sm<75, row{64, 3}>, sm<80, row{96, 5, 1}>, sm<90, row{128, 7, 3}>, sm_a<90, row{160, 9, 1}>,
                         sm<100, row{192, 11, 2}>, sm<120, row{224, 13, 1}>>;

constexpr std::int64_t behind = 1000;  // elements past the end that nothing may touch
constexpr int figures = 6;

template <row r>
__device__ void tell(int* said)
{
#ifdef __CUDA_ARCH__
    if (blockIdx.x != 0 || threadIdx.x != 0) return;
    said[0] = r.threads;
    said[1] = r.items;
    said[2] = r.min_blocks;
    said[3] = static_cast<int>(blockDim.x);
    said[4] = static_cast<int>(gridDim.x);
#if defined(__CUDA_ARCH_SPECIFIC__)
    said[5] = __CUDA_ARCH__ / 10 + 256;
#elif defined(__CUDA_ARCH_FAMILY_SPECIFIC__)
    said[5] = __CUDA_ARCH__ / 10 + 512;
#else
    said[5] = __CUDA_ARCH__ / 10;
#endif
#endif
}

// Adds, so that an element visited twice is wrong too. Uses only the constants: another block or grid would miss
// elements.
template <row r>
__device__ void add_to_each(int* data, std::int64_t count, int added)
{
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * (r.threads * r.items) + threadIdx.x;
    for (int i = 0; i < r.items; ++i)
        if (first + i * r.threads < count) data[first + i * r.threads] += added;
}

struct add {
    using tuning = table;
    template <row r>
    static __device__ void run(int* data, int* said, std::int64_t count)
    {
        tell<r>(said);
        add_to_each<r>(data, count, 3);
    }
};

struct add_with_shared {
    using tuning = table;
    static constexpr std::int64_t bytes = 60000;
    static constexpr std::int64_t dynamic_shared_bytes(const row&) { return bytes; }
    template <row r>
    static __device__ void run(int* data, int* said, std::int64_t count)
    {
        extern __shared__ int shared[];
        tell<r>(said);
        int* const last = shared + bytes / 4 - r.threads;
        last[threadIdx.x] = static_cast<int>(threadIdx.x);
        __syncthreads();
        add_to_each<r>(data, count, last[r.threads - 1 - threadIdx.x] + static_cast<int>(threadIdx.x) - r.threads + 4);
    }
};

template <class Tuning>
__global__ void LAUNCHBOX_BOUNDS(Tuning) classic(int* data, int* said, std::int64_t count)
{
    constexpr auto r = row_here<Tuning>();
    tell<r>(said);
    add_to_each<r>(data, count, 3);
}

template <class Tuning>
static __global__ void LAUNCHBOX_BOUNDS(Tuning) own_classic(int* data, int* said, std::int64_t count)
{
    constexpr auto r = row_here<Tuning>();
    tell<r>(said);
    add_to_each<r>(data, count, 3);
}

// Not inlined, so that calls use the linker's copy.
template <class Body>
[[gnu::noinline]] void launch_in_header(int* data, int* said, std::int64_t count)
{
    launch<Body>(nullptr, count, data, said, count);
}

namespace {

row_seen seen(const row& r)
{
    return {r.threads, r.items, r.min_blocks};
}

unsigned tiles_of(const row& r, std::int64_t count)
{
    const int tile = r.threads * r.items;
    return static_cast<unsigned>((count + tile - 1) / tile);
}

row launch_one(way which, int* data, int* said, std::int64_t count)
{
    switch (which) {
        case way::body:
            launch<add>(nullptr, count, data, said, count);
            break;
        case way::header:
            launch_in_header<add>(data, said, count);
            break;
        case way::status:
            if (const cudaError_t status = try_launch<add>(nullptr, count, data, said, count); status != cudaSuccess)
                throw launch_error("try_launch", status, launch_error_kind::runtime);
            break;
        case way::large:
            launch<add_with_shared>(nullptr, count, data, said, count);
            return row_for<add_with_shared>();
        case way::classic: {
            const row r = row_for<table>(classic<table>);
            const unsigned tiles = tiles_of(r, count), threads = static_cast<unsigned>(r.threads);
            if (count > 0) classic<table><<<tiles, threads>>>(data, said, count);
            return r;
        }
        case way::own: {
            const row r = row_for<table>(own_classic<table>);
            const unsigned tiles = tiles_of(r, count), threads = static_cast<unsigned>(r.threads);
            if (count > 0) own_classic<table><<<tiles, threads>>>(data, said, count);
            return r;
        }
        case way::prepared:
            prepare<add>();
            launch<add>(nullptr, count, data, said, count);
            break;
    }
    return row_for<add>();
}

run_result run(way which, std::int64_t count)
{
    run_result result;
    int *data = nullptr, *said = nullptr;
    const auto all = static_cast<std::size_t>(count + behind);
    cudaMalloc(&data, all * sizeof(int));
    cudaMalloc(&said, figures * sizeof(int));
    cudaMemset(data, 0, all * sizeof(int));
    cudaMemset(said, 0, figures * sizeof(int));
    try {
        result.host = seen(launch_one(which, data, said, count));
    } catch (const launch_error& error) {
        result.refused = error.kind == launch_error_kind::row_mismatch;
        result.error = error.what();
    }
    cudaError_t status = cudaGetLastError();
    if (const cudaError_t later = cudaDeviceSynchronize(); status == cudaSuccess) status = later;
    std::vector<int> host(all);
    int device[figures]{};
    const cudaError_t copied = cudaMemcpy(host.data(), data, all * sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(device, said, sizeof device, cudaMemcpyDeviceToHost);
    if (status == cudaSuccess) status = copied;
    if (status != cudaSuccess) result.error += cudaGetErrorString(status);
    for (std::size_t i = 0; i < all; ++i) result.wrong += host[i] != (i < static_cast<std::size_t>(count) ? 3 : 0);
    result.device = {device[0], device[1], device[2]};
    result.block = device[3];
    result.grid = device[4];
    result.compiled_for = device[5];
    cudaFree(data);
    cudaFree(said);
    return result;
}

code_seen code()
{
    cudaFuncAttributes attributes{};
    row_for<add>();
    cudaFuncGetAttributes(&attributes, detail::tuned_kernel<add, detail::this_unit, 0>::kernel(0));
    return {attributes.ptxVersion, attributes.binaryVersion, attributes.maxThreadsPerBlock, attributes.numRegs};
}

// Written by hand, not by the rule under test.
row_seen expected(int compiled_for)
{
#ifdef LAUNCHBOX_ROW
    static_cast<void>(compiled_for);
    return {256, 15, 1};
#else
    const int number = compiled_for % 256;
    if (compiled_for == 90 + 256) return {160, 9, 1};
    if (number >= 120) return {224, 13, 1};
    if (number >= 100) return {192, 11, 2};
    if (number >= 90) return {128, 7, 3};
    if (number >= 80) return {96, 5, 1};
    return {64, 3, 0};
#endif
}

}  // namespace

#define LAUNCHBOX_TEXT_OF(name) #name
#define LAUNCHBOX_TEXT(name) LAUNCHBOX_TEXT_OF(name)
#define LAUNCHBOX_JOINED_OF(a, b) a##b
#define LAUNCHBOX_JOINED(a, b) LAUNCHBOX_JOINED_OF(a, b)

// UNIT and OTHER_UNIT are letters.
unit LAUNCHBOX_JOINED(unit_, UNIT)()
{
    return {LAUNCHBOX_TEXT(UNIT),
            run,
            [] { return seen(row_for<add>()); },
            [] { return seen(row_for<table>()); },
            [] { return seen(row_for<table>(own_classic<table>)); },
            [] { return launchbox::explain<add>(); },
            code,
            expected};
}

#ifdef LAUNCHBOX_FIRST_UNIT
#ifdef OTHER_UNIT
unit LAUNCHBOX_JOINED(unit_, OTHER_UNIT)();
#endif
const std::vector<unit>& units()
{
    static const std::vector<unit> all{
        LAUNCHBOX_JOINED(unit_, UNIT)(),
#ifdef OTHER_UNIT
        LAUNCHBOX_JOINED(unit_, OTHER_UNIT)(),
#endif
    };
    return all;
}
#endif

}  // namespace launchbox::variants
