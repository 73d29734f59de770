// The kernels of the algorithms with the shipped rows, for launchbox check and to test that they compile for every
// architecture: for common types, or with ONE_TYPE for a single type and a single size of the sort.
//
//     launchbox check algorithms/kernels.cu --arch sm_90 --budget algorithms/launchbox.budget.toml -- -std=c++20 -I
//     include
#include <launchbox/algorithms/interval_expand.cuh>
#include <launchbox/algorithms/interval_move.cuh>
#include <launchbox/algorithms/merge_sort.cuh>

#include <cstdint>

namespace launchbox {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
using offsets = const std::int32_t*;
using places = const std::int64_t*;

template void interval_expand<void, const u32*, offsets, u32*>(cudaStream_t, const u32*, offsets, std::int64_t, u32*,
                                                               std::int64_t, workspace);
template void interval_move<void, places, places, interval_offsets<offsets>, const u32*, u32*>(
    cudaStream_t, places, places, interval_offsets<offsets>, std::int64_t, const u32*, u32*, workspace);

#ifdef ONE_TYPE
template void merge_sort<merge_sort_k4_above_1048576, u32, less>(cudaStream_t, u32*, std::int64_t, less, workspace);
#else
template void merge_sort<void, u32, less>(cudaStream_t, u32*, std::int64_t, less, workspace);
template void merge_sort<void, u64, less>(cudaStream_t, u64*, std::int64_t, less, workspace);
template void merge_sort<void, u32, u32, less>(cudaStream_t, u32*, u32*, std::int64_t, less, workspace);
template void merge_sort<void, u64, u64, less>(cudaStream_t, u64*, u64*, std::int64_t, less, workspace);
#endif

}  // namespace launchbox
