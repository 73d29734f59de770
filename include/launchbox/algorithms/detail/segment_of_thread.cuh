// launchbox: short segments, each sorted by one thread in its registers. Internal: include segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// For keys of up to 8 bytes this is faster than merging for up to about 18 elements, which make 153 pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/float_words.cuh>
#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_split.cuh>
#include <launchbox/algorithms/detail/rank_sort.cuh>
#include <launchbox/algorithms/detail/segment_classes.cuh>
#include <launchbox/algorithms/detail/sort_network.cuh>

namespace launchbox::detail {

/// The slots in shared memory of a warp, which sorts up to 32 segments. One word is left free behind every 32, so that
/// segments of equal sizes do not begin in the same bank.
template <class Shape>
struct short_slots {
    static constexpr int most = max_short_segment<typename Shape::key>;
    template <class Type>
    static constexpr int row_bits = sizeof(Type) <= 4   ? 5
                                    : sizeof(Type) <= 8 ? 4
                                                        : 3;
    template <class Type>
    static constexpr std::size_t bytes =
        static_cast<std::size_t>(32 * most + (32 * most >> row_bits<Type>)) * sizeof(Type);
    static constexpr std::size_t keys_bytes = (bytes<typename Shape::kept_key> + 15) / 16 * 16;
    static constexpr std::size_t all_bytes =
        keys_bytes + (Shape::has_values ? (bytes<typename Shape::kept_value> + 15) / 16 * 16 : 0);

    unsigned char* memory;

