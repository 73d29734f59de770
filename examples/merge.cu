// Merges two sorted arrays: each thread block finds its part of both by a search along the merge path, stages it in
// shared memory, and each thread merges ITEMS of it. See what `launchbox inspect` says about the two kernels:
//
//     launchbox inspect examples/merge.cu --arch sm_80,sm_90,sm_120
//
// merge_tiles asks for as many blocks as its shared memory allows; merge_tiles_greedy asks for more, which only costs
// registers.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdio>
#include <random>
#include <vector>

// How many of the first `diagonal` outputs come from `a`. Equal keys are taken from `a` first, so the merge is stable.
template <class Key>
__device__ int merge_path(const Key* a, int a_count, const Key* b, int b_count, int diagonal)
{
    int low = max(0, diagonal - b_count);
    int high = min(diagonal, a_count);
    while (low < high) {
        const int middle = (low + high) / 2;
        if (a[middle] <= b[diagonal - 1 - middle])
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

template <class Key, int THREADS, int ITEMS>
__device__ void merge_tile(const Key* a, int a_count, const Key* b, int b_count, Key* output)
{
    __shared__ Key staged[THREADS * ITEMS];
    const int total = a_count + b_count;
    const int begin = min(static_cast<int>(blockIdx.x) * THREADS * ITEMS, total);
    const int end = min(begin + THREADS * ITEMS, total);
    const int a_begin = merge_path(a, a_count, b, b_count, begin);
    const int a_end = merge_path(a, a_count, b, b_count, end);
    const int tile_a = a_end - a_begin;
    const int tile_b = (end - begin) - tile_a;
    for (int i = threadIdx.x; i < end - begin; i += THREADS)
        staged[i] = i < tile_a ? a[a_begin + i] : b[begin - a_begin + (i - tile_a)];
    __syncthreads();

    const Key* from_a = staged;
    const Key* from_b = staged + tile_a;
    const int first = min(static_cast<int>(threadIdx.x) * ITEMS, end - begin);
    int i = merge_path(from_a, tile_a, from_b, tile_b, first);
    int j = first - i;
    Key merged[ITEMS];
#pragma unroll
    for (int item = 0; item < ITEMS; ++item) {
        const bool take_a = j >= tile_b || (i < tile_a && from_a[i] <= from_b[j]);
        if (first + item < end - begin) merged[item] = take_a ? from_a[i++] : from_b[j++];
    }
    __syncthreads();
#pragma unroll
    for (int item = 0; item < ITEMS; ++item)
        if (first + item < end - begin) staged[first + item] = merged[item];
    __syncthreads();
    for (int k = threadIdx.x; k < end - begin; k += THREADS) output[begin + k] = staged[k];
}

template <class Key, int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS)
    merge_tiles(const Key* a, int a_count, const Key* b, int b_count, Key* output)
{
    merge_tile<Key, THREADS, ITEMS>(a, a_count, b, b_count, output);
}

template <class Key, int THREADS, int ITEMS>
__global__ void __launch_bounds__(THREADS, 8)
    merge_tiles_greedy(const Key* a, int a_count, const Key* b, int b_count, Key* output)
{
    merge_tile<Key, THREADS, ITEMS>(a, a_count, b, b_count, output);
}

static bool succeeded(cudaError_t code, const char* what)
{
    if (code != cudaSuccess) std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(code));
    return code == cudaSuccess;
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU here: nothing is merged");
        return 77;  // skipped
    }
    constexpr int threads = 256, items = 23, count = 1 << 20;
    std::vector<int> a(count), b(count + 12345), merged(a.size() + b.size());
    std::mt19937 random(1);
    for (int& key : a) key = static_cast<int>(random() % 1000000);
    for (int& key : b) key = static_cast<int>(random() % 1000000);
    std::sort(a.begin(), a.end());
    std::sort(b.begin(), b.end());
    const int a_count = static_cast<int>(a.size()), b_count = static_cast<int>(b.size());
    const int total = a_count + b_count;

    int *device_a = nullptr, *device_b = nullptr, *device_output = nullptr;
    if (!succeeded(cudaMalloc(&device_a, sizeof(int) * a.size()), "cudaMalloc") ||
        !succeeded(cudaMalloc(&device_b, sizeof(int) * b.size()), "cudaMalloc") ||
        !succeeded(cudaMalloc(&device_output, sizeof(int) * merged.size()), "cudaMalloc"))
        return 1;
    cudaMemcpy(device_a, a.data(), sizeof(int) * a.size(), cudaMemcpyHostToDevice);
    cudaMemcpy(device_b, b.data(), sizeof(int) * b.size(), cudaMemcpyHostToDevice);

    std::vector<int> expected(merged.size());
    std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin());
    const int blocks = (total + threads * items - 1) / (threads * items);
    for (int greedy = 0; greedy < 2; ++greedy) {
        cudaMemset(device_output, 0, sizeof(int) * merged.size());
        if (greedy)
            merge_tiles_greedy<int, threads, items>
                <<<blocks, threads>>>(device_a, a_count, device_b, b_count, device_output);
        else
            merge_tiles<int, threads, items><<<blocks, threads>>>(device_a, a_count, device_b, b_count, device_output);
        if (!succeeded(cudaGetLastError(), "launch") || !succeeded(cudaDeviceSynchronize(), "kernel")) return 1;
        cudaMemcpy(merged.data(), device_output, sizeof(int) * merged.size(), cudaMemcpyDeviceToHost);
        const bool equal = merged == expected;
        std::printf("%s: %d keys merged by %d blocks of %d threads: %s\n",
                    greedy ? "merge_tiles_greedy" : "merge_tiles", total, blocks, threads,
                    equal ? "equal to std::merge" : "WRONG");
        if (!equal) return 1;
    }
    cudaFree(device_a);
    cudaFree(device_b);
    cudaFree(device_output);
    return 0;
}
