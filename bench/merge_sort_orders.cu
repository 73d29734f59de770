// launchbox::merge_sort against cub::DeviceMergeSort::StableSortKeys for keys that can be equal but not identical:
// floats by `>`, integers by a user's comparator, a struct of a double and an int. Inputs: random keys, and keys of
// which all but one in 128 are in order. Every result is compared with CUB's, byte for byte. Needs a GPU:
//
//     nvcc -std=c++20 -O3 -arch=sm_90 -I include bench/merge_sort_orders.cu -o merge_sort_orders && ./merge_sort_orders
//
// Prints a line for each type and size: median microseconds, with the L2 flushed before each sample. Exits with 1 if a
// result differs, and with 77 without a GPU.
// SPDX-License-Identifier: Apache-2.0
#include <cub/device/device_merge_sort.cuh>
#include <launchbox/algorithms/merge_sort.cuh>
#include <launchbox/measure.cuh>

#include <bit>
#include <cstdint>
#include <cstdio>

#include "sort_bench.cuh"

namespace {

using namespace sort_bench;

template <class Key>
__global__ void make(Key* keys, std::int64_t n, bool nearly_sorted)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        const std::uint64_t random = mixed(i);
        const bool in_order = nearly_sorted && random % 128 != 0;
        if constexpr (sizeof(Key) == 16)
            keys[i] = {static_cast<double>(in_order ? i : static_cast<std::int64_t>(random % n)),
                       static_cast<std::int32_t>(random), 0};
        else
            keys[i] = static_cast<Key>(in_order        ? i
                                       : nearly_sorted ? static_cast<std::int64_t>(random % n)
                                                       : static_cast<std::int64_t>(random));
    }
}

template <class Key, class Order>
void compare(const char* name, std::int64_t n)
{
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(Key);
    std::size_t ours = 0, cubs = 0;
    Key *keys = nullptr, *copy = nullptr;
    void* memory = nullptr;
    unsigned long long *count = nullptr, differences = 0;
    launchbox::merge_sort(nullptr, keys, n, Order{}, launchbox::workspace::query(ours));
    check(cub::DeviceMergeSort::StableSortKeys(nullptr, cubs, keys, n, Order{}), "CUB");
    check(cudaMalloc(&keys, bytes), "keys");
    check(cudaMalloc(&copy, bytes), "copy");
    check(cudaMalloc(&memory, std::max(ours, cubs)), "workspace");
    check(cudaMalloc(&count, sizeof *count), "count");
    check(cudaMemset(count, 0, sizeof *count), "count");
    if (failed) return;
    const auto sort_ours = [&](cudaStream_t stream) {
        launchbox::merge_sort(stream, keys, n, Order{}, {memory, ours});
    };
    const auto sort_cubs = [&](cudaStream_t stream) {
        cub::DeviceMergeSort::StableSortKeys(memory, cubs, keys, n, Order{}, stream);
    };
    std::printf("%-12s 2^%-2d", name, std::bit_width(static_cast<std::uint64_t>(n)) - 1);
    for (const bool nearly_sorted : {false, true}) {
        launchbox::measurement_options options;
        options.max_samples = 40;
        options.max_seconds = 0.15;
        options.prepare = [&](cudaStream_t stream) { make<<<1024, 256, 0, stream>>>(keys, n, nearly_sorted); };
        const auto mine = launchbox::measure(sort_ours, options), other = launchbox::measure(sort_cubs, options);
        options.prepare(nullptr);
        sort_ours(nullptr);
        check(cudaMemcpy(copy, keys, bytes, cudaMemcpyDeviceToDevice), "copy");
        options.prepare(nullptr);
        sort_cubs(nullptr);
        count_differences<<<1024, 256>>>(reinterpret_cast<const unsigned char*>(keys),
                                         reinterpret_cast<const unsigned char*>(copy), static_cast<std::int64_t>(bytes),
                                         count);
        check(cudaMemcpy(&differences, count, sizeof differences, cudaMemcpyDeviceToHost), "count");
        if (!mine.measured() || !other.measured() || differences > 0) failed = true;
        std::printf("  %s launchbox %9.2f CUB %9.2f %5.2f times as fast%s", nearly_sorted ? "nearly sorted" : "random",
                    mine.median_ns / 1e3, other.median_ns / 1e3, other.median_ns / mine.median_ns,
                    differences > 0 ? " DIFFERENT" : "");
    }
    std::printf("\n");
    cudaFree(keys), cudaFree(copy), cudaFree(memory), cudaFree(count);
}

}  // namespace

int main()
{
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) {
        std::fputs("no GPU here\n", stderr);
        return 77;
    }
    for (int log2 = 10; log2 <= 27 && !failed; ++log2) {
        const std::int64_t n = std::int64_t{1} << log2;
        compare<float, falling>("f32, >", n);
        compare<std::uint32_t, own_order>("u32, own", n);
        compare<f64_i32, own_order>("f64 and i32", n);
    }
    if (failed) std::fputs("failed: see above\n", stderr);
    return failed ? 1 : 0;
}
