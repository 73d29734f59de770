// Two bodies and a classic kernel with one table; rows differ in threads, items, min_blocks and the register cap.
#pragma once

#include <launchbox/launch_box.cuh>

struct row {
    int threads, items, min_blocks = 0;
};

using table = launchbox::launch_box<launchbox::sm<75, row{512, 3, 2}>, launchbox::sm<80, row{384, 5, 3}>,
                                    launchbox::sm<90, row{256, 7, 5}>, launchbox::sm_a<90, row{320, 9, 6}>,
                                    launchbox::sm<100, row{128, 11, 12}>, launchbox::sm_f<100, row{192, 13, 4}>,
                                    launchbox::sm<120, row{160, 15, 4}>>;

using by_three_sizes = launchbox::by_size<
    launchbox::upto<1000, launchbox::only<row{32, 1}>>,
    launchbox::upto<1000000, launchbox::launch_box<launchbox::sm<80, row{64, 3}>, launchbox::sm<90, row{96, 5}>>>,
    launchbox::otherwise<table>>;

#ifndef TABLE
#define TABLE table
#endif

/// Static and dynamic shared memory, by the row.
struct staged {
    using tuning = TABLE;
    static constexpr int dynamic_shared_bytes(row r) { return r.threads * 4; }

    template <row r>
    static __device__ void run(int* data, int count)
    {
        extern __shared__ int sums[];
        __shared__ int stage[r.threads * r.items];
        const int first = static_cast<int>(blockIdx.x) * r.threads * r.items, thread = static_cast<int>(threadIdx.x);
        for (int i = thread; i < r.threads * r.items; i += r.threads)
            stage[i] = first + i < count ? data[first + i] : 0;
        __syncthreads();
        int sum = 0;
        for (int i = 0; i < r.items; ++i) sum += stage[thread * r.items + i];
        sums[thread] = sum;
        __syncthreads();
        if (first + thread < count) data[first + thread] = sums[r.threads - 1 - thread];
    }
};

struct plain {
    using tuning = TABLE;

    template <row r>
    static __device__ void run(int* data, int count)
    {
        const int first = static_cast<int>(blockIdx.x) * r.threads * r.items + static_cast<int>(threadIdx.x);
        for (int i = 0; i < r.items; ++i)
            if (const int at = first + i * r.threads; at < count) data[at] *= data[at];
    }
};

template <class Tuning>
__global__ LAUNCHBOX_BOUNDS(Tuning) void classic(int* data, int count)
{
    constexpr row r = launchbox::row_here<Tuning>();
    __shared__ int stage[r.threads * r.items];
    const int at = static_cast<int>(threadIdx.x);
    stage[at] = data[at];
    __syncthreads();
    if (at < count) data[at] = stage[r.threads - 1 - at];
}

/// A user's function in every file that includes this; the linker keeps one copy.
template <class Count>
void launch_both(int* data, Count count)
{
    launchbox::launch<staged>(nullptr, count, data, count);
    launchbox::launch<plain>(nullptr, count, data, count);
}
