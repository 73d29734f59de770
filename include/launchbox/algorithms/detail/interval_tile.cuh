// launchbox: a tile of intervals and outputs in shared memory: which interval each output belongs to. Internal: include
// interval_expand.cuh or interval_move.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// Each output has a mark of 16 bits: the number of the interval that begins there, from 1 within the tile, or 0 if none
// does. An output belongs to the last interval marked at or before it; if there is none, to interval 0, the last one
// that begins before the tile.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/interval_search.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>
#include <launchbox/algorithms/detail/wide_access.cuh>

namespace launchbox::detail {

/// The shared memory of a tile: the cuts, a word for each warp, the marks, and behind them `entry_bytes` for each
/// interval. A tile with many outputs has few intervals, so that both share the space. `vector` outputs of a thread
/// stand side by side. With vectors, slot 0 is at the beginning of a 128-byte line of memory and the first output
/// somewhere in that line, so that a warp stores whole lines. For one-byte elements a line is 128 slots, and a tile
/// that loses up to 127 of them is slower: there only the vectors are aligned.
struct interval_shape {
    int threads, wanted_items, vector, weight, entry_bytes;

    static constexpr int cuts_at = 0, warps_at = 32, marks_at = warps_at + 4 * 32;

    // Rows scaled by by_type may have any number of items, and marks have 16 bits.
    constexpr int items() const
    {
        const int max_items = 65000 / threads, items = wanted_items < max_items ? wanted_items : max_items;
        return items < vector ? vector : items / vector * vector;
    }
    constexpr int row() const { return 32 * vector; }
    constexpr int slots() const { return threads * items(); }
    constexpr int aligned_bytes() const { return vector > 8 ? 16 : 128; }
    constexpr int max_shift() const { return vector > 1 ? aligned_bytes() / 16 * vector - 1 : 0; }
    constexpr int tile() const { return slots() - max_shift(); }
    constexpr int max_intervals() const { return (tile() - 1) / weight + 1; }
    static __host__ __device__ constexpr int rounded(int bytes) { return (bytes + 15) / 16 * 16; }

    /// Enough for every tile: one with many outputs, and one with many intervals.
    constexpr int bytes() const
    {
        const int few = bytes_with(1), many = bytes_with(max_intervals()), cleared = marks_at + 2 * slots();
        const int larger = few > many ? few : many;
        return rounded(larger > cleared ? larger : cleared);
    }
    constexpr int bytes_with(int intervals) const
    {
        const int outputs = tile() - weight * (intervals - 1);
        const int used = (outputs + max_shift() + row() - 1) / row() * row();
        return marks_at + rounded(2 * used) + 2 * row() + entry_bytes * (intervals + 1);
    }
};

/// The same as constants.
template <int threads_, int items_, int vector_, int weight_, int entry_bytes_>
struct interval_layout : interval_shape {
    static constexpr interval_shape shape{threads_, items_, vector_, weight_, entry_bytes_};
    static constexpr int threads = threads_, warps = threads_ / 32, vector = vector_, weight = weight_;
    static constexpr int items = shape.items(), row = shape.row(), slots = shape.slots(), tile = shape.tile(),
                         aligned_bytes = shape.aligned_bytes();
    static_assert(threads % 64 == 0 && threads <= 1024, "intervals: threads are a multiple of 64, up to 1024");
};

/// The number of outputs, known on the host, and the mean number of intervals per place in the line.
struct known_total {
    static constexpr bool is_known = true;
    std::int64_t outputs;
    double intervals_of_place;

    __device__ __forceinline__ std::int64_t get() const { return outputs; }
    template <int>
    __device__ __forceinline__ double rate(std::int64_t, std::int64_t) const
    {
        return intervals_of_place;
    }
};

/// The number of outputs, known only on the device: stored behind the offsets that were computed from counts. At most
/// `max_outputs` are written.
template <class Offset>
struct stored_total {
    static constexpr bool is_known = false;
    const Offset* outputs;
    std::int64_t max_outputs;

