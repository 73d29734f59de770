// Kernels that fail in every way that kernels can, and a correct one: out[i] = 2 * in[i] + 1.
#include <cassert>
#include <cstdio>

namespace {

__device__ int index()
{
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ void compute(const int* in, int* out, int n)
{
    if (index() < n) out[index()] = 2 * in[index()] + 1;
}

}  // namespace

extern "C" {

__global__ void right(const int* in, int* out, int n)
{
    compute(in, out, n);
}

__global__ void right_bytes(const unsigned char* in, unsigned char* out, int n)
{
    if (index() < n) out[index()] = in[index()];
}

__global__ void in_place(const int* in, int* out, int n)
{
    if (index() < n) out[index()] += in[index()];
}

__constant__ int table[1000];
__device__ int expected_number;

// Correct if the variables hold their expected values.
__global__ void adds_differences(const int* in, int* out, int n, const int* table_argument)
{
    compute(in, out, n);
    if (index() < 1000 && index() < n)
        out[index()] += (table[index()] != table_argument[index()]) + (expected_number != 77);
}

__global__ void just_behind(const int* in, int* out, int n)
{
    compute(in, out, n);
    if (index() == 0) out[n] = out[n + 1] = 0;
}

__global__ void far_away(const int* in, int* out, int n)
{
    compute(in, out, n);
    if (index() == 0) out[1LL << 44] = 1;
}

__global__ void misaligned(const int* in, int* out, int n)
{
    compute(in, out, n);
    if (index() == 0) *reinterpret_cast<int*>(reinterpret_cast<char*>(out) + n % 2 + 1) = 1;
}

__global__ void into_input(const int* in, int* out, int n)
{
    compute(in, out, n);
    if (index() == n / 2) const_cast<int*>(in)[n / 2] = 0;
}

__global__ void endless(const volatile int* in, int* out, int n)
{
    while (in[0] != 0x12345678 || in[1] != 0x12345678) out[n - 1] = in[0];
}

__global__ void traps(const int* in, int* out, int n)
{
    compute(in, out, n);
    if (index() == 7) __trap();
}

__global__ void asserts(const int* in, int* out, int n)
{
    compute(in, out, n);
    assert(index() != 7);
}

__global__ void races(const int* in, volatile int* out, int n)
{
    if (index() < n) out[index() / 64 * 64] = 2 * in[index()] + 1;  // 64 threads write to one element
}

__global__ void prints(const int* in, int* out, int n)
{
    compute(in, out, n);
    if (index() == 0) printf("{\"outcome\":\"measured\"}\n");
}

__global__ void with_shared_memory(const int* in, int* out, int n)
{
    extern __shared__ int staged[];
    staged[threadIdx.x] = index() < n ? in[index()] : 0;
    __syncthreads();
    if (index() < n) out[index()] = 2 * staged[threadIdx.x] + 1;
}

__global__ void one_millisecond(const int* in, int* out, int n)
{
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < 1'000'000);
    compute(in, out, n);
}
}
