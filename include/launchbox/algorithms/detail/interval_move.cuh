// launchbox: one tile of interval_move. The tests also run it on the CPU. Internal: include
// algorithms/interval_move.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <iterator>
#include <type_traits>

#include <launchbox/algorithms/detail/interval_search.cuh>
#include <launchbox/algorithms/detail/interval_tile.cuh>
#include <launchbox/algorithms/detail/wide_access.cuh>

namespace launchbox::detail {

/// In place of gather or scatter: the intervals follow each other in the order of the outputs.
struct side_by_side {};

template <class Places>
inline constexpr bool is_scattered = !std::is_same_v<Places, side_by_side>;

/// The difference between an output's place and its number; 0 if intervals lie side by side.
template <class Places>
__device__ __forceinline__ std::int64_t shift_to(const Places& places, std::int64_t interval, std::int64_t begin)
{
    if constexpr (is_scattered<Places>)
        return static_cast<std::int64_t>(places[interval]) - begin;
    else
        return 0;
}

template <class Gather, class Scatter>
constexpr interval_shape move_shape(int threads, int items)
{
    constexpr int sides = is_scattered<Gather> + is_scattered<Scatter>;
    return {threads, items, 1, 4, 8 * sides};
}

template <int threads, int items, class Gather, class Scatter, class Offsets, class In, class Out>
struct move_tile {
    using element = typename std::iterator_traits<In>::value_type;
    static_assert(is_scattered<Gather> || is_scattered<Scatter>);
    using layout = interval_layout<threads, items, 1, move_shape<Gather, Scatter>(64, 1).weight,
                                   move_shape<Gather, Scatter>(64, 1).entry_bytes>;
    static constexpr int sides = is_scattered<Gather> + is_scattered<Scatter>;
    // Elements that a thread loads before it stores the first.
    static constexpr int in_flight = sizeof(element) <= 8 ? 8 : sizeof(element) <= 16 ? 4 : 2;

    static __device__ __forceinline__ void run(unsigned char* shared, Gather gather, Scatter scatter, Offsets offsets,
                                               std::int64_t intervals, In in, Out out, std::int64_t total, double rate,
                                               std::int64_t tile_number)
    {
        const interval_tile tile = find_tile<layout>(shared, offsets, intervals, total, rate, tile_number);
        if (tile.outputs == 0) return;
        if (tile.intervals == 0) {
            const std::int64_t interval = tile.first_interval - 1, begin = offset_at(offsets, interval);
            copy(in, tile.first_output + shift_to(gather, interval, begin), out,
                 tile.first_output + shift_to(scatter, interval, begin), tile.outputs);
            return;
        }

        auto* const marks = reinterpret_cast<std::uint16_t*>(shared + layout::marks_at);
        const unsigned used = (tile.outputs + layout::row - 1) / layout::row * layout::row;
        auto* const entries =
            reinterpret_cast<shifts*>(shared + layout::marks_at + layout::rounded(2 * static_cast<int>(used)));
        mark_intervals<layout>(
            marks, tile, 0, offsets, intervals, total,
            [&](std::int64_t interval, std::int64_t begin) {
                return shifts::of(shift_to(gather, interval, begin) + tile.first_output,
                                  shift_to(scatter, interval, begin) + tile.first_output);
            },
            [&](unsigned number, const shifts& entry) { entries[number] = entry; });

        const interval_segment segment = find_segment<layout>(shared, tile.outputs);
        const bool wide_in = is_wide(in), wide_out = is_wide(out);
        unsigned mark = segment.mark;
        for (unsigned first = segment.begin; first < segment.end; first += in_flight * 32) {
            unsigned numbers[in_flight];
            raw_array<element, in_flight> elements;
#pragma unroll
            for (int i = 0; i < in_flight; ++i) {
                const unsigned slot = first + static_cast<unsigned>(i * 32) + threadIdx.x % 32;
                // All lanes of the warp are in the same row.
                if (first + static_cast<unsigned>(i * 32) >= segment.end) break;
                unsigned number[1] = {marks[slot]};
                number_row(number, mark);
                numbers[i] = number[0];
                if (slot < tile.outputs)
                    elements[i] = load_element<element>(in, entries[numbers[i]].gather(tile) + slot, wide_in);
            }
#pragma unroll
            for (int i = 0; i < in_flight; ++i) {
                const unsigned slot = first + static_cast<unsigned>(i * 32) + threadIdx.x % 32;
                if (slot < segment.end && slot < tile.outputs)
                    store_element(out, entries[numbers[i]].scatter(tile) + slot, elements[i], wide_out);
            }
        }
    }

private:
    /// What to add to a slot of the tile to get the places.
    struct alignas(8 * sides) shifts {
        std::int64_t sides_[sides];