    __device__ __forceinline__ std::int64_t get() const
    {
        return lesser(static_cast<std::int64_t>(*outputs), max_outputs);
    }
    template <int weight>
    __device__ __forceinline__ double rate(std::int64_t intervals, std::int64_t total) const
    {
        return static_cast<double>(intervals) / static_cast<double>(total + weight * intervals);
    }
};

/// A tile as its threads see it.
struct interval_tile {
    std::int64_t first_interval, first_output;
    unsigned intervals, outputs;  ///< intervals that begin in the tile; its outputs
};

/// Finds the tile and clears its marks. Ends with a barrier.
template <class Layout, class Offsets>
__device__ __forceinline__ interval_tile find_tile(unsigned char* shared, Offsets offsets, std::int64_t intervals,
                                                   std::int64_t total, double rate, std::int64_t tile)
{
    auto* const cuts = reinterpret_cast<interval_cut*>(shared + Layout::cuts_at);
    auto* const marks = reinterpret_cast<wide_word*>(shared + Layout::marks_at);
    if (threadIdx.x < 64) {  // one warp finds the begin, another the end
        const std::int64_t end = total + Layout::weight * intervals;
        const std::int64_t place = lesser((tile + threadIdx.x / 32) * Layout::tile, end);
        const interval_cut cut = cut_at<Layout::weight>(place, offsets, intervals, total,
                                                        static_cast<std::int64_t>(static_cast<double>(place) * rate));
        if (threadIdx.x % 32 == 0) cuts[threadIdx.x / 32] = cut;
    }
#pragma unroll
    for (int i = 0; i < (Layout::slots / 8 + Layout::threads - 1) / Layout::threads; ++i)
        if (const int at = i * Layout::threads + static_cast<int>(threadIdx.x); at < Layout::slots / 8) marks[at] = {};
    __syncthreads();
    const interval_cut begin = cuts[0], end = cuts[1];
    return {begin.interval, begin.output, static_cast<unsigned>(end.interval - begin.interval),
            static_cast<unsigned>(end.output - begin.output)};
}

/// Calls `load(interval, offset)` and `store(number, what was loaded)` for the intervals of the tile that are not
/// empty, and marks where they begin; number 0 is the interval before the tile. Several are loaded before they are
/// stored. Ends with a barrier.
template <class Layout, class Offsets, class Load, class Store>
__device__ __forceinline__ void mark_intervals(std::uint16_t* marks, const interval_tile& tile, unsigned shift,
                                               Offsets offsets, std::int64_t intervals, std::int64_t total,
                                               const Load& load, const Store& store)
{
    using entry = decltype(load(std::int64_t{}, std::int64_t{}));
    constexpr int batch = sizeof(entry) > 16 ? 2 : 4;
    if (threadIdx.x == Layout::threads - 1 && tile.first_interval > 0)
        store(0, load(tile.first_interval - 1, offset_at(offsets, tile.first_interval - 1)));
    for (unsigned first = threadIdx.x; first < tile.intervals; first += batch * Layout::threads) {
        std::int64_t begin[batch];
        bool full[batch];
        raw_array<entry, batch> entries;
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            full[i] = first + static_cast<unsigned>(i * Layout::threads) < tile.intervals;
            if (full[i]) {
                const std::int64_t interval = tile.first_interval + first + i * Layout::threads;
                begin[i] = offset_at(offsets, interval);
                const std::int64_t end = interval + 1 < intervals ? offset_at(offsets, interval + 1) : total;
                entries[i] = load(interval, begin[i]);
                full[i] = begin[i] < end;
            }
        }
#pragma unroll
        for (int i = 0; i < batch; ++i) {
            if (!full[i]) continue;
            const auto output = static_cast<unsigned>(begin[i] - tile.first_output);
            if (output >= tile.outputs) continue;  // it begins here, but its outputs begin in the next tile
            const unsigned number = first + static_cast<unsigned>(i * Layout::threads) + 1;
            marks[output + shift] = static_cast<std::uint16_t>(number);
            store(number, entries[i]);
        }
    }
    __syncthreads();
}

/// The slots of this warp, in whole rows, and the last mark before them.
struct interval_segment {
    unsigned begin, end, mark;
};

template <class Layout>
__device__ __forceinline__ interval_segment find_segment(unsigned char* shared, unsigned used)
{
    const auto* const marks = reinterpret_cast<const wide_word*>(shared + Layout::marks_at);
    auto* const of_warps = reinterpret_cast<unsigned*>(shared + Layout::warps_at);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const unsigned rows = (used + Layout::row - 1) / Layout::row;
    const unsigned length = (rows + Layout::warps - 1) / Layout::warps * Layout::row;
    const unsigned begin = warp * length,
                   end = begin + length < rows * Layout::row ? begin + length : rows * Layout::row;
    unsigned last = 0;  // marks increase, so that the last is the largest
    for (unsigned at = begin + 8 * lane; at < end; at += 8 * 32) {
        const wide_word eight = marks[at / 8];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            const unsigned low = eight.words[i] & 0xffff, high = eight.words[i] >> 16;
            last = low > last ? low : last;
            last = high > last ? high : last;
        }
    }
    last = warp_maximum(last);
    if (lane == 0) of_warps[warp] = last;
    __syncthreads();
    return {begin, end, warp_maximum(lane < warp ? of_warps[lane] : 0)};
}

/// Turns the marks of a thread's slots in a row into the numbers of their intervals. `mark` is the last mark before the
/// row, and afterwards the last one before the next row.
template <int vector>
__device__ __forceinline__ void number_row(unsigned (&numbers)[vector], unsigned& mark)
{
    const unsigned lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 1; i < vector; ++i) numbers[i] = numbers[i] > numbers[i - 1] ? numbers[i] : numbers[i - 1];
    const unsigned own = numbers[vector - 1];
    const unsigned votes = __ballot_sync(0xffffffffu, own != 0);
    const unsigned left = votes & ((1u << lane) - 1);
    const unsigned of_left = __shfl_sync(0xffffffffu, own, (31 - __clz(static_cast<int>(left))) & 31);
    const unsigned of_last = __shfl_sync(0xffffffffu, own, (31 - __clz(static_cast<int>(votes))) & 31);
    const unsigned before = left != 0 ? of_left : mark;
#pragma unroll
    for (int i = 0; i < vector; ++i) numbers[i] = numbers[i] > before ? numbers[i] : before;
    mark = votes != 0 ? of_last : mark;
}

/// Calls `tile(total, rate, number)` for the tiles of this block: exactly one if the host knows how many tiles there
/// are.
template <class Layout, class Total, class Tile>
__device__ __forceinline__ void for_each_tile(std::int64_t intervals, const Total& totals, const Tile& tile)
{
    const std::int64_t total = totals.get();
    const double rate = totals.template rate<Layout::weight>(intervals, total);
    if constexpr (Total::is_known) {
        tile(total, rate, std::int64_t{blockIdx.x});
    } else {
        const std::int64_t tiles = (total + Layout::weight * intervals + Layout::tile - 1) / Layout::tile;
        for (std::int64_t number = blockIdx.x; number < tiles; number += gridDim.x) {
            tile(total, rate, number);
            __syncthreads();
        }
    }
}

}  // namespace launchbox::detail
