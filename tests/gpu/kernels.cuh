// Kernels that use a known amount of one resource, to compare with the CUDA runtime.
#pragma once

#include <cuda_runtime.h>

#include <string>
#include <vector>

namespace launchbox {

/// One kernel under test. `barriers` is what ptxas prints; cudaFuncGetAttributes does not report it.
struct kernel_under_test {
    std::string name;
    const void* function = nullptr;
    int barriers = 0;
};

/// Keeps as many values live as REGISTERS allows, so that the compiler uses about that many registers.
template <int REGISTERS>
__global__ void __maxnreg__(REGISTERS) register_kernel(float* data, int rounds)
{
    constexpr int values = REGISTERS > 40 ? REGISTERS - 16 : 8;
    float live[values];
    for (int i = 0; i < values; ++i) live[i] = data[i * blockDim.x + threadIdx.x];
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < values; ++i) live[i] = live[i] * live[(i + 1) % values] + live[(i + 7) % values];
    }
    float sum = 0;
    for (int i = 0; i < values; ++i) sum += live[i];
    data[threadIdx.x] = sum;
}

/// Named barriers 0 to BARRIERS - 1. They are never reached: only their number matters for residency.
template <int BARRIERS>
__global__ void barrier_kernel(int* data)
{
    if (data == nullptr) return;
    if constexpr (BARRIERS > 0) asm volatile("barrier.sync %0;" ::"n"(BARRIERS - 1) : "memory");
    data[threadIdx.x] += 1;
}

template <int BYTES>
__global__ void shared_kernel(int* data)
{
    __shared__ char bytes[BYTES];
    if (data == nullptr) return;
    bytes[threadIdx.x % BYTES] = static_cast<char>(data[threadIdx.x]);
    __syncthreads();
    data[threadIdx.x] = bytes[(threadIdx.x + 1) % BYTES];
}

template <int THREADS, int BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS) bounded_kernel(int* data)
{
    if (data == nullptr) return;
    data[threadIdx.x] += 1;
}

inline std::vector<kernel_under_test> all_kernels()
{
    const auto of = [](auto* function) { return reinterpret_cast<const void*>(function); };
    return {{"registers 24", of(register_kernel<24>), 0},    {"registers 32", of(register_kernel<32>), 0},
            {"registers 40", of(register_kernel<40>), 0},    {"registers 56", of(register_kernel<56>), 0},
            {"registers 64", of(register_kernel<64>), 0},    {"registers 96", of(register_kernel<96>), 0},
            {"registers 128", of(register_kernel<128>), 0},  {"registers 168", of(register_kernel<168>), 0},
            {"registers 224", of(register_kernel<224>), 0},  {"registers 255", of(register_kernel<255>), 0},
            {"barriers 0", of(barrier_kernel<0>), 0},        {"barriers 1", of(barrier_kernel<1>), 1},
            {"barriers 3", of(barrier_kernel<3>), 3},        {"barriers 8", of(barrier_kernel<8>), 8},
            {"barriers 16", of(barrier_kernel<16>), 16},     {"shared 1000", of(shared_kernel<1000>), 1},
            {"shared 20000", of(shared_kernel<20000>), 1},   {"bound 256,2", of(bounded_kernel<256, 2>), 0},
            {"bound 1024,1", of(bounded_kernel<1024, 1>), 0}};
}

}  // namespace launchbox
