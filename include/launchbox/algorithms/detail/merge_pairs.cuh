// launchbox: the threads of a block merge the pairs of runs of a tile. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// merge_layout.cuh shows where the runs lie. Each thread makes `items` elements of the result. Its part begins where
// the merge path of the two runs crosses the diagonal of its first element; a binary search finds that point.
#pragma once

#include <launchbox/algorithms/detail/merge_exchange.cuh>
#include <launchbox/algorithms/detail/merge_runs.cuh>
#include <launchbox/algorithms/detail/multiplier.cuh>

namespace launchbox::detail {

__device__ __forceinline__ void wait_for_threads(bool of_warp)
{
    if (of_warp)
        __syncwarp();
    else
        __syncthreads();
}

/// Whether a search probes three places at a time, with half the steps: for the rows of small sorts, whose few warps
/// wait for memory and not for execution units.
template <class Shape>
inline constexpr bool probes_thrice = Shape::items <= 8 && Shape::threads > 32 && Shape::threads <= 256 &&
                                      sizeof(typename Shape::kept_key) <= 8;

/// Where the merge path of a pair crosses a diagonal: how many of the first `diagonal` elements of the result come from
/// the left run. A binary search for the last element of the left run that does not come after the element of the right
/// run on the same diagonal. Its first step is `step`: 0, or a power of two whose double exceeds the length of the
/// shorter run.
template <class Shape>
__device__ __forceinline__ int partition_on_diagonal(const merge_memory<Shape>& memory, const merge_pair& pair,
                                                     int diagonal, const kept_order<Shape>& less, int step)
{
    // `left`: the slot of the last element known to come from the left run. `last`: that of the last that can; a step
    // beyond it probes it again. If no element is in question, nothing is compared: the user's comparison must only see
    // keys of the input, since they may hold pointers that it follows.
    int left = pair.left_slot + max(0, diagonal - pair.right_count) - 1;
    const int last = pair.left_slot + min(diagonal, pair.left_count) - 1;
    const int opposite = pair.right_slot - (diagonal - 1) - pair.left_slot;
    if (last <= left) step = 0;
    // With opaque_one() the multipliers, not the integer units, scale slots to bytes. That takes a register, which
    // merging by a network cannot spare.
    const int one = Shape::is_stable ? static_cast<int>(opaque_one()) : 1;
    const int key_bytes = one * static_cast<int>(sizeof(typename Shape::kept_key));
    const unsigned char* const keys = memory.memory + merge_memory<Shape>::layout.keys;
    const auto key_in = [&](int slot) -> const typename Shape::kept_key& {
        return *reinterpret_cast<const typename Shape::kept_key*>(keys + padded<Shape::items>(slot) * key_bytes);
    };
    const auto take = [&](int slots) {
        const int next = min(left + slots, last);
        left = less(key_in(next + opposite), key_in(next)) ? left : next;
    };
    if constexpr (probes_thrice<Shape>) {
        if ((step & 0x55555555) != 0) {
            take(step);
            step >>= 1;
        }
#pragma unroll 1
        for (; step > 0; step >>= 2) {
            const int first = min(left + step / 2, last), second = min(left + step, last),
                      third = min(left + step + step / 2, last);
            const bool is_first = !less(key_in(first + opposite), key_in(first)),
                       is_second = !less(key_in(second + opposite), key_in(second)),
                       is_third = !less(key_in(third + opposite), key_in(third));
            left = is_third ? third : is_second ? second : is_first ? first : left;
        }
    } else {
#pragma unroll 1
        for (; step >= Shape::items; step >>= 1) take(step);
        if (step == Shape::items / 2) {
#pragma unroll
            for (int small = Shape::items / 2; small > 0; small /= 2) take(small);
        } else {
#pragma unroll 1
            for (; step > 0; step >>= 1) take(step);
        }
    }
    return left + 1 - pair.left_slot;
}

/// Merges a thread's part: reads its slots [left, left_end) of the left run and its slots of the right run in the order
/// of their residues, which gives a bitonic sequence, and sorts that with a network.
template <int ThirdsBySum, class Shape>
__device__ __forceinline__ void merge_by_network(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                                 int first, int left, int left_end, const kept_order<Shape>& less)
{
    constexpr int n = Shape::items, row = n + 1;
    const int right =
        Shape::tile - (first + n) + left_end;  // the lowest slot of the right run; the same residue as left_end
    const int left_row = (left >> Shape::items_bits) * row, right_row = (right >> Shape::items_bits) * row;
    const int begin = left & (n - 1), end = left_end & (n - 1), taken = left_end - left;
    // One of the two parts lies within a row; the other ends in one row and continues in the next, or fills one.
    const bool is_left_within = begin + taken < n;
    const int border_0 = is_left_within ? begin : end, border_1 = is_left_within ? end : begin;
    const int row_0 = is_left_within ? right_row + row : left_row + row;
    const int row_1 = is_left_within ? left_row : right_row;
    const int row_2 = is_left_within ? right_row : left_row;
    // The slots are in up to three stretches: rows 0, 1 and 2, with borders between them; a stretch between equal
    // borders is empty. Counted in bytes, so that no instruction multiplies by the size.
    constexpr int key_bytes = sizeof(typename Shape::kept_key);
    unsigned char* keys = memory.memory + merge_memory<Shape>::layout.keys + row_0 * key_bytes;
    const unsigned borders = 1u << border_0 | 1u << border_1;
    int step = ((border_0 == border_1 ? row_2 : row_1) - row_0) * key_bytes;
    const int change = (row_2 - row_1) * key_bytes - step;  // the second step minus the first
    raw_array<unsigned, n> tags;                            // unused: equal keys are identical here
#pragma unroll
    for (int i = 0; i < n; ++i) {
        take_step(borders, i, keys, step, change);
        items.keys[i] = *reinterpret_cast<const typename Shape::kept_key*>(keys + i * key_bytes);
    }
    sort_items<network::merge, ThirdsBySum>(items, tags, less);
}

/// Merges a thread's part element by element, which is stable and takes the fewest comparisons; a stable network would
/// need a tag for every element, which costs more than the bank conflicts here. `left_end - left` elements come from
/// the left run, from `left` upwards, and `right - right_end` from the right run, from `right` downwards. The thread
/// reads its own slots and at most one other: the slot after the part that ends first. That is a slot of the same pair,
/// or, if the pair's rows end there, the free slot behind a row, which is never written. If there are fewer than
/// `items` elements, the items after the last one are undefined: they are read from the padding behind the right run,
/// and not compared.
template <class Shape>
__device__ __forceinline__ void merge_one_by_one(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                                 int left, int left_end, int right, int right_end,
                                                 const kept_order<Shape>& less)
{
    using key = typename Shape::kept_key;
    using value = typename Shape::kept_value;
    constexpr int n = Shape::items, key_bytes = sizeof(key), value_bytes = sizeof(value);
    const int of_left = left_end - left, of_right = right - right_end, begin = left & (n - 1);
    // At most one of the two parts continues in another row, since together they have each residue at most once.
    // Addresses are counted in bytes as if none did; from the border on, the free slot at the end of a row is added.
    const bool left_goes_on = begin + of_left > n, right_goes_on = begin > 0 && of_right > begin;
    int at_left = padded<n>(left) * key_bytes, at_right = padded<n>(right) * key_bytes;
    int border = static_cast<int>(merge_memory<Shape>::layout.all);
    if (left_goes_on) border = (padded<n>(left | (n - 1)) + 1) * key_bytes;
    if (right_goes_on) border = (padded<n>(right & -n) - 1) * key_bytes;
    if (left_goes_on || right_goes_on) at_right -= key_bytes;
    const int left_stop = at_left + of_left * key_bytes, right_stop = at_right - of_right * key_bytes;
    const auto place_of = [&](int at) {
        add_if(at >= border, at, key_bytes);
        return at;
    };
    const unsigned char* const keys = memory.memory + merge_memory<Shape>::layout.keys;
    const auto key_at = [&](int at) { return *reinterpret_cast<const key*>(keys + place_of(at)); };
    // For an empty part the first element of the other is read, and not used.
    key left_key = key_at(of_left > 0 ? at_left : at_right), right_key = key_at(of_right > 0 ? at_right : at_left);
#pragma unroll
    for (int i = 0; i < n; ++i) {
        const bool has_right = at_right != right_stop;
        const bool takes_right = at_left == left_stop || (has_right && less(right_key, left_key));
        items.keys[i] = takes_right ? right_key : left_key;
        if constexpr (Shape::has_values) {
            const auto from = static_cast<unsigned>(place_of(takes_right ? at_right : at_left));
            const unsigned at = key_bytes == value_bytes ? from : from / key_bytes * value_bytes;
            items.values[i] = *reinterpret_cast<const value*>(memory.memory + merge_memory<Shape>::layout.values + at);
        }
        if (i + 1 < n) {
            add_if(!takes_right, at_left, key_bytes);
            add_if(takes_right, at_right, -key_bytes);
            const key next = key_at(takes_right ? at_right : at_left);
            left_key = takes_right ? left_key : next;
            right_key = takes_right ? next : right_key;
            // Otherwise the compiler delays all selections for `items` to the end, and keeps every decision as a bit.
            if (i % 4 == 3) end_delays(at_left < 0);
        }
    }
}

/// Writes a thread's elements to the row from word `at` on.
template <class Shape>
__device__ __forceinline__ void put_row(const merge_memory<Shape>& memory, const thread_items<Shape>& items, int at,
                                        bool is_reversed)
{
    constexpr int n = Shape::items;
    const auto put = [&](int i, int slot) {
        memory.keys()[at + slot] = items.keys[i];
        if constexpr (Shape::has_values) memory.values()[at + slot] = items.values[i];
    };
    if (is_reversed) {
#pragma unroll
        for (int i = 0; i < n; ++i) put(n - 1 - i, i);
    } else {
#pragma unroll
        for (int i = 0; i < n; ++i) put(i, i);
    }
}

/// Writes a thread's elements, which begin at element `first` of all results, to the row where the next level reads
/// them.
template <class Shape, class Runs>
__device__ __forceinline__ void put_items(const merge_memory<Shape>& memory, const thread_items<Shape>& items,
                                          const Runs& runs, int first)
{
    const bool is_right = runs.is_right_after(first);
    const int begin = runs.slot_after(first) - (is_right ? Shape::items - 1 : 0);
    put_row<Shape>(memory, items, padded<Shape::items>(begin), is_right);
}

/// Merges all pairs of the tile; called by all threads of the block.
template <class Shape, class Runs>
__device__ __forceinline__ void merge_pairs(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                            const Runs& runs, const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x), first = thread * Shape::items;
    const merge_pair pair = runs.pair_at(first);
    const bool has_elements = Runs::are_equal || first < pair.end();
    int left = 0;
    if (has_elements)
        left = pair.left_slot + partition_on_diagonal(memory, pair, first - pair.begin, less, runs.first_step(pair));
    int* begins = memory.left_begin();
    begins[thread] = left;
    wait_for_threads(runs.reads_within_warp());
    if (has_elements) {
        const int end = first + Shape::items;
        const int left_end = end < pair.end() ? begins[thread + 1] : pair.left_slot + pair.left_count;
        if constexpr (Shape::is_stable) {
            const int right_before = pair.right_slot + pair.begin + (left - pair.left_slot);
            const int right_end = right_before - min(end, pair.end()) + (left_end - left);
            merge_one_by_one(memory, items, left, left_end, right_before - first, right_end, less);
        } else
            merge_by_network<Runs::are_equal ? thirds_by_sum::of_block_merge : thirds_by_sum::of_pass_merge>(
                memory, items, first, left, left_end, less);
    }
    wait_for_threads(runs.writes_within_warp());
    if (has_elements) put_items(memory, items, runs, first);
    wait_for_threads(runs.writes_within_warp());
}

/// Merges a tile's runs of `items` elements, which the threads have in their registers, until the first `count`
/// elements are one run.
template <class Shape>
__device__ __forceinline__ void merge_sorted_items(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                                   int count, const kept_order<Shape>& less)
{
    const equal_runs<Shape> single{Shape::items_bits - 1};
    put_items(memory, items, single, static_cast<int>(threadIdx.x) * Shape::items);
    wait_for_threads(single.writes_within_warp());
    // Once a run holds all elements, it is the result, in its final place.
#pragma unroll 1
    for (int bits = Shape::items_bits; (1 << bits) < Shape::tile && (1 << bits) < count; ++bits)
        merge_pairs(memory, items, equal_runs<Shape>{bits}, less);
}

}  // namespace launchbox::detail
