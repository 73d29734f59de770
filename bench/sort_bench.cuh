// What the benchmarks of sorts share: keys by number, a look at CUDA's errors, and the comparison of results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <cstdio>

namespace sort_bench {

// The finaliser of splitmix64.
__device__ inline std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

static __global__ void count_differences(const unsigned char* a, const unsigned char* b, std::int64_t bytes,
                                         unsigned long long* count)
{
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < bytes; i += gridDim.x * blockDim.x)
        if (a[i] != b[i]) atomicAdd(count, 1ull);
}

inline bool failed = false;

inline void check(cudaError_t error, const char* what)
{
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    failed = true;
}

}  // namespace sort_bench
