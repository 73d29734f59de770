// Sorts every row of a matrix with one thread block, whose tile of threads x items keys must hold a row. The rest of
// the tile is padded with the largest key, so that the result is the same with all parameters. A tile that is much
// longer than the row wastes work, but not every number of threads allows a tile of just the right length.
//
//     launchbox tune block_sort.toml
//
// Compiles with NVRTC and with nvcc.
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_store.cuh>

struct less {
    template <class Key>
    __device__ bool operator()(const Key& a, const Key& b) const
    {
        return a < b;
    }
};

// `n` keys in rows of `row`; the last row may be shorter. `min_blocks` 0 means no second launch bound. Launched with
// one block per row and (tile + tile / 32 + 1) * sizeof(Key) + 16 bytes of dynamic shared memory: the tile, one key of
// padding in 32, with which CUB avoids bank conflicts, and the end of the last merge.
template <class Key, int threads, int items, int min_blocks>
__global__ __launch_bounds__(threads, min_blocks) void block_sort(const Key* keys, Key* out, long long n, int row)
{
    using loading = cub::BlockLoad<Key, threads, items, cub::BLOCK_LOAD_TRANSPOSE>;
    using sorting = cub::BlockMergeSort<Key, threads, items>;
    using storing = cub::BlockStore<Key, threads, items, cub::BLOCK_STORE_TRANSPOSE>;
    union storage {
        typename loading::TempStorage load;
        typename sorting::TempStorage sort;
        typename storing::TempStorage store;
    };
    constexpr int tile = threads * items;
    static_assert(sizeof(storage) <= (tile + tile / 32 + 1) * sizeof(Key) + 16);
    extern __shared__ __align__(16) unsigned char memory[];
    storage& shared = *reinterpret_cast<storage*>(memory);

    constexpr Key last = static_cast<Key>(~(1ull << (8 * sizeof(Key) - 1)));
    const long long begin = static_cast<long long>(blockIdx.x) * row;
    const int valid = static_cast<int>(n - begin < row ? n - begin : row);
    Key mine[items];
    loading(shared.load).Load(keys + begin, mine, valid, last);
    __syncthreads();
    sorting(shared.sort).Sort(mine, less());
    __syncthreads();
    storing(shared.store).Store(out + begin, mine, valid);
}
