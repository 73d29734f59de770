// launchbox: a small merge sort in one launch, by a cluster of blocks. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// Each block sorts a tile in its shared memory, and gives a copy of its keys to all others. An element's place in the
// result is its place in its tile, and how many come before it in the other tiles, which its thread counts by binary
// searches. Without the copy, in the memory of the other blocks, a search takes several times as long.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_sort_tile.cuh>

namespace launchbox::detail {

/// A barrier for all threads of the cluster. What was written to shared memory before it is visible after it.
__device__ __forceinline__ void arrive_at_cluster()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
#endif
}
__device__ __forceinline__ void wait_for_cluster()
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
#endif
}

/// What block number `block` of the cluster has where this one has `own` in its shared memory.
__device__ __forceinline__ unsigned char* shared_of(unsigned char* own, [[maybe_unused]] int block)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    std::uint64_t there;
    asm("mapa.u64 %0, %1, %2;" : "=l"(there) : "l"(own), "r"(block));
    return reinterpret_cast<unsigned char*>(there);
#else
    return own;
#endif
}

/// The elements of tile number `tile` of `n`.
template <class Shape>
__device__ __forceinline__ int tile_count(int n, int tile)
{
    return max(0, min(n - tile * Shape::tile, Shape::tile));
}

/// Sorts a tile of `n` elements in shared memory; ends with a barrier.
template <class Shape>
__device__ __forceinline__ void sort_tile_of_cluster(unsigned char* shared, const merge_arrays<Shape>& in, int n,
                                                     int tile, const typename Shape::compare& compare)
{
    // Not tile_count, whose maximum with 0 is not needed here: where what it gives is then compared with a whole tile,
    // ptxas 13.0 for 9.0 takes both from one VIMNMX.RELU, and the comparison is always true.
    const int left = n - tile * Shape::tile;
    if (left > 0)
        sort_in_memory<false>(merge_memory<Shape>{shared}, in, in, std::int64_t{tile} * Shape::tile,
                              left < Shape::tile ? left : Shape::tile, kept_order<Shape>{compare});
    __syncthreads();
}

/// Behind a block's own tile in its shared memory: copies of the keys of the other tiles, as they are there.
template <class Shape>
struct cluster_keys {
    static constexpr std::size_t bytes =
        (static_cast<std::size_t>(Shape::tile + Shape::threads) * sizeof(typename Shape::kept_key) + 15) / 16 * 16;
    unsigned char* own;

    /// Where tile number `other` is, as if it were the tile of a block.
    [[nodiscard]] __device__ __forceinline__ merge_memory<Shape> memory_of(int other, int tile) const
    {
        using memory = merge_memory<Shape>;
        if (other == tile) return memory{own};
        const auto before = static_cast<std::size_t>(other < tile ? other : other - 1);
        return memory{own + memory::layout.all + before * bytes - memory::layout.keys};
    }
};

/// Gives a copy of the keys of the tile to the other blocks; `shared_of_block(i)` is the shared memory of block number
/// i. Writing does not wait for the other block; reading what it has would.
template <class Shape, class SharedOfBlock>
__device__ __forceinline__ void give_tile(unsigned char* shared, const SharedOfBlock& shared_of_block, int n, int tile,
                                          int tiles)
{
    constexpr int batch = Shape::items + 1;  // a tile and its free slots
    const int thread = static_cast<int>(threadIdx.x), count = padded<Shape::items>(tile_count<Shape>(n, tile));
    const auto* const own = merge_memory<Shape>{shared}.keys();
    raw_array<typename Shape::kept_key, batch> keys;
#pragma unroll
    for (int i = 0; i < batch; ++i)
        if (thread + i * Shape::threads < count) keys[i] = own[thread + i * Shape::threads];
#pragma unroll 1
    for (int other = 0; other < tiles; ++other) {
        if (other == tile || other * Shape::tile >= n) continue;
        auto* const to = cluster_keys<Shape>{shared_of_block(other)}.memory_of(tile, other).keys();
#pragma unroll
        for (int i = 0; i < batch; ++i)
            if (thread + i * Shape::threads < count) to[thread + i * Shape::threads] = keys[i];
    }
}

