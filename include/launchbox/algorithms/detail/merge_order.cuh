// launchbox: sorts of what is in order already. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// The blocks that sort tiles tell whether a tile rises or falls. Where all do, the first pass looks at the borders
// between tiles, and if these are in order too, no pass merges: at most two copy. It costs other input next to nothing,
// since what is said are words that are written where something is not in order, and that the passes read anyway.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_shape.cuh>

namespace launchbox::detail {

/// What a tile is already.
enum class tile_order { none, rising, falling };

/// What is not so in a sort, as words of global memory that hold its number.
struct sort_findings {
    struct alignas(16) pair_of_words {
        std::uint64_t rising, falling;
    };
    /// Where a word does not hold the number, all that was looked at so far is in order, or has no -0.0.
    struct words_of_sort {
        pair_of_words tiles, borders;
        std::uint64_t negative_zero;
    };

    words_of_sort* words;  ///< null: nothing is looked for
    /// Of this sort: another than of sorts before it, whose words may still be there. A word that equals it by chance
    /// costs time, no more.
    std::uint64_t number;
};

/// Whether tiles, or all that is sorted, may rise or fall, as far as is known.
struct possible_order {
    bool rises = false, falls = false;

    [[nodiscard]] __device__ __forceinline__ bool any() const { return rises | falls; }
};

/// As far as it has been said. By plain loads, all threads of an SM through its cache: one address that all threads of
/// a grid ask the L2 for takes microseconds.
__device__ __forceinline__ possible_order order_of_tiles(const sort_findings& findings)
{
    if (findings.words == nullptr) return {};
    const sort_findings::pair_of_words said = findings.words->tiles;
    return {said.rising != findings.number, said.falling != findings.number};
}

/// Once the kernel that sorts tiles was waited for. Read again, whatever was seen before.
__device__ __forceinline__ possible_order final_order_of_tiles(const sort_findings& findings)
{
    const volatile sort_findings::pair_of_words& said = findings.words->tiles;
    return {said.rising != findings.number, said.falling != findings.number};
}

/// Once those that look at the borders were waited for too.
__device__ __forceinline__ possible_order order_of_all(const sort_findings& findings)
{
    const possible_order tiles = final_order_of_tiles(findings);
    const volatile sort_findings::pair_of_words& said = findings.words->borders;
    return {tiles.rises && said.rising != findings.number, tiles.falls && said.falling != findings.number};
}

/// Says what is not so, by one thread.
__device__ __forceinline__ void say_what_is_not(sort_findings::pair_of_words& words, const possible_order& order,
                                                std::uint64_t number)
{
    if (!order.rises) words.rising = number;
    if (!order.falls) words.falling = number;
}

/// Says what order a tile of `count` elements had. Called by all threads.
__device__ __forceinline__ void say_order(const sort_findings& findings, tile_order order, int count)
{
    if (threadIdx.x == 0 && findings.words != nullptr && count > 1)
        say_what_is_not(findings.words->tiles, {order == tile_order::rising, order == tile_order::falling},
                        findings.number);
}

/// Whether tile number `tile`, not the first, continues where the one before it ends. Each rises now; if they `fall`
/// they were reversed, and no element of the later one may equal one of the earlier.
template <class Key, class Less>
__device__ __forceinline__ possible_order order_at_border(const Key* keys, std::int64_t tile, std::int64_t tile_size,
                                                          std::int64_t n, const possible_order& order, const Less& less)
{
    const std::int64_t begin = tile * tile_size, end = n - begin < tile_size ? n : begin + tile_size;
    possible_order found;
    if (order.rises) found.rises = !less(keys[begin], keys[begin - 1]);
    if (order.falls) found.falls = less(keys[end - 1], keys[begin - tile_size]);
    return found;
}

/// What a pass does with sorted tiles that all rise, or that fell: the last pass leaves the result in the user's array.
enum class pass_action : signed char {
    nothing,
    copy,
    reverse,  ///< the order of the tiles
    convert   ///< words to floating-point keys, in place
};

/// A key as it is written to an array: by the last kernel of a sort as the user has it.
template <class Shape>
__device__ __forceinline__ typename Shape::key stored(const typename Shape::kept_key& key, bool is_last)
{
    if constexpr (Shape::sorts_floats)
        return is_last ? Shape::given(key) : key;
    else
        return Shape::given(key);
}

/// Does that for the elements from `begin` to before `end` of the result, by all threads of a block.
template <class Shape>
__device__ __forceinline__ void move_sorted(pass_action action, const merge_arrays<Shape>& in,
                                            const merge_arrays<Shape>& out, std::int64_t begin, std::int64_t end,
                                            std::int64_t tile_size, std::int64_t n, bool is_last)
{
    if (action == pass_action::nothing) return;
    const merge_arrays<Shape>& from = action == pass_action::convert ? out : in;
    const int tile_bits = 63 - __clzll(static_cast<long long>(tile_size));
#pragma unroll 4
    for (std::int64_t at = begin + static_cast<int>(threadIdx.x); at < end; at += Shape::threads) {
        std::int64_t source = at;
        if (action == pass_action::reverse) {
            const std::int64_t before_reversal = n - 1 - at, first = before_reversal >> tile_bits << tile_bits;
            const std::int64_t behind = n - first < tile_size ? n : first + tile_size;
            source = behind - 1 - (before_reversal - first);
        }
        const auto key = from.keys[source];
        out.keys[at] = stored<Shape>(key, is_last);
        if constexpr (Shape::has_values) out.values[at] = from.values[source];
    }
}

}  // namespace launchbox::detail
