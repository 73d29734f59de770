// launchbox: copying tiles between global and shared memory. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_layout.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>

namespace launchbox::detail {

/// The device's keys and values of a sort. `values` is null if there are none, or, in a source, if each value is the
/// index of its key.
template <class Shape>
struct merge_arrays {
    using value = typename Shape::kept_value;
    typename Shape::key* keys;
    std::conditional_t<Shape::has_values, typename Shape::value, no_value>* values;
};

/// The index of an element as its value, when indices are sorted in place of values.
template <class Value>
__device__ __forceinline__ Value index_value(std::int64_t index)
{
    if constexpr (std::is_integral_v<Value>)
        return static_cast<Value>(index);
    else
        return Value{};  // never called: only integers are sorted as indices
}

/// Fills a partial tile with copies of its largest element; called by all threads of the block. The copies are sorted
/// after all others, and after equal ones, since they come last. The `count` > 0 elements are in their original order.
template <class Shape>
__device__ __forceinline__ void fill_tile(const merge_memory<Shape>& memory, int count, const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x);
    int largest = thread < count ? thread : 0;
    // Not unrolled: these loops spend most of their time on loading their code.
#pragma unroll 1
    for (int i = thread; i < count; i += Shape::threads)
        if (less(memory.key_in(largest), memory.key_in(i))) largest = i;
    int* found = memory.left_begin();
    found[thread] = largest;
#pragma unroll 1
    for (int step = Shape::threads / 2; step > 0; step /= 2) {
        __syncthreads();
        if (thread < step && less(memory.key_in(found[thread]), memory.key_in(found[thread + step])))
            found[thread] = found[thread + step];
    }
    __syncthreads();
    const auto key = memory.key_in(found[0]);
#pragma unroll 1
    for (int i = count + thread; i < Shape::tile; i += Shape::threads) memory.keys()[padded<Shape::items>(i)] = key;
}

/// Writes the first `count` elements of a sorted tile. `is_last`: to the user's array.
template <class Shape>
__device__ __forceinline__ void write_tile(const merge_memory<Shape>& memory, const merge_arrays<Shape>& out,
                                           std::int64_t begin, int count, [[maybe_unused]] bool is_last = false)
{
    const int thread = static_cast<int>(threadIdx.x);
    // A thread's slots are whole rows apart.
    constexpr int apart = Shape::threads + Shape::threads / Shape::items;
    const int first = padded<Shape::items>(thread);
    const auto write = [&](const auto* from, auto* to, const auto& made) {
        // Usually all rows except the last ones are full and need no check of each element.
        constexpr int some = Shape::items < 8 ? 1 : Shape::items / 8;
#pragma unroll
        for (int begin = 0; begin < Shape::items; begin += some) {
            const bool are_there = (begin + some) * Shape::threads <= count;
#pragma unroll
            for (int i = begin; i < begin + some; ++i)
                if (are_there || thread + i * Shape::threads < count) to[i * Shape::threads] = made(from[i * apart]);
        }
    };
    using kept_key = typename Shape::kept_key;
    if constexpr (Shape::sorts_floats) {
        if (is_last) {
            write(memory.keys() + first, out.keys + begin + thread, [](kept_key key) { return Shape::given(key); });
            return;
        }
    }
    write(memory.keys() + first, out.keys + begin + thread,
          [](const kept_key& key) { return static_cast<typename Shape::key>(key); });
    if constexpr (Shape::has_values)
        write(memory.values() + first, out.values + begin + thread,
              [](const typename Shape::kept_value& value) { return static_cast<typename Shape::value>(value); });
}

/// Copies every `Stride`th element from `from` on, `here` of up to `Count`, to shared memory, `apart` elements from
/// each other. Complete after wait_for_copies.
template <int Count, int Stride, class To, class From>
__device__ __forceinline__ void copy_elements(To* to, int apart, const From* from, int here = Count)
{
    if constexpr (copies_asynchronously<To, From>) {
#pragma unroll
        for (int i = 0; i < Count; ++i)
            if (i < here) copy_async(to + i * apart, from + i * Stride);
    } else {
        raw_array<To, Count> elements;  // first, so that all loads are in flight at once
#pragma unroll
        for (int i = 0; i < Count; ++i)
            if (i < here) elements[i] = static_cast<To>(from[i * Stride]);
#pragma unroll
        for (int i = 0; i < Count; ++i)
            if (i < here) to[i * apart] = elements[i];
    }
}

/// Copies a tile of `count` elements to shared memory, in the same order.
template <class Shape>
__device__ __forceinline__ void read_tile(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in,
                                          std::int64_t begin, int count)
{
    constexpr int n = Shape::items;
    constexpr int apart = Shape::threads + Shape::threads / n;  // whole rows
    using kept_value = typename Shape::kept_value;
    const int thread = static_cast<int>(threadIdx.x), to = padded<n>(thread);
    const std::int64_t from = begin + thread;
    if (count == Shape::tile) {
        copy_elements<n, Shape::threads>(memory.keys() + to, apart, in.keys + from);
        if constexpr (Shape::has_values) {
            if (in.values) copy_elements<n, Shape::threads>(memory.values() + to, apart, in.values + from);
        }
        wait_for_copies();
    } else {
#pragma unroll
        for (int i = 0; i < n; ++i)
            if (thread + i * Shape::threads < count) {
                memory.keys()[to + i * apart] = in.keys[from + i * Shape::threads];
                if constexpr (Shape::has_values)
                    if (in.values)
                        memory.values()[to + i * apart] = static_cast<kept_value>(in.values[from + i * Shape::threads]);
            }
    }
    if constexpr (Shape::has_values) {
        if (in.values) return;
#pragma unroll
        for (int i = 0; i < n; ++i)
            memory.values()[to + i * apart] = index_value<kept_value>(from + i * Shape::threads);
    }
}

}  // namespace launchbox::detail
