// The kernels of the algorithms with the rows that are shipped, for launchbox check and to see that they compile for
// every architecture: of common types, or with ONE_TYPE of one.
//
//     launchbox check algorithms/kernels.cu --arch sm_90 --budget algorithms/launchbox.budget.toml -- -std=c++20 -I
//     include
#include <launchbox/algorithms/merge_sort.cuh>

#include <cstdint>

namespace launchbox {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

template void merge_sort<void, u32, less>(cudaStream_t, u32*, std::int64_t, less, const workspace&);
#ifndef ONE_TYPE
template void merge_sort<void, u64, less>(cudaStream_t, u64*, std::int64_t, less, const workspace&);
template void merge_sort<void, u32, u32, less>(cudaStream_t, u32*, u32*, std::int64_t, less, const workspace&);
template void merge_sort<void, u64, u64, less>(cudaStream_t, u64*, u64*, std::int64_t, less, const workspace&);
#endif

}  // namespace launchbox
