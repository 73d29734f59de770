// Kernels made of CUB's block algorithms; see kernels.cu.
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_scan.cuh>

template <class Key, int Threads, int Items>
__global__ void /*sort*/ /*end*/ sort(Key* keys)
{
    using block_sort = cub::BlockRadixSort<Key, Threads, Items>;
    __shared__ typename block_sort::TempStorage storage;
    Key mine[Items];
    for (int i = 0; i < Items; ++i) mine[i] = keys[threadIdx.x * Items + i];
    block_sort(storage).Sort(mine);
    for (int i = 0; i < Items; ++i) keys[threadIdx.x * Items + i] = mine[i];
}
template __global__ void sort<unsigned, 128, 4>(unsigned*);

template <int Threads, int Items>
__global__ void /*scan*/ __launch_bounds__(Threads, 1) /*end*/ scan(double* data)
{
    using block_scan = cub::BlockScan<double, Threads>;
    __shared__ typename block_scan::TempStorage storage;
    double mine[Items];
    for (int i = 0; i < Items; ++i) mine[i] = data[threadIdx.x * Items + i];
    block_scan(storage).InclusiveSum(mine, mine);
    for (int i = 0; i < Items; ++i) data[threadIdx.x * Items + i] = mine[i];
}
template __global__ void scan<256, 6>(double*);
