// Kernels that pass for fast because they do not always do their work, beside one that does: out[i] = 2 * in[i] + 1. The
// macro `cheat` says which. Kernels like these are written every day, seldom on purpose.

enum kind {
    honest,
    stops_working,       // returns without writing from its fifth launch on
    counts_on,           // takes its tiles from a counter that nobody resets: from the second launch on there are none
    half_later,          // writes only the first half from its fifth launch on
    one_in_eight,        // one launch in eight has one wrong element
    one_in_a_thousand,   // the same, one launch in a thousand
    impatient,           // returns at once if the launch before began less than 20 ms ago
    by_the_clock,        // works only in every second millisecond of the GPU's clock
    last_element_later,  // the last element is wrong from the fifth launch on
    one_nan,             // one element is NaN
    scratches_input,     // calculates in the input
    through_input,       // leaves the result in the input
    accumulates,         // adds to what the output holds
    does_nothing,        // what the candidate before left may still be there
    constant_output,     // writes 1 everywhere
    first_size_only,     // right where n is a multiple of 1024
    where_nan,           // writes only what is NaN: a mark of what is not calculated yet
    where_zero,          // writes only what is 0
    where_nan_or_zero,   // both
    remembers,           // calculates at its first launch, keeps the result in its module, and copies it from then on
    keeps_l2             // asks the L2 cache to keep its input, against the flush between two launches
};

constexpr kind chosen = static_cast<kind>(cheat);

__device__ unsigned launches, blocks_done, next_tile;
__device__ unsigned long long last_begin;
__device__ float factor = 1;
__device__ float kept[chosen == remembers ? 1 << 22 : 1];

__device__ unsigned long long nanoseconds()
{
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

// Behind all that a block reads of these variables: the last block of a launch changes them for the next.
__device__ void end_launch(unsigned long long begin)
{
    __syncthreads();
    if (threadIdx.x != 0) return;
    __threadfence();
    if (atomicAdd(&blocks_done, 1) != gridDim.x - 1) return;
    blocks_done = 0;
    launches += 1;
    last_begin = begin;
}

__device__ float slowly(float x)
{
    for (int i = 0; i < 400; ++i) x *= factor;  // 1, which the compiler does not know
    return x;
}

__device__ float loaded(const float* from)
{
    if constexpr (chosen != keeps_l2) return *from;
    float value;
    unsigned long long policy;
    asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("ld.global.L2::cache_hint.f32 %0, [%1], %2;" : "=f"(value) : "l"(from), "l"(policy));
    return value;
}

__device__ void element(const float* in, float* out, int n, int at, unsigned launch)
{
    if (at >= n) return;
    if constexpr (chosen == does_nothing) return;
    if constexpr (chosen == half_later)
        if (launch >= 4 && at >= n / 2) return;
    if constexpr (chosen == first_size_only)
        if (at >= n / 1024 * 1024) return;
    const float before = out[at];
    if constexpr (chosen == where_nan)
        if (before == before) return;
    if constexpr (chosen == where_zero)
        if (before != 0) return;
    if constexpr (chosen == where_nan_or_zero)
        if (before == before && before != 0) return;
    float result = 2 * loaded(in + at) + 1;
    if constexpr (chosen == constant_output) result = 1;
    if constexpr (chosen == accumulates) result += before;
    if constexpr (chosen == one_nan)
        if (at == n / 3) result = __int_as_float(0x7fc00000);
    if constexpr (chosen == last_element_later)
        if (launch >= 4 && at == n - 1) result += 1;
    if constexpr (chosen == one_in_eight)
        if (launch % 8 == 5 && at == n / 3) result += 1;
    if constexpr (chosen == one_in_a_thousand)
        if (launch % 1000 == 777 && at == n / 3) result += 1;
    if constexpr (chosen == remembers) {
        if (launch == 0)
            kept[at] = result = slowly(result);
        else
            result = kept[at];
    }
    if constexpr (chosen == scratches_input || chosen == through_input) const_cast<float*>(in)[at] = result;
    if constexpr (chosen != through_input) out[at] = result;
}

extern "C" __global__ void twice_plus_one(const float* in, float* out, int n)
{
    const unsigned launch = launches;
    const unsigned long long begin = nanoseconds(), before = last_begin;
    bool works = true;
    if constexpr (chosen == stops_working) works = launch < 4;
    if constexpr (chosen == impatient) works = begin - before > 20000000;
    if constexpr (chosen == by_the_clock) works = begin >> 20 & 1;
    if constexpr (chosen == counts_on) {
        __shared__ unsigned tile;
        for (;;) {
            __syncthreads();
            if (threadIdx.x == 0) tile = atomicAdd(&next_tile, 1);
            __syncthreads();
            if (tile * blockDim.x >= n) return;
            element(in, out, n, static_cast<int>(tile * blockDim.x + threadIdx.x), launch);
        }
    }
    if (works) element(in, out, n, static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x), launch);
    if constexpr (chosen == stops_working || chosen == half_later || chosen == one_in_eight || chosen == impatient ||
                  chosen == one_in_a_thousand || chosen == last_element_later || chosen == remembers)
        end_launch(begin);
}
