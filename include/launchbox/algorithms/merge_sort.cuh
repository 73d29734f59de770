// launchbox: a stable sort by merging, of any trivially copyable keys and values with any order.
// SPDX-License-Identifier: Apache-2.0
//
//     launchbox::merge_sort(stream, keys, n);                                    // ascending
//     launchbox::merge_sort(stream, keys, n, launchbox::greater{});              // any strict weak order
//     launchbox::merge_sort(stream, keys, values, n, launchbox::less{}, space);  // values move with their keys
//     launchbox::merge_sort_copy(stream, keys, sorted, n);                       // keys stay as they are
//     cudaError_t error = launchbox::try_merge_sort(stream, keys, n);            // without exceptions
//
// Large arrays of 4-byte numbers with values by <: a radix sort may be faster, see docs/headers/merge_sort.md.
//
// Tiles are sorted in shared memory, then passes merge up to 32 runs at once, so that 2^28 keys are read and written
// five times. Integers without values are merged without bank conflicts for any input; no host synchronisation; the
// stream may be captured.
#pragma once

#if !defined(__CUDACC__)
#error "launchbox/algorithms/merge_sort.cuh defines kernels: compile it as CUDA C++, with nvcc as a .cu file"
#else

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_sort_kernels.cuh>
#include <launchbox/algorithms/detail/sort_iterators.cuh>
#include <launchbox/algorithms/order.cuh>
#include <launchbox/algorithms/workspace.hpp>
#include <launchbox/launch_box.cuh>
#include <launchbox/tunings/merge_sort.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

/// Sorts the keys `keys[0]` to `keys[n - 1]` in device memory in place. The sort is stable; `compare(a, b)`, a strict
/// weak order, says whether a comes before b. `Key` is trivially copyable. The default `Tuning` is that of
/// tunings/merge_sort.hpp; another one is a launch_box table of rows with the members of merge_sort_row. Throws
/// launch_error if n is negative, if the workspace is too small or cannot be allocated, and like every launch; errors
/// while the kernels run are reported later.
template <class Tuning = void, class Key, class Compare = less>
void merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, Compare compare = {}, workspace space = {});

/// The same with `values[i]`, of any trivially copyable type, that move with `keys[i]`.
template <class Tuning = void, class Key, class Value, class Compare = less>
void merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, Compare compare = {},
                workspace space = {});

/// The same into `sorted[0]` to `sorted[n - 1]`; `keys` are only read. The two do not overlap.
template <class Tuning = void, class Key, class Compare = less>
void merge_sort_copy(cudaStream_t stream, const Key* keys, Key* sorted, std::int64_t n, Compare compare = {},
                     workspace space = {});

/// The same with values; none of the four overlap.
template <class Tuning = void, class Key, class Value, class Compare = less>
void merge_sort_copy(cudaStream_t stream, const Key* keys, const Value* values, Key* sorted_keys, Value* sorted_values,
                     std::int64_t n, Compare compare = {}, workspace space = {});

/// From random-access iterators that the device can use and that need not point to memory: `keys[i]`, converted to
/// `Key`, and `values[i]`; with thrust::counting_iterator as values the result is the order of the keys. They are read
/// once, into the output arrays, which are then sorted in place. Either may be a pointer.
template <class Tuning = void, class Key, merge_sort_kernels::iterator_of<Key> Keys, class Compare = less>
void merge_sort_copy(cudaStream_t stream, Keys keys, Key* sorted, std::int64_t n, Compare compare = {},
                     workspace space = {});
template <class Tuning = void, class Key, class Value, merge_sort_kernels::source_of<Key> Keys,
          merge_sort_kernels::source_beside<Value, Keys> Values, class Compare = less>
void merge_sort_copy(cudaStream_t stream, Keys keys, Values values, Key* sorted_keys, Value* sorted_values,
                     std::int64_t n, Compare compare = {}, workspace space = {});

/// The same with thrust::device_ptr instead of any of the pointers.
template <class Tuning = void, class... Arguments,
          class = std::enable_if_t<(merge_sort_kernels::wrapped_pointer<Arguments> || ...)> >
