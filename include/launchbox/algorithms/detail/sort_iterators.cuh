// launchbox: iterators that merge_sort accepts instead of pointers. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <launchbox/algorithms/detail/merge_sort_kernels.cuh>
#include <launchbox/launch_box.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::merge_sort_kernels {

/// A class that wraps a pointer, such as thrust::device_ptr.
template <class Type>
concept wrapped_pointer = std::is_pointer_v<typename Type::raw_pointer> &&
                          std::is_same_v<decltype(std::declval<const Type&>().get()), typename Type::raw_pointer>;

template <class Type>
constexpr auto without_wrapper(const Type& argument)
{
    if constexpr (wrapped_pointer<Type>)
        return argument.get();
    else
        return argument;
}

/// A random-access iterator, whose elements need not be adjacent in memory, or in memory at all.
template <class Type, class Element>
concept source_of =
    !wrapped_pointer<Type> && std::is_constructible_v<Element, decltype(std::declval<Type&>()[std::int64_t{}])>;

/// For keys without values: pointers have their own overload.
template <class Type, class Key>
concept iterator_of = source_of<Type, Key> && !std::is_pointer_v<Type>;

/// For values with keys: either may be a pointer, but not both.
template <class Type, class Value, class Keys>
concept source_beside = source_of<Type, Value> && !(std::is_pointer_v<Keys> && std::is_pointer_v<Type>);

struct no_source {};

/// Writes `n` elements of the sources to arrays.
template <class Keys, class Values, class Key, class Value>
struct read_sources {
    using tuning = only<merge_sort_row{.threads = 256, .items = 8, .min_blocks = 1, .ways = 2}>;
    using row_type = typename tuning::row_type;
    static constexpr bool programmatic_dependent_launch = true;
    template <row_type r>
    static __device__ void run(Keys keys, Values values, Key* keys_out, Value* values_out, std::int64_t n)
    {
        wait_for_grid_ahead();
        const std::int64_t first = std::int64_t{blockIdx.x} * (r.threads * r.items) + static_cast<int>(threadIdx.x);
#pragma unroll
        for (int i = 0; i < r.items; ++i) {
            const std::int64_t at = first + i * r.threads;
            if (at >= n) return;
            keys_out[at] = static_cast<Key>(keys[at]);
            if constexpr (!std::is_void_v<Value>) values_out[at] = static_cast<Value>(values[at]);
        }
    }
};

/// Reads the sources and calls `sort(space)`, which sorts the arrays. If the workspace is too small, nothing is written
/// and `sort` throws.
template <class Key, class Value, class Keys, class Values, class Sort>
void read_and_sort(cudaStream_t stream, Keys keys, Values values, Key* keys_out, Value* values_out, std::int64_t n,
                   const workspace& space, const Sort& sort)
{
    check_size(n);
    std::size_t needed = 0;
    sort(workspace::query(needed));
    const bool is_enough = space.memory == nullptr || space.bytes >= needed;
    if (n > 0 && is_enough && space.needed == nullptr)
        launch<read_sources<Keys, Values, Key, Value>>(stream, n, keys, values, keys_out, values_out, n);
    sort(space);
}

}  // namespace launchbox::merge_sort_kernels
#pragma GCC visibility pop
