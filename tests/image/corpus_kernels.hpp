// Kernels for comparing whole containers with the compiler's reports: one for each kind of figure in a report.
#pragma once

#include <string>

namespace launchbox {

/// 24 kernels that every architecture compiles; their names contain the attributes in the source.
inline const std::string corpus_source = R"cuda(
__constant__ int table[50];
__device__ float variable[10];

template <int n>
__device__ __forceinline__ void keep_alive(float* p)
{
    float v[n];
#pragma unroll
    for (int i = 0; i < n; ++i) v[i] = p[i * 32 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < n; ++i) v[i] = v[i] * v[(i * 7 + 3) % n];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < n; ++i) p[i * 32 + threadIdx.x] = v[i];
}

extern "C" {
__global__ void empty() {}
__global__ void one_int(int* p) { p[threadIdx.x] = table[threadIdx.x]; }
__global__ void constants(double* p) { p[threadIdx.x] = p[threadIdx.x] * 3.14159265358979 + variable[0]; }
__global__ void odd_parameters(char a, double b, short c, int* d, char e) { d[0] = static_cast<int>(a + b + c + e); }
__global__ void __launch_bounds__(64) bounds_64(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(1024) bounds_1024(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128, 6) bounds_128_6(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(256, 4) bounds_256_4(float* p) { keep_alive<60>(p); }
__global__ void __launch_bounds__(288, 1) bounds_288_1(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(512, 1) bounds_512_1(int* p) { p[threadIdx.x] = 1; }
#if __CUDA_ARCH__ >= 900
__global__ void __launch_bounds__(256, 3) bounds_by_architecture(int* p) { p[threadIdx.x] = 1; }
#else
__global__ void __launch_bounds__(256, 2) bounds_by_architecture(int* p) { p[threadIdx.x] = 1; }
#endif
__global__ void __maxnreg__(48) max_registers_48(float* p) { keep_alive<60>(p); }
__global__ void static_shared_4000(float* p)
{
    __shared__ float s[1000];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[999 - threadIdx.x];
}
__global__ void static_shared_48k(float* p)
{
    __shared__ float s[12288];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[999 - threadIdx.x];
}
__global__ void dynamic_shared(float* p)
{
    extern __shared__ float d[];
    d[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = d[99 - threadIdx.x];
}
__global__ void both_shared_100(float* p)
{
    extern __shared__ float d[];
    __shared__ char s[100];
    d[threadIdx.x] = p[threadIdx.x];
    s[threadIdx.x % 100] = 1;
    __syncthreads();
    p[threadIdx.x] = d[99 - threadIdx.x] + s[threadIdx.x % 7];
}
__global__ void barriers_7(int* p)
{
    asm volatile("bar.sync 3, 64;");
    p[threadIdx.x] = 1;
    asm volatile("bar.sync 6, 64;");
}
__global__ void barriers_16(int* p) { asm volatile("bar.sync %0, 64;" ::"r"(p[0])); p[threadIdx.x] = 1; }
__global__ void local_array(int* p)
{
    int values[37];
    for (int i = 0; i < 37; ++i) values[p[i]] = i;
    p[0] = values[p[1]];
}
__global__ void __launch_bounds__(1024) spilling(float* p) { keep_alive<110>(p); }
__global__ void __launch_bounds__(512, 2) spilling_doubles(double* p)
{
    double v[40];
#pragma unroll
    for (int i = 0; i < 40; ++i) v[i] = p[i * 32 + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 40; ++i) p[i * 32 + threadIdx.x] = v[(i * 7 + 3) % 40];
}
__global__ void many_registers(float* p) { keep_alive<150>(p); }
}

static __global__ void static_kernel(int* p) { p[threadIdx.x] = 1; }
namespace { __global__ void anonymous_kernel(int* p) { p[threadIdx.x] = 1; } }
void use(int* p) { static_kernel<<<1, 1>>>(p); anonymous_kernel<<<1, 1>>>(p); }
)cuda";

/// For sm_90 and later.
inline const std::string corpus_cluster_source = R"cuda(
extern "C" {
__global__ void __cluster_dims__(2, 1, 1) cluster_2(int* p) { p[threadIdx.x] = 1; }
__global__ void __launch_bounds__(128, 2, 4) rank_4(int* p) { p[threadIdx.x] = 1; }
__global__ void __block_size__((64, 2, 1), (1, 2, 1)) required_128(int* p) { p[threadIdx.x] = 1; }
}
)cuda";

}  // namespace launchbox
