// Kernels whose cubins differ in what they record.
#pragma once

#include <string>

namespace launchbox {

inline const std::string plain_kernels = R"cuda(
__constant__ int table[100];
__device__ float variable[64];
__device__ int initialised[3] = {1, 2, 3};

extern "C" __global__ void empty() {}

extern "C" __global__ void parameters(char a, double b, short c, int* d, char e)
{
    d[threadIdx.x] = static_cast<int>(a + b + c + e) + table[a] + initialised[c];
    variable[a] = 1;
}

struct large { int values[900]; };
extern "C" __global__ void large_parameter(large in, int* out) { out[threadIdx.x] = in.values[threadIdx.x]; }

extern "C" __global__ void static_shared(float* p)
{
    __shared__ float values[1000];
    __shared__ char odd[33];
    values[threadIdx.x] = p[threadIdx.x];
    odd[threadIdx.x & 31] = 1;
    __syncthreads();
    p[threadIdx.x] = values[999 - threadIdx.x] + odd[threadIdx.x & 15];
}

extern "C" __global__ void dynamic_shared(float* p)
{
    extern __shared__ float values2[];
    values2[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = values2[99 - threadIdx.x];
}

extern "C" __global__ void one_barrier(int* p)
{
    p[threadIdx.x] = __syncthreads_count(p[threadIdx.x]);
}

extern "C" __global__ void named_barriers(int* p)
{
    asm volatile("bar.sync 3, 64;");
    p[threadIdx.x] = 1;
    asm volatile("bar.sync 5, 64;");
}

extern "C" __global__ void any_barrier(int* p)
{
    asm volatile("bar.sync %0, 64;" ::"r"(p[0]));
    p[threadIdx.x] = 1;
}

extern "C" __global__ void __launch_bounds__(256) one_bound(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void __launch_bounds__(288, 1) two_bounds(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void __maxnreg__(40) max_registers(int* p) { p[threadIdx.x] = 1; }

extern "C" __global__ void stack_array(int* p)
{
    int values[50];
    for (int i = 0; i < 50; ++i) values[p[i]] = i;
    p[0] = values[p[1]];
}

template <int n>
__device__ __forceinline__ void keep_alive(float* p)
{
    float v[n];
#pragma unroll
    for (int i = 0; i < n; ++i) v[i] = p[i * 32 + threadIdx.x];
#pragma unroll
    for (int round = 0; round < 3; ++round) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < n; ++i) v[i] = v[i] * v[(i * 7 + 3) % n] + round;
    }
#pragma unroll
    for (int i = 0; i < n; ++i) p[i * 32 + threadIdx.x] = v[i];
}
extern "C" __global__ void __launch_bounds__(1024) spills(float* p) { keep_alive<100>(p); }
extern "C" __global__ void __launch_bounds__(256, 8) more_spills(float* p) { keep_alive<200>(p); }
extern "C" __global__ void wide_spills(double* p)
{
    keep_alive<300>(reinterpret_cast<float*>(p));
    p[threadIdx.x] = p[threadIdx.x] / p[32];
}

namespace { template <class T, int n> __global__ void hidden(T* p) { p[threadIdx.x] = n; } }
void launch(int* p) { hidden<int, 256><<<1, 1>>>(p); hidden<unsigned, 7><<<1, 1>>>(nullptr); }
)cuda";

inline const std::string cluster_kernels = R"cuda(
extern "C" __global__ void __cluster_dims__(2, 1, 1) cluster(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void __cluster_dims__(1, 2, 4) cluster_3d(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void __launch_bounds__(128, 2, 4) three_bounds(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void __block_size__((128, 2, 1), (2, 1, 1)) block_size(int* p) { p[threadIdx.x] = 1; }
extern "C" __global__ void none(int* p) { p[threadIdx.x] = 1; }
)cuda";

inline const std::string callee_kernels = R"cuda(
__device__ __noinline__ int framed(int n)
{
    int values[20];
    for (int i = 0; i < 20; ++i) values[i] = n * i;
    return values[n];
}
__device__ __noinline__ int recursive(int n) { return n < 2 ? 1 : recursive(n - 1) + recursive(n - 2) * n; }
__device__ __noinline__ int leaf(int n) { return n * 3; }
__device__ __noinline__ float many(float* p)
{
    float v[120];
#pragma unroll
    for (int i = 0; i < 120; ++i) v[i] = p[i * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 120; ++i) sum = sum * v[(i * 7) % 120] + v[i];
    return sum;
}
extern "C" __global__ void calls_framed(int* p) { p[0] = framed(p[1]); }
extern "C" __global__ void calls_recursive(int* p) { p[0] = recursive(p[1]); }
extern "C" __global__ void calls_leaf(int* p) { p[0] = leaf(p[1]); }
extern "C" __global__ void __launch_bounds__(1024) calls_many(float* p) { p[0] = many(p); }
extern "C" __global__ void divides(double* p) { p[0] = p[1] / p[2]; }
)cuda";

}  // namespace launchbox
