// launchbox: a stable sort of many segments of an array at once.
// SPDX-License-Identifier: Apache-2.0
//
//     launchbox::segmented_merge_sort(stream, keys, n, offsets, segments);                   // segments + 1 offsets
//     launchbox::segmented_merge_sort(stream, keys, n, begins, ends, segments);              // anywhere in the array
//     launchbox::segmented_merge_sort(stream, keys, values, n, offsets, segments, compare, space);
//     cudaError_t error = launchbox::try_segmented_merge_sort(stream, keys, n, offsets, segments);
// Segments may have any sizes: those that fit into a tile are listed by size and sorted, several per tile; larger ones
// are merged by the whole GPU. No host synchronisation; the stream may be captured.
#pragma once

#if !defined(__CUDACC__)
#error "launchbox/algorithms/segmented_merge_sort.cuh defines kernels: compile it as CUDA C++, with nvcc as a .cu file"
#else

#include <cuda_runtime_api.h>

#include <cstdint>

#include <launchbox/algorithms/detail/segmented_merge_sort_kernels.cuh>
#include <launchbox/algorithms/order.cuh>
#include <launchbox/algorithms/workspace.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

/// Sorts `segments` segments of the keys `keys[0]` to `keys[n - 1]` of the device in place, each as merge_sort does:
/// segment i is keys[begins[i]] to keys[ends[i] - 1], and empty if ends[i] is not above begins[i]. The offsets, of any
/// integer type, are on the device too. Keys outside all segments stay as they are; if offsets are out of range,
/// nothing outside the n keys is written. Segments must not overlap: blocks would race, with undefined results. n is
/// less than 2^40, `segments` less than 2^32; otherwise, and for types, Tuning, workspace and errors, as merge_sort.
/// The workspace depends on types, n, segments and the GPU alone.
template <class Tuning = void, class Key, class Offset, class Compare = less>
void segmented_merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, const Offset* begins, const Offset* ends,
                          std::int64_t segments, Compare compare = {}, workspace space = {});

/// The same with `values[i]`, of any trivially copyable type, that move with `keys[i]`.
template <class Tuning = void, class Key, class Value, class Offset, class Compare = less>
void segmented_merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, const Offset* begins,
                          const Offset* ends, std::int64_t segments, Compare compare = {}, workspace space = {});

/// Segments that follow each other: segment i is keys[offsets[i]] to keys[offsets[i + 1] - 1]; segments + 1 offsets.
template <class Tuning = void, class Key, class Offset, class Compare = less>
void segmented_merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, const Offset* offsets, std::int64_t segments,
                          Compare compare = {}, workspace space = {});
template <class Tuning = void, class Key, class Value, class Offset, class Compare = less>
void segmented_merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, const Offset* offsets,
                          std::int64_t segments, Compare compare = {}, workspace space = {});

/// segmented_merge_sort with the same arguments after the stream, without exceptions, as try_merge_sort.
template <class Tuning = void, class... Arguments>
cudaError_t try_segmented_merge_sort(cudaStream_t stream, Arguments... arguments) noexcept;

template <class Tuning, class Key, class Offset, class Compare>
void segmented_merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, const Offset* begins, const Offset* ends,
                          std::int64_t segments, Compare compare, workspace space)
{
    merge_sort_kernels::sort_any_segments<Tuning>(stream, keys, static_cast<void*>(nullptr), n, begins, ends, segments,
                                                  compare, space);
}

template <class Tuning, class Key, class Value, class Offset, class Compare>
void segmented_merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, const Offset* begins,
                          const Offset* ends, std::int64_t segments, Compare compare, workspace space)
{
    merge_sort_kernels::sort_any_segments<Tuning>(stream, keys, values, n, begins, ends, segments, compare, space);
}

template <class Tuning, class Key, class Offset, class Compare>
void segmented_merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, const Offset* offsets, std::int64_t segments,
                          Compare compare, workspace space)
{
    segmented_merge_sort<Tuning>(stream, keys, n, offsets, offsets + 1, segments, compare, space);
}

template <class Tuning, class Key, class Value, class Offset, class Compare>
void segmented_merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, const Offset* offsets,
                          std::int64_t segments, Compare compare, workspace space)
{
    segmented_merge_sort<Tuning>(stream, keys, values, n, offsets, offsets + 1, segments, compare, space);
}

template <class Tuning, class... Arguments>
cudaError_t try_segmented_merge_sort(cudaStream_t stream, Arguments... arguments) noexcept
{
    return merge_sort_kernels::error_of([&] { segmented_merge_sort<Tuning>(stream, arguments...); });
}

}  // namespace launchbox
#pragma GCC visibility pop

#endif
