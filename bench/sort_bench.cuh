// Common parts of the sort benchmarks: keys by index, own orders, memory, CUDA error checks, and comparison of results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>

/// The expansion of a macro, as text.
#define TEXT(word) TEXT_OF(word)
#define TEXT_OF(word) #word

namespace sort_bench {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i16 = std::int16_t;
using f32 = float;

// The finaliser of splitmix64.
__device__ inline std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

struct f64_i32 {
    double first;
    std::int32_t second;
    std::int32_t padding;  // a member, so that all bytes can be compared
};

/// An integer key and the index of its item, which is not compared.
struct u64_i32 {
    u64 key;
    std::int32_t index;
    std::int32_t padding;
};

/// `<`, but as a type that no library recognises; f64_i32 lexicographically, u64_i32 by its key.
struct own_order {
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const
    {
        return a < b;
    }
    __host__ __device__ bool operator()(const f64_i32& a, const f64_i32& b) const
    {
        return a.first < b.first || (a.first == b.first && a.second < b.second);
    }
    __host__ __device__ bool operator()(const u64_i32& a, const u64_i32& b) const { return a.key < b.key; }
};

struct falling {
    template <class T>
    __host__ __device__ bool operator()(const T& a, const T& b) const
    {
        return a > b;
    }
};

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

template <class Type>
struct device_array {
    Type* data = nullptr;
    explicit device_array(std::size_t count)
    {
        check(cudaMalloc(reinterpret_cast<void**>(&data), std::max<std::size_t>(count, 1) * sizeof(Type)), "memory");
    }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data); }
};

}  // namespace sort_bench
