// launchbox: where a tile of intervals and outputs begins, found by one warp. Internal: include interval_expand.cuh or
// interval_move.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// Intervals and outputs stand in one line: each interval takes `weight` places, and its outputs follow, one place each.
// Tiles are equal stretches of that line, so that the number of both in a tile is bounded for any intervals, even
// millions of empty ones in a row or a huge one. Interval j begins at place offsets[j] + weight * j. These sums
// increase strictly, so that a search in them finds the cut.
#pragma once

#include <cstdint>

namespace launchbox::detail {

/// How many intervals begin, and how many outputs lie, before a place in the line.
struct interval_cut {
    std::int64_t interval, output;
};

template <class Offsets>
__device__ __forceinline__ std::int64_t offset_at(Offsets offsets, std::int64_t interval)
{
    return static_cast<std::int64_t>(offsets[interval]);
}

constexpr __device__ __forceinline__ std::int64_t lesser(std::int64_t a, std::int64_t b)
{
    return a < b ? a : b;
}
constexpr __device__ __forceinline__ std::int64_t greater_of(std::int64_t a, std::int64_t b)
{
    return a > b ? a : b;
}

/// The cut at `place`; called by all lanes of a warp together. `guess` is where the cut would be if all intervals had
/// the same size. The search looks at a window around it first, then at distances of powers of two from it, then at 32
/// points at a time: one round of loads for equal sizes, about three for random ones, at most six more than
/// log32(intervals).
template <int weight, class Offsets>
__device__ __forceinline__ interval_cut cut_at(std::int64_t place, Offsets offsets, std::int64_t intervals,
                                               std::int64_t total, std::int64_t guess)
{
    constexpr unsigned all = 0xffffffffu;
    const int lane = static_cast<int>(threadIdx.x % 32);
    // Intervals below `low` begin before `place`, those from `high` on do not.
    std::int64_t low = 0, high = lesser(intervals, (place + weight - 1) / weight);
    std::int64_t offset = 0;
    const auto begins_before = [&](std::int64_t interval) {
        offset = offset_at(offsets, interval);
        return offset + weight * interval < place;
    };

    const std::int64_t first = greater_of(lesser(guess - 16, high - 32), 0);
    const int in_window = __popc(__ballot_sync(all, first + lane < high && begins_before(first + lane)));
    const bool found = in_window < 32 && (in_window > 0 || first == 0);
    if (found) {
        low = first + in_window;
        offset = __shfl_sync(all, offset, in_window > 0 ? in_window - 1 : 0);
    } else {
        if (in_window == 32) {
            low = first + 32;
            const std::int64_t probe = low - 1 + (std::int64_t{16} << lane);
            const int before = __popc(__ballot_sync(all, probe < high && begins_before(probe)));
            if (before < 32) high = lesser(high, low - 1 + (std::int64_t{16} << before));
            if (before > 0) low += std::int64_t{16} << (before - 1);
        } else {
            high = first;
            const std::int64_t probe = high - (std::int64_t{16} << lane);
            const int behind = __popc(__ballot_sync(all, probe >= low && !begins_before(probe)));
            if (behind < 32) low = greater_of(low, high - (std::int64_t{16} << behind) + 1);
            if (behind > 0) high -= std::int64_t{16} << (behind - 1);
        }
        while (low < high) {
            const std::int64_t step = (high - low + 31) / 32;
            const std::int64_t probe = low + (lane + 1) * step - 1;
            const int before = __popc(__ballot_sync(all, probe < high && begins_before(probe)));
            high = lesser(high, low + (before + 1) * step - 1);
            low += before * step;
        }
        if (low > 0) offset = offset_at(offsets, low - 1);
    }
    if (low == 0) return {0, 0};
    // A cut within the places of an interval lies before its first output.
    return {low, lesser(greater_of(place - weight * low, offset), total)};
}

}  // namespace launchbox::detail
