// Candidates that do what bad kernels do, among good ones: doubles n numbers, `items` to a thread.
#ifndef __CUDACC_RTC__  // which knows assert
#include <cassert>
#endif

enum class fault {
    none,
    out_of_bounds,  // far outside of all memory
    beyond_the_end, // a few elements behind the output, which the GPU does not notice
    changed_input,
    infinite_loop,
    trap,
    assertion,
    race,           // the result depends on who comes last
    untouched,      // the output is never written
    one_wrong,      // a single element
    much_shared  // more shared memory than a block may have
    // no_such_name does not compile: it is not here
};

__device__ int turn;

template <fault f, int items>
__global__ void twice(const int* in, int* out, long long n)
{
    if constexpr (f == fault::much_shared) {
        __shared__ int large[300 * 256];
        large[threadIdx.x] = in[0];
        __syncthreads();
        if (large[(threadIdx.x + 1) % blockDim.x] == 12345) out[0] = 1;
    }
    const long long first = (static_cast<long long>(blockIdx.x) * items) * blockDim.x + threadIdx.x;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const long long at = first + static_cast<long long>(i) * blockDim.x;
        if (at >= n) break;
        if constexpr (f == fault::out_of_bounds) out[at + (1ll << 46)] = 1;
        if constexpr (f == fault::beyond_the_end)
            if (at == n - 1) out[n + 3] = 7;
        if constexpr (f == fault::changed_input)
            if (at == 5) const_cast<int*>(in)[5] = ~in[5];
        if constexpr (f == fault::infinite_loop)
            while (*reinterpret_cast<const volatile int*>(&turn) == 0) {
            }
        if constexpr (f == fault::trap)
            if (at == n / 2) asm volatile("trap;");
        if constexpr (f == fault::assertion) assert(at != n / 2);
        if constexpr (f == fault::race) out[at] = 2 * in[at] + (atomicAdd(&turn, 1) & 1);
        else if constexpr (f == fault::one_wrong) out[at] = 2 * in[at] + (at == n / 3 ? 1 : 0);
        else if constexpr (f != fault::untouched) out[at] = 2 * in[at];
    }
}
