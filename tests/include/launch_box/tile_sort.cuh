// Sorts each tile of keys, as a body and as kernels whose row the host chooses at run time.
#pragma once

#include <launchbox/launch_box.cuh>

struct row {
    int threads, items, min_blocks = 0;
};

inline constexpr row rows[] = {{128, 11}, {256, 15}, {512, 19, 2}, {512, 23}, {256, 11, 4}};
using table = launchbox::launch_box<launchbox::sm<75, rows[0]>, launchbox::sm<80, rows[1]>, launchbox::sm<90, rows[2]>,
                                    launchbox::sm<100, rows[3]>, launchbox::sm<120, rows[4]>>;

template <row r, class Key>
struct tile_sorter {
    Key keys[r.threads * r.items];

    __device__ void sort(Key* data)
    {
        constexpr int tile = r.threads * r.items;
        const int thread = static_cast<int>(threadIdx.x);
        Key own[r.items];
#pragma unroll
        for (int i = 0; i < r.items; ++i) own[i] = data[blockIdx.x * tile + i * r.threads + thread];
#pragma unroll
        for (int round = 0; round < r.items; ++round)
#pragma unroll
            for (int i = round % 2; i + 1 < r.items; i += 2)
                if (own[i + 1] < own[i]) {
                    const Key larger = own[i];
                    own[i] = own[i + 1];
                    own[i + 1] = larger;
                }
        for (int runs = 1; runs < r.threads; runs *= 2) {
#pragma unroll
            for (int i = 0; i < r.items; ++i) keys[thread * r.items + i] = own[i];
            __syncthreads();
            merge(own, thread * r.items, runs * r.items);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < r.items; ++i) data[blockIdx.x * tile + thread * r.items + i] = own[i];
    }

    // Fills `own` from position `at` of the merged sequence of two runs.
    __device__ void merge(Key (&own)[r.items], int at, int run)
    {
        const int first = at / (2 * run) * 2 * run, second = first + run, diagonal = at - first;
        int low = diagonal > run ? diagonal - run : 0, high = diagonal < run ? diagonal : run;
        while (low < high) {
            const int middle = (low + high) / 2;
            if (keys[second + diagonal - 1 - middle] < keys[first + middle])
                high = middle;
            else
                low = middle + 1;
        }
        int a = first + low, b = second + diagonal - low;
#pragma unroll
        for (int i = 0; i < r.items; ++i) {
            const bool take_b = a == second || (b < second + run && keys[b] < keys[a]);
            own[i] = keys[take_b ? b++ : a++];
        }
    }
};

template <row r, class Key>
__device__ void sort_tile(Key* data)
{
    extern __shared__ char memory[];
    reinterpret_cast<tile_sorter<r, Key>*>(memory)->sort(data);
}
