// launchbox: one tile of interval_expand. The tests also run it on the CPU. Internal: include
// algorithms/interval_expand.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <launchbox/algorithms/detail/interval_prefetch.cuh>
#include <launchbox/algorithms/detail/interval_search.cuh>
#include <launchbox/algorithms/detail/interval_tile.cuh>
#include <launchbox/algorithms/detail/wide_access.cuh>

namespace launchbox::detail {

/// The type that values are converted to, once: that of the elements of `out`, if it is a pointer.
template <class Values, class Out>
struct expanded {
    using type = typename std::iterator_traits<Values>::value_type;
};
template <class Values, class Element>
struct expanded<Values, Element*> {
    using type = Element;
};

/// How many elements a 16-byte store writes; 1 if elements do not divide 16 bytes or `out` is not a pointer.
template <class Element, class Out>
constexpr int elements_of_store()
{
    constexpr bool parts = sizeof(Element) == 1 || sizeof(Element) == 2 || sizeof(Element) == 4 || sizeof(Element) == 8;
    if constexpr (std::is_pointer_v<Out> && parts && std::is_trivially_copyable_v<Element>)
        return static_cast<int>(16 / sizeof(Element));
    return 1;
}

/// The places that an interval takes in the line (see interval_search.cuh) follow the bytes that it takes in shared
/// memory, so that a tile with many intervals needs about as much memory as one with many outputs.
constexpr int weight_of_entry(std::size_t bytes)
{
    return bytes <= 2 ? 1 : bytes <= 4 ? 2 : 4;
}

template <class Values, class Out>
constexpr interval_shape expand_shape(int threads, int items)
{
    using element = typename expanded<Values, Out>::type;
    return {threads, items, elements_of_store<element, Out>(), weight_of_entry(sizeof(element)),
            static_cast<int>(sizeof(element))};
}

template <int threads, int items, class Values, class Offsets, class Out>
struct expand_tile {
    using element = typename expanded<Values, Out>::type;
    static constexpr int vector = elements_of_store<element, Out>();
    using layout = interval_layout<threads, items, vector, weight_of_entry(sizeof(element)), sizeof(element)>;
    static_assert(std::is_trivially_copyable_v<element>, "interval_expand: values are trivially copyable");
    static_assert(alignof(element) <= 16, "interval_expand: values are aligned to 16 bytes or less");

    /// `rate`: intervals per place in the line.
    static __device__ __forceinline__ void run(unsigned char* shared, Values values, Offsets offsets,
                                               std::int64_t intervals, Out out, std::int64_t total, double rate,
                                               std::int64_t tile_number)
    {
        prefetch_tile<layout>(values, offsets, intervals, rate, tile_number);
        const interval_tile tile = find_tile<layout>(shared, offsets, intervals, total, rate, tile_number);
        if (tile.outputs == 0) return;
        const target to(out, tile);
        if (tile.intervals == 0) {
            fill(static_cast<element>(values[tile.first_interval - 1]), to);
            return;
        }

        auto* const marks = reinterpret_cast<std::uint16_t*>(shared + layout::marks_at);
        const unsigned used = (to.end + layout::row - 1) / layout::row * layout::row;
        auto* const entries =
            reinterpret_cast<element*>(shared + layout::marks_at + layout::rounded(2 * static_cast<int>(used)));
        mark_intervals<layout>(
            marks, tile, to.begin, offsets, intervals, total,
            [&](std::int64_t interval, std::int64_t) { return static_cast<element>(values[interval]); },
            [&](unsigned number, const element& value) { entries[number] = value; });

        const interval_segment segment = find_segment<layout>(shared, to.end);
        unsigned mark = segment.mark;
#pragma unroll
        for (int r = 0; r < layout::items / vector; ++r) {
            const unsigned row = segment.begin + static_cast<unsigned>(r * layout::row);
            if (row >= segment.end) break;
            const unsigned slot = row + threadIdx.x % 32 * vector;
            unsigned numbers[vector];
            load_marks(marks + slot, numbers);
            number_row(numbers, mark);
            raw_array<element, vector> found;
#pragma unroll
            for (int i = 0; i < vector; ++i) found[i] = load_element<element>(entries, numbers[i], true);
            to.store(slot, found);
        }
    }

private:
    /// The outputs of the tile as slots; those in [begin, end) are written.
    struct target {
        Out out;
        std::int64_t first;  // the output of slot 0, which may lie before the first
        unsigned begin, end;
        bool wide;

        __device__ __forceinline__ target(Out out_in, const interval_tile& tile)
            : out(out_in), first(tile.first_output), begin(0), end(tile.outputs), wide(is_wide(out_in))
        {
            if constexpr (vector > 1) {
                const auto address = reinterpret_cast<std::uintptr_t>(out + tile.first_output);
                begin = static_cast<unsigned>(address % layout::aligned_bytes / sizeof(element));
                first -= begin;
                end += begin;
            }
        }

        __device__ __forceinline__ void store(unsigned slot, const raw_array<element, vector>& found) const
        {
            if constexpr (vector == 1) {
                if (slot < end) store_element(out, first + slot, found[0], wide);
            } else if (slot >= begin && slot + vector <= end) {
                wide_word word;
                memcpy(&word, static_cast<const void*>(&found), sizeof word);
                store_wide_streaming(out + (first + slot), word);
            } else {
#pragma unroll
                for (int i = 0; i < vector; ++i)
                    if (slot + static_cast<unsigned>(i) >= begin && slot + static_cast<unsigned>(i) < end)
                        out[first + slot + i] = found[i];
            }
        }
    };

    /// One interval covers the tile.
    static __device__ __forceinline__ void fill(const element& value, const target& to)
    {
        raw_array<element, vector> copies;
#pragma unroll
        for (int i = 0; i < vector; ++i) copies[i] = value;
        for (unsigned slot = threadIdx.x * vector; slot < to.end; slot += threads * vector) to.store(slot, copies);
    }

    static __device__ __forceinline__ void load_marks(const std::uint16_t* from, unsigned (&numbers)[vector])
    {
        alignas(vector * 2 < 16 ? vector * 2 : 16) std::uint16_t marks[vector];
        memcpy(marks, __builtin_assume_aligned(from, vector * 2 < 16 ? vector * 2 : 16), sizeof marks);
#pragma unroll
        for (int i = 0; i < vector; ++i) numbers[i] = marks[i];
    }
};

}  // namespace launchbox::detail