    [[nodiscard]] __device__ __forceinline__ typename Shape::kept_key& key(int slot) const
    {
        using type = typename Shape::kept_key;
        return reinterpret_cast<type*>(memory)[slot + (slot >> 5)];
    }
    [[nodiscard]] __device__ __forceinline__ typename Shape::kept_value& value(int slot) const
    {
        using type = typename Shape::kept_value;
        return reinterpret_cast<type*>(memory + keys_bytes)[slot + (slot >> 5)];
    }
};

/// Sorts the `size` elements of each thread, in the slots from `first` on; `longest` is the largest size in the warp.
template <int Most, class Shape>
__device__ __forceinline__ void sort_by_ranks(const short_slots<Shape>& slots, int first, int size, int longest,
                                              const kept_order<Shape>& less)
{
    raw_array<typename Shape::kept_key, Most> keys;
#pragma unroll
    for (int i = 0; i < Most; ++i)
        if (i < size) keys[i] = slots.key(first + i);
    const raw_array<int, Most> places = places_of<Most>(keys, size, longest, less);
#pragma unroll
    for (int i = 0; i < Most; ++i)
        if (i < size) slots.key(first + places[i]) = keys[i];
    if constexpr (Shape::has_values) {
        raw_array<typename Shape::kept_value, Most> values;
#pragma unroll
        for (int i = 0; i < Most; ++i)
            if (i < size) values[i] = slots.value(first + i);
#pragma unroll
        for (int i = 0; i < Most; ++i)
            if (i < size) slots.value(first + places[i]) = values[i];
    }
}

/// Whether a network sorts faster than ranks: exchanging 32-bit integers takes two instructions, and equal ones are
/// indistinguishable.
template <class Shape>
inline constexpr bool short_by_network = !word_shape_if_any<Shape>::is_stable && sizeof(typename Shape::kept_key) <= 4;

/// Returns false to all threads of the warp, and changes nothing, if there is a -0.0, for which a network is not
/// stable.
template <int Most, class Shape>
__device__ __forceinline__ bool sort_by_network(const short_slots<Shape>& slots, int first, int size,
                                                const kept_order<word_shape_if_any<Shape>>& less)
{
    using shape = word_shape_if_any<Shape>;
    raw_array<typename shape::kept_key, Most> keys;
    [[maybe_unused]] bool has_negative_zero = false;
#pragma unroll
    for (int i = 0; i < Most; ++i) {
        keys[i] = last_key<shape>();
        if (i >= size) continue;
        if constexpr (keeps_words<shape>) {
            keys[i] = shape::keep(slots.key(first + i));
            has_negative_zero |= keys[i] == shape::words::negative_zero;
        } else {
            keys[i] = slots.key(first + i);
        }
    }
    if constexpr (keeps_words<shape>)
        if (__any_sync(~0u, static_cast<int>(has_negative_zero)) != 0) return false;
    run_network<network::sort, Most>([&](int first_key, int second_key) {
        auto &one = keys[first_key], &other = keys[second_key];
        const auto lower = less(other, one) ? other : one;
        other = less(other, one) ? one : other;
        one = lower;
    });
#pragma unroll
    for (int i = 0; i < Most; ++i) {
        if (i >= size) continue;
        if constexpr (keeps_words<shape>)
            slots.key(first + i) = shape::given(keys[i]);
        else
            slots.key(first + i) = keys[i];
    }
    return true;
}

/// Sorts the segments of a warp: each thread sorts its own, of up to max_short_segment elements; size 0 if it has none.
template <class Shape>
__device__ __forceinline__ void sort_short_segments(unsigned char* of_warp, const segment_range& own,
                                                    const merge_arrays<Shape>& data,
                                                    const typename Shape::compare& compare)
{
    constexpr int most = short_slots<Shape>::most;
    using kept_key = typename Shape::kept_key;
    using kept_value = typename Shape::kept_value;
    const short_slots<Shape> slots{of_warp};
    const kept_order<Shape> less{compare};
    const int lane = static_cast<int>(threadIdx.x) % 32, size = static_cast<int>(own.size);
    int longest = size;
#pragma unroll
    for (int step = 16; step > 0; step /= 2) longest = max(longest, shuffle_xor<32>(longest, step));
    if (longest < 2) return;
    const int end = sum_until<32>(size), first = end - size, all = shuffle_from(end, 31);
    // Usually the segments are adjacent, so that the warp reads and writes them together.
    const unsigned used = __ballot_sync(~0u, size > 0);
    const std::int64_t begin = shuffle_from(own.begin, __ffs(static_cast<int>(used)) - 1);
    const bool are_together = __all_sync(~0u, size == 0 || own.begin == begin + first) != 0;
    if (are_together) {
        const auto read = [&](const auto* from, const auto& slot_at) {
            using type = std::remove_cvref_t<decltype(slot_at(0))>;
            if constexpr (copies_asynchronously<type, std::remove_cvref_t<decltype(*from)>>) {
#pragma unroll 6
                for (int i = lane; i < all; i += 32) copy_async(&slot_at(i), from + i);
            } else {
                // Through registers, so that several loads are in flight.
#pragma unroll 1
                for (int i = lane; i < all; i += 32 * 6) {
                    raw_array<type, 6> some;
#pragma unroll
                    for (int j = 0; j < 6; ++j)
                        if (i + 32 * j < all) some[j] = static_cast<type>(from[i + 32 * j]);
#pragma unroll
                    for (int j = 0; j < 6; ++j)
                        if (i + 32 * j < all) slot_at(i + 32 * j) = some[j];
                }
            }
        };
        read(data.keys + begin, [&](int slot) -> kept_key& { return slots.key(slot); });
        if constexpr (Shape::has_values)
            read(data.values + begin, [&](int slot) -> kept_value& { return slots.value(slot); });
        wait_for_copies();
    } else {
#pragma unroll 1
        for (int i = 0; i < size; ++i) {
            slots.key(first + i) = static_cast<kept_key>(data.keys[own.begin + i]);
            if constexpr (Shape::has_values)
                slots.value(first + i) = static_cast<kept_value>(data.values[own.begin + i]);
        }
    }
    __syncwarp();
    // Shorter segments need less code.
    const auto sort = [&]<int Most>() {
        if constexpr (short_by_network<Shape>)
            return sort_by_network<Most>(slots, first, size, kept_order<word_shape_if_any<Shape>>{compare});
        else
            sort_by_ranks<Most>(slots, first, size, longest, less);
        return true;
    };
    bool is_sorted;
    if (longest <= 4)
        is_sorted = sort.template operator()<4>();
    else if (longest <= 8 || most == 8)
        is_sorted = sort.template operator()<8>();
    else
        is_sorted = sort.template operator()<most>();
    if constexpr (short_by_network<Shape> && Shape::is_stable)
        if (!is_sorted) sort_by_ranks<most>(slots, first, size, longest, less);
    __syncwarp();
    if (are_together) {
#pragma unroll 6
        for (int i = lane; i < all; i += 32) {
            data.keys[begin + i] = static_cast<typename Shape::key>(slots.key(i));
            if constexpr (Shape::has_values)
                data.values[begin + i] = static_cast<typename Shape::value>(slots.value(i));
        }
    } else {
#pragma unroll 1
        for (int i = 0; i < size; ++i) {
            data.keys[own.begin + i] = static_cast<typename Shape::key>(slots.key(first + i));
            if constexpr (Shape::has_values)
                data.values[own.begin + i] = static_cast<typename Shape::value>(slots.value(first + i));
        }
    }
}

/// The first kernel, one thread per segment: short segments are sorted, others are listed.
template <int Threads, class Shape, class Offset>
__device__ __forceinline__ void sort_short_list_others(unsigned char* shared, const segment_sizes& sizes,
                                                       const segment_lists<Offset>& lists,
                                                       const merge_arrays<Shape>& data, std::int64_t block,
                                                       const typename Shape::compare& compare)
{
    const int thread = static_cast<int>(threadIdx.x);
    const std::int64_t number = block * Threads + thread;
    const segment_range range = number < sizes.segments ? lists.range(sizes, number) : segment_range{0, 0};
    const int own = sizes.class_of(range.size);
    if (__syncthreads_or(own != 0) != 0) {
        list_segments<Threads>(*reinterpret_cast<segment_counting*>(shared), sizes, lists, range, own, number);
        __syncthreads();
    }
    if constexpr (short_slots<Shape>::most > 0)
        sort_short_segments<Shape>(shared + static_cast<std::size_t>(thread / 32) * short_slots<Shape>::all_bytes,
                                   own == 0 ? range : segment_range{0, 0}, data, compare);
}

/// The shared memory of sort_short_list_others.
template <class Shape>
constexpr std::int64_t bytes_for_short_segments(int threads)
{
    const std::size_t slots = static_cast<std::size_t>(threads / 32) * short_slots<Shape>::all_bytes;
    return static_cast<std::int64_t>(slots > sizeof(segment_counting) ? slots : sizeof(segment_counting));
}

}  // namespace launchbox::detail