        static __device__ __forceinline__ shifts of(std::int64_t gather, std::int64_t scatter)
        {
            if constexpr (sides == 2)
                return {{gather, scatter}};
            else
                return {{is_scattered<Gather> ? gather : scatter}};
        }
        __device__ __forceinline__ std::int64_t gather(const interval_tile& tile) const
        {
            return is_scattered<Gather> ? sides_[0] : tile.first_output;
        }
        __device__ __forceinline__ std::int64_t scatter(const interval_tile& tile) const
        {
            return is_scattered<Scatter> ? sides_[sides - 1] : tile.first_output;
        }
    };

    /// One interval covers the tile.
    static __device__ __forceinline__ void copy(In in, std::int64_t from, Out out, std::int64_t to, unsigned count)
    {
        constexpr bool same_bytes =
            std::is_pointer_v<In> && std::is_same_v<Out, element*> && std::is_trivially_copyable_v<element>;
        if constexpr (same_bytes) {
            const auto source = reinterpret_cast<std::uintptr_t>(in + from),
                       target = reinterpret_cast<std::uintptr_t>(out + to);
            if (source % 16 == target % 16) {
                copy_bytes(reinterpret_cast<const unsigned char*>(in + from),
                           reinterpret_cast<unsigned char*>(out + to), count * static_cast<unsigned>(sizeof(element)));
                return;
            }
        }
        const bool wide_in = is_wide(in), wide_out = is_wide(out);
        for (unsigned first = threadIdx.x; first < count; first += in_flight * threads) {
            raw_array<element, in_flight> elements;
#pragma unroll
            for (int i = 0; i < in_flight; ++i)
                if (first + static_cast<unsigned>(i * threads) < count)
                    elements[i] =
                        load_element<element>(in, from + (first + static_cast<unsigned>(i * threads)), wide_in);
#pragma unroll
            for (int i = 0; i < in_flight; ++i)
                if (first + static_cast<unsigned>(i * threads) < count)
                    store_element(out, to + (first + static_cast<unsigned>(i * threads)), elements[i], wide_out);
        }
    }

    /// `in` and `out` have the same address modulo 16.
    static __device__ __forceinline__ void copy_bytes(const unsigned char* in, unsigned char* out, unsigned bytes)
    {
        const unsigned head = static_cast<unsigned>(-reinterpret_cast<std::uintptr_t>(out) % 16);
        if (head >= bytes) {
            if (threadIdx.x < bytes) out[threadIdx.x] = in[threadIdx.x];
            return;
        }
        const unsigned words = (bytes - head) / 16, tail = head + 16 * words;
        constexpr int unrolled = 4;
        for (unsigned first = threadIdx.x; first < words; first += unrolled * threads) {
            wide_word moved[unrolled];
#pragma unroll
            for (int i = 0; i < unrolled; ++i)
                if (first + static_cast<unsigned>(i * threads) < words)
                    moved[i] = load_wide(in + head + std::uint64_t{16} * (first + static_cast<unsigned>(i * threads)));
#pragma unroll
            for (int i = 0; i < unrolled; ++i)
                if (first + static_cast<unsigned>(i * threads) < words)
                    store_wide(out + head + std::uint64_t{16} * (first + static_cast<unsigned>(i * threads)), moved[i]);
        }
        if (threadIdx.x < head) out[threadIdx.x] = in[threadIdx.x];
        if (threadIdx.x < bytes - tail) out[tail + threadIdx.x] = in[tail + threadIdx.x];
    }
};

}  // namespace launchbox::detail