void merge_sort(cudaStream_t stream, Arguments... arguments);
template <class Tuning = void, class... Arguments,
          class = std::enable_if_t<(merge_sort_kernels::wrapped_pointer<Arguments> || ...)> >
void merge_sort_copy(cudaStream_t stream, Arguments... arguments);

/// merge_sort and merge_sort_copy with the same arguments after the stream, without exceptions: they return the
/// runtime's error, or the runtime error that is nearest to what launch_error would say.
template <class Tuning = void, class... Arguments>
cudaError_t try_merge_sort(cudaStream_t stream, Arguments... arguments) noexcept;
template <class Tuning = void, class... Arguments>
cudaError_t try_merge_sort_copy(cudaStream_t stream, Arguments... arguments) noexcept;

template <class Tuning, class Key, class Compare>
void merge_sort(cudaStream_t stream, Key* keys, std::int64_t n, Compare compare, workspace space)
{
    merge_sort_kernels::sort_any<Tuning, Key, void>(stream, {keys, nullptr, keys, nullptr}, n, compare, space);
}

template <class Tuning, class Key, class Value, class Compare>
void merge_sort(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, Compare compare, workspace space)
{
    merge_sort_kernels::sort_any<Tuning, Key, Value>(stream, {keys, values, keys, values}, n, compare, space);
}

template <class Tuning, class Key, class Compare>
void merge_sort_copy(cudaStream_t stream, const Key* keys, Key* sorted, std::int64_t n, Compare compare,
                     workspace space)
{
    merge_sort_kernels::sort_any<Tuning, Key, void>(stream, {const_cast<Key*>(keys), nullptr, sorted, nullptr}, n,
                                                    compare, space);
}

template <class Tuning, class Key, class Value, class Compare>
void merge_sort_copy(cudaStream_t stream, const Key* keys, const Value* values, Key* sorted_keys, Value* sorted_values,
                     std::int64_t n, Compare compare, workspace space)
{
    merge_sort_kernels::sort_any<Tuning, Key, Value>(
        stream, {const_cast<Key*>(keys), const_cast<Value*>(values), sorted_keys, sorted_values}, n, compare, space);
}

template <class Tuning, class Key, merge_sort_kernels::iterator_of<Key> Keys, class Compare>
void merge_sort_copy(cudaStream_t stream, Keys keys, Key* sorted, std::int64_t n, Compare compare, workspace space)
{
    merge_sort_kernels::read_and_sort<Key, void>(
        stream, keys, merge_sort_kernels::no_source{}, sorted, nullptr, n, space,
        [&](const workspace& given) { merge_sort<Tuning>(stream, sorted, n, compare, given); });
}

template <class Tuning, class Key, class Value, merge_sort_kernels::source_of<Key> Keys,
          merge_sort_kernels::source_beside<Value, Keys> Values, class Compare>
void merge_sort_copy(cudaStream_t stream, Keys keys, Values values, Key* sorted_keys, Value* sorted_values,
                     std::int64_t n, Compare compare, workspace space)
{
    merge_sort_kernels::read_and_sort<Key, Value>(
        stream, keys, values, sorted_keys, sorted_values, n, space,
        [&](const workspace& given) { merge_sort<Tuning>(stream, sorted_keys, sorted_values, n, compare, given); });
}

template <class Tuning, class... Arguments, class>
void merge_sort(cudaStream_t stream, Arguments... arguments)
{
    merge_sort<Tuning>(stream, merge_sort_kernels::without_wrapper(arguments)...);
}

template <class Tuning, class... Arguments, class>
void merge_sort_copy(cudaStream_t stream, Arguments... arguments)
{
    merge_sort_copy<Tuning>(stream, merge_sort_kernels::without_wrapper(arguments)...);
}

template <class Tuning, class... Arguments>
cudaError_t try_merge_sort(cudaStream_t stream, Arguments... arguments) noexcept
{
    return merge_sort_kernels::error_of([&] { merge_sort<Tuning>(stream, arguments...); });
}

template <class Tuning, class... Arguments>
cudaError_t try_merge_sort_copy(cudaStream_t stream, Arguments... arguments) noexcept
{
    return merge_sort_kernels::error_of([&] { merge_sort_copy<Tuning>(stream, arguments...); });
}

}  // namespace launchbox
#pragma GCC visibility pop

#endif
