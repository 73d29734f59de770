// launchbox: how a sort uses existing order. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// The blocks that sort tiles note which tiles do not rise or do not fall. If all tiles rise, or all fall, the first
// pass checks the borders between tiles; if these are in order too, no pass merges, and at most two copy. For other
// input this costs next to nothing: a word is written if something is not in order, and the passes read a few words.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_shape.cuh>

namespace launchbox::detail {

/// The order that a tile already has.
enum class tile_order { none, rising, falling };

/// What was found not to hold for the input of a sort: words of global memory in which blocks then write the sort's
/// number.
struct sort_findings {
    struct alignas(16) pair_of_words {
        std::uint64_t rising, falling;
    };
    /// While a word differs from the number, everything checked so far is in order, or has no -0.0.
    struct words_of_sort {
        pair_of_words tiles, borders;
        std::uint64_t negative_zero;
    };

    words_of_sort* words;  ///< null: nothing is checked
    /// This sort's number. It differs from that of earlier sorts, whose words may still be there. A word that equals it
    /// by chance only costs time.
    std::uint64_t number;
};

/// Whether all tiles, or all elements, may still turn out to rise or to fall.
struct possible_order {
    bool rises = false, falls = false;

    [[nodiscard]] __device__ __forceinline__ bool any() const { return rises | falls; }
};

/// As far as blocks have written it yet. Plain loads, so that the threads of an SM share its L1 cache: if all threads
/// of a grid load one address from the L2, that takes microseconds.
__device__ __forceinline__ possible_order order_of_tiles(const sort_findings& findings)
{
    if (findings.words == nullptr) return {};
    const sort_findings::pair_of_words recorded = findings.words->tiles;
    return {recorded.rising != findings.number, recorded.falling != findings.number};
}

/// Called after waiting for the kernel that sorts tiles; reads the words again.
__device__ __forceinline__ possible_order final_order_of_tiles(const sort_findings& findings)
{
    const volatile sort_findings::pair_of_words& recorded = findings.words->tiles;
    return {recorded.rising != findings.number, recorded.falling != findings.number};
}

/// Called after also waiting for the kernel that checks the borders.
__device__ __forceinline__ possible_order order_of_all(const sort_findings& findings)
{
    const possible_order tiles = final_order_of_tiles(findings);
    const volatile sort_findings::pair_of_words& recorded = findings.words->borders;
    return {tiles.rises && recorded.rising != findings.number, tiles.falls && recorded.falling != findings.number};
}

/// Records which order is ruled out. One thread is enough.
__device__ __forceinline__ void rule_out_orders(sort_findings::pair_of_words& words, const possible_order& order,
                                                std::uint64_t number)
{
    if (!order.rises) words.rising = number;
    if (!order.falls) words.falling = number;
}

/// Records the order that a tile of `count` elements had. Called by all threads.
__device__ __forceinline__ void record_order_of_tile(const sort_findings& findings, tile_order order, int count)
{
    if (threadIdx.x == 0 && findings.words != nullptr && count > 1)
        rule_out_orders(findings.words->tiles, {order == tile_order::rising, order == tile_order::falling},
                        findings.number);
}

/// Whether tile `tile`, not the first, continues the order of the one before it. Both have been sorted and rise now. If
/// they fell, they were reversed, and then no element of the later tile may equal one of the earlier.
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

/// What a pass does if everything rose, or fell. The last pass leaves the result in the user's array.
enum class pass_action : signed char {
    nothing,
    copy,
    reverse,  ///< reverses the order of the tiles
    convert   ///< turns words into floating-point keys, in place
};

/// A key as it is written to an array: the last kernel of a sort writes keys as the user has them.
template <class Shape>
__device__ __forceinline__ typename Shape::key stored(const typename Shape::kept_key& key, bool is_last)
{
    if constexpr (Shape::sorts_floats)
        return is_last ? Shape::given(key) : key;
    else
        return Shape::given(key);
}

/// Does `action` for the elements [begin, end) of the result; called by all threads of a block.
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