/// Writes the elements of a tile to where they come among those of all `tiles`, of which the keys are here. One tile is
/// searched after the other: three side by side take longer, since there are more registers and more code to load.
template <class Shape>
__device__ __forceinline__ void place_tile(unsigned char* shared, const merge_arrays<Shape>& out, int n, int tile,
                                           int tiles, const typename Shape::compare& compare)
{
    constexpr int items = Shape::items;
    const kept_order<Shape> less{compare};
    const merge_memory<Shape> memory{shared};
    if (tile * Shape::tile >= n) return;
    const int thread = static_cast<int>(threadIdx.x), count = tile_count<Shape>(n, tile);
    raw_array<typename Shape::kept_key, items> keys;
    raw_array<int, items> places;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int slot = thread + i * Shape::threads;
        places[i] = slot;
        keys[i] = memory.key_in(slot < count ? slot : 0);  // so that only keys are compared, without branches
    }
#pragma unroll 1
    for (int number = 0; number < tiles; ++number) {
        const int other_count = number == tile ? 0 : tile_count<Shape>(n, number);
        if (other_count == 0) continue;
        const merge_memory<Shape> other = cluster_keys<Shape>{shared}.memory_of(number, tile);
        const bool is_earlier = number < tile;
        raw_array<int, items> before;
#pragma unroll
        for (int i = 0; i < items; ++i) before[i] = 0;
#pragma unroll 1
        for (int step = Shape::tile; step > 0; step /= 2)
#pragma unroll
            for (int i = 0; i < items; ++i) {
                const int next = before[i] + step;
                const bool is_there = next <= other_count;
                const auto key = other.key_in(is_there ? next - 1 : 0);
                // Of equal elements that of the earlier tile comes first.
                const bool is_less = less(is_earlier ? keys[i] : key, is_earlier ? key : keys[i]);
                before[i] = is_there & (is_less != is_earlier) ? next : before[i];
            }
#pragma unroll
        for (int i = 0; i < items; ++i) places[i] += before[i];
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
        const int slot = thread + i * Shape::threads;
        if (slot >= count) continue;
        out.keys[places[i]] = static_cast<typename Shape::key>(keys[i]);
        if constexpr (Shape::has_values)
            out.values[places[i]] = static_cast<typename Shape::value>(memory.values()[padded<items>(slot)]);
    }
}

/// Sorts `n` elements by a cluster, which is the whole grid, with a tile for each block.
template <class Shape>
__device__ __forceinline__ void sort_by_cluster(unsigned char* shared, const merge_arrays<Shape>& in,
                                                const merge_arrays<Shape>& out, int n,
                                                const typename Shape::compare& compare)
{
    const int tile = static_cast<int>(blockIdx.x), tiles = static_cast<int>(gridDim.x);
    if (tiles > 1) arrive_at_cluster();
    sort_tile_of_cluster<Shape>(shared, in, n, tile, compare);
    if (tiles > 1) {
        wait_for_cluster();  // all blocks have begun, and so have shared memory
        give_tile<Shape>(
            shared, [&](int block) { return shared_of(shared, block); }, n, tile, tiles);
        arrive_at_cluster();
        wait_for_cluster();  // also before anything is written: the sort may be in place
    }
    let_next_grid_begin();
    place_tile<Shape>(shared, out, n, tile, tiles, compare);
}

/// The shared memory of a block of sort_by_cluster, for `tiles` of them.
template <class Shape>
constexpr std::int64_t cluster_shared_bytes(int threads, int items, int tiles)
{
    const std::size_t of_keys =
        (static_cast<std::size_t>(threads * items + threads) * sizeof(typename Shape::kept_key) + 15) / 16 * 16;
    return merge_shared_bytes<Shape>(threads, items) + static_cast<std::int64_t>(of_keys) * (tiles - 1);
}

}  // namespace launchbox::detail
