// launchbox: merging in the shared memory of a block, without bank conflicts. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// A tile of Threads * Items elements holds sorted sequences, which are merged in pairs: 0 and 1, 2 and 3, ... The even
// ones lie at the left, one after the other, forwards; the odd ones at the right, from the end, backwards. Thread t
// makes the elements [t * Items, (t + 1) * Items) of all pairs' results one after the other: of one pair, since each
// result is padded to whole rows of Items elements. Where its part begins in the left sequence is found by a binary
// search (merge path). Its part of the left and its part of the right sequence are then slots that, counted modulo
// Items, are each residue exactly once, and those of a warp are each residue modulo 32 * Items exactly once: the slots
// of the left end where those of the right go on. So all threads read the slots of residue 0, then of residue 1, and so
// on, each time from 32 different banks, since a free slot after every Items makes a row an odd number of slots. What a
// thread has read rises and then falls, in a circle: a bitonic sequence, which a network sorts in registers. (The
// layout is that of Berney and Sitchinava's conflict-free merge sort, 2022; with a network for sequences in a circle no
// rotation is needed.)
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_plan.hpp>
#include <launchbox/algorithms/detail/merge_split.cuh>
#include <launchbox/algorithms/detail/sort_network.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>
#include <launchbox/algorithms/order.cuh>

namespace launchbox::detail {

struct no_value {};

/// How a type is kept in registers and shared memory: small integers as words, of which a bank holds one.
template <class Type>
using kept_type = std::conditional_t<is_integer<Type> && sizeof(Type) < 4,
                                     std::conditional_t<std::is_signed_v<Type>, int, unsigned>, Type>;

/// What the kernels of one sort have in common.
template <class KeyType, class ValueType, class CompareType, int ThreadCount, int ItemCount>
struct merge_shape {
    using key = KeyType;
    using value = ValueType;  ///< void: none
    using compare = CompareType;
    static constexpr int threads = ThreadCount, items = ItemCount;
    static constexpr int tile = threads * items;
    static constexpr int items_bits = std::bit_width(static_cast<unsigned>(items)) - 1;
    static constexpr bool has_values = !std::is_void_v<ValueType>;
    static constexpr bool is_stable = has_values || !equal_keys_are_identical<KeyType, CompareType>;
    using kept_key = kept_type<KeyType>;
    using kept_value = kept_type<std::conditional_t<has_values, ValueType, no_value>>;

    static_assert(items >= 2 && std::has_single_bit(static_cast<unsigned>(items)),
                  "merge_sort: items is a power of two, 2 or more");
    static_assert(threads % items == 0, "merge_sort: threads are items or more");
    static_assert(threads >= 64 && std::has_single_bit(static_cast<unsigned>(threads)),
                  "merge_sort: threads is a power of two, 64 or more");
};

template <int PowerOfTwo>
inline constexpr int bits_of = std::bit_width(static_cast<unsigned>(PowerOfTwo)) - 1;

/// The slot behind which there is a free one in every row.
template <int Items>
__device__ __forceinline__ constexpr int padded(int slot)
{
    return slot + (slot >> bits_of<Items>);  // not a division, which rounds towards 0
}

/// What a block writes down beside its tile. The runs of which it merges parts are pairs, and the second of each pair
/// is followed by padding, so that the result of every pair, of every level, is whole rows of `items` elements.
struct merge_notes {
    static constexpr int max_runs = 1 << max_merge_levels;
    std::int64_t source[max_runs];                        ///< index of a run's first element, less its `ends`
    std::int64_t begin;                                   ///< of the block's part of the output
    int ends[max_runs + 1];                               ///< of the runs, as if one after the other
    int padded_ends[max_runs + 1];                        ///< the same, padding counted
    int left_before[max_merge_levels + 1][max_runs / 2];  ///< in each level: elements left of each pair, and padding
    int splits[2][max_runs];                              ///< where the block's part begins and ends in the runs

    /// The run of an element, by all threads of a warp.
    __device__ __forceinline__ int run_of(int element, int runs) const
    {
        const int run = static_cast<int>(threadIdx.x) % 32;
        return __popc(__ballot_sync(~0u, run < runs && ends[run + 1] <= element));
    }
};

/// Where the parts of a block's shared memory begin, in bytes.
struct merge_layout {
    std::size_t notes, left_begin, keys, values, all;
};

template <class Shape>
constexpr merge_layout layout_of(int threads, int items)
{
    const auto up = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
    const std::size_t slots = static_cast<std::size_t>(threads * items + threads);
    merge_layout layout{};
    // Before the keys, since merging reads, and ignores, a slot before the first one.
    layout.left_begin = up(sizeof(merge_notes));
    layout.keys = layout.left_begin + up(static_cast<std::size_t>(threads) * sizeof(int));
    const std::size_t keys = slots * sizeof(typename Shape::kept_key),
                      found = sizeof(found_parts<merge_notes::max_runs>);
    layout.values = layout.keys + up(keys > found ? keys : found);
    layout.all = layout.values + (Shape::has_values ? up(slots * sizeof(typename Shape::kept_value)) : 0);
    return layout;
}

template <class Shape>
constexpr std::int64_t merge_shared_bytes(int threads, int items)
{
    return static_cast<std::int64_t>(layout_of<Shape>(threads, items).all);
}

/// A block's shared memory.
template <class Shape>
struct merge_memory {
    static constexpr merge_layout layout = layout_of<Shape>(Shape::threads, Shape::items);

    unsigned char* memory;

    __device__ __forceinline__ typename Shape::kept_key* keys() const
    {
        return reinterpret_cast<typename Shape::kept_key*>(memory + layout.keys);
    }
    __device__ __forceinline__ typename Shape::kept_value* values() const
    {
        return reinterpret_cast<typename Shape::kept_value*>(memory + layout.values);
    }
    /// In the place of the keys, before there are any.
    __device__ __forceinline__ found_parts<merge_notes::max_runs>& found() const
    {
        return *reinterpret_cast<found_parts<merge_notes::max_runs>*>(memory + layout.keys);
    }
    /// Where each thread's part of the left sequence begins, a slot.
    __device__ __forceinline__ int* left_begin() const { return reinterpret_cast<int*>(memory + layout.left_begin); }
    __device__ __forceinline__ merge_notes& notes() const
    {
        return *reinterpret_cast<merge_notes*>(memory + layout.notes);
    }
    __device__ __forceinline__ const typename Shape::kept_key& key_in(int slot) const
    {
        return keys()[padded<Shape::items>(slot)];
    }
};

/// A thread's elements.
template <class Shape>
struct thread_items {
    raw_array<typename Shape::kept_key, Shape::items> keys;
    raw_array<typename Shape::kept_value, Shape::items> values;
};

/// The comparison of the user, of keys as they are kept.
template <class Shape>
struct kept_order {
    typename Shape::compare compare;

    __device__ __forceinline__ bool operator()(const typename Shape::kept_key& a,
                                               const typename Shape::kept_key& b) const
    {
        using key = typename Shape::key;
        // Without a conversion, which is an instruction for small integers.
        if constexpr (is_integer<key> && is_ascending_order<key, typename Shape::compare>)
            return a < b;
        else if constexpr (is_integer<key> && is_descending_order<key, typename Shape::compare>)
            return b < a;
        else
            return compare(static_cast<const key&>(a), static_cast<const key&>(b));
    }
};

/// A key that is behind all others, or equals the last of them, for sorts of integers alone.
template <class Shape>
__device__ __forceinline__ typename Shape::kept_key last_key()
{
    using key = typename Shape::kept_key;
    constexpr bool is_signed = static_cast<key>(-1) < key{};
    constexpr key lowest = is_signed ? static_cast<key>(key{1} << (8 * sizeof(key) - 1)) : key{};
    return is_ascending_order<typename Shape::key, typename Shape::compare> ? static_cast<key>(~lowest) : lowest;
}

/// Of 32-bit integers the second of a comparator's results is the sum less the first.
template <class Shape>
inline constexpr bool exchanges_by_sum =
    !Shape::is_stable && std::is_integral_v<typename Shape::kept_key> && sizeof(typename Shape::kept_key) == 4;

/// The multipliers compute the sum beside the integer units, of which minimum, maximum and comparisons need every
/// second cycle of an SM of 9.0. They do so for a factor that the compiler does not know: the 1 that every block here
/// has as its height. That is an instruction more, so that it pays for some of the comparators only.
template <class Key, class Less>
__device__ __forceinline__ void exchange_by_sum(Key& first, Key& second, const Less& less)
{
    const unsigned one = blockDim.y;
    const Key lower = less(second, first) ? second : first;
    second = static_cast<Key>(static_cast<unsigned>(first) * one + static_cast<unsigned>(second) -
                              static_cast<unsigned>(lower) * one);
    first = lower;
}

/// Of how many comparators in three: so many that the instructions of all kinds take as long as the integer ones alone.
/// Of keys that are no 32-bit integers, or have tags, it is one in three, or none, that the multipliers exchange alone.
struct thirds_by_sum {
    static constexpr int of_sort = 2, of_block_merge = 1, of_pass_merge = 1;
};

/// Whether the first of two elements comes after the second: of equal keys the one with the higher tag does.
template <class Shape>
__device__ __forceinline__ bool is_after(const kept_order<Shape>& less, const typename Shape::kept_key& first,
                                         unsigned first_tag, const typename Shape::kept_key& second,
                                         unsigned second_tag)
{
    using key = typename Shape::kept_key;
    if constexpr (is_integer<key> && sizeof(key) == 4 &&
                  is_ascending_order<typename Shape::key, typename Shape::compare>) {
        // As one number, of which a comparison is two instructions.
        using number = std::conditional_t<std::is_signed_v<key>, std::int64_t, std::uint64_t>;
        const auto joined = [](key of_element, unsigned tag) {
            return static_cast<number>(static_cast<std::uint64_t>(static_cast<unsigned>(of_element)) << 32 | tag);
        };
        return joined(second, second_tag) < joined(first, first_tag);
    } else {
        return less(second, first) | (!less(first, second) & (second_tag < first_tag));
    }
}

/// Sorts a thread's keys by a network. `tags` say where each was: of equal keys the lower tag comes first.
template <network Kind, int ThirdsBySum, class Shape>
__device__ __forceinline__ void sort_items(thread_items<Shape>& items, raw_array<unsigned, Shape::items>& tags,
                                           const kept_order<Shape>& less)
{
    run_network<Kind, Shape::items>([&]<int First, int Second>() {
        auto &first = items.keys[First], &second = items.keys[Second];
        if constexpr (exchanges_by_sum<Shape> && (First + Second + 2) % 3 < ThirdsBySum) {
            exchange_by_sum(first, second, less);
        } else if constexpr (exchanges_by_sum<Shape>) {
            const auto lower = less(second, first) ? second : first;  // one instruction for each
            second = less(second, first) ? first : second;
            first = lower;
        } else {
            constexpr bool alone = ThirdsBySum > 0 && (First + Second) % 3 == 0;
            bool swaps;
            if constexpr (Shape::is_stable) {
                swaps = is_after(less, first, tags[First], second, tags[Second]);
                exchange_if<alone>(swaps, tags[First], tags[Second]);
            } else {
                swaps = less(second, first);
            }
            exchange_if<alone>(swaps, first, second);
        }
    });
}

/// Two sequences that are merged: `left_count` elements from slot `left_slot` upwards, and `right_count` from slot
/// `right_slot` downwards. Their result is the elements from `begin` on.
struct merge_pair {
    int begin;
    int left_slot, left_count;
    int right_slot, right_count;

    __device__ __forceinline__ int end() const { return begin + left_count + right_count; }
};

/// Sorted runs of 2^width_bits elements that fill the tile.
template <class Shape>
struct equal_runs {
    static constexpr bool are_equal = true;
    int width_bits;

    __device__ __forceinline__ merge_pair pair_at(int element) const
    {
        const int pair = element >> (width_bits + 1), width = 1 << width_bits, before = pair << width_bits;
        return {pair << (width_bits + 1), before, width, Shape::tile - 1 - before, width};
    }
    // Of an element of the result, in the layout for runs of twice the width.
    __device__ __forceinline__ int slot_after(int element) const
    {
        const int result = element >> (width_bits + 1), width = 2 << width_bits;
        const int slot = (result / 2) * width + (element & (width - 1));
        return result % 2 == 0 ? slot : Shape::tile - 1 - slot;
    }
    __device__ __forceinline__ bool is_right_after(int element) const { return (element >> (width_bits + 1)) % 2 != 0; }
    __device__ __forceinline__ int first_step(const merge_pair&) const { return 1 << width_bits; }
    // All that a warp reads and writes is its own.
    __device__ __forceinline__ bool reads_within_warp() const { return 2 << width_bits <= 32 * Shape::items; }
    __device__ __forceinline__ bool writes_within_warp() const { return 4 << width_bits <= 32 * Shape::items; }
};

/// Runs of any lengths, as the notes of the block say, for a thread whose elements begin at `first`.
template <class Shape>
struct noted_runs {
    static constexpr bool are_equal = false;
    const merge_notes& notes;
    int level, levels;
    int pair;  ///< that the thread's elements belong to

    __device__ __forceinline__ noted_runs(const merge_notes& notes_of_block, int levels_of_pass, int first)
        : notes(notes_of_block), level(0), levels(levels_of_pass), pair(0)
    {
        for (int step = 1 << (levels - 1); step > 0; step /= 2)
            if (pair + step < 1 << (levels - 1) && notes.padded_ends[2 * (pair + step)] <= first) pair += step;
    }
    __device__ __forceinline__ void next_level() { ++level, pair /= 2; }
    __device__ __forceinline__ merge_pair pair_at(int) const
    {
        const int run = (2 * pair) << level, next = run + (1 << level), end = next + (1 << level);
        const int begin = notes.padded_ends[run], before = notes.left_before[level][pair];
        // Padding that can be a key like others takes part; else it is not looked at.
        const int* const ends = Shape::is_stable ? notes.ends : notes.padded_ends;
        return {begin, before, ends[next] - ends[run], Shape::tile - 1 - (begin - before), ends[end] - ends[next]};
    }
    __device__ __forceinline__ int first_step(const merge_pair& pair_of_thread) const
    {
        const int shorter = min(pair_of_thread.left_count, pair_of_thread.right_count);
        return shorter == 0 ? 0 : 1 << (31 - __clz(shorter));
    }
    __device__ __forceinline__ int slot_after(int element) const
    {
        const int run = (2 * pair) << level, next = pair / 2;
        const int within = element - notes.padded_ends[run], before = notes.left_before[level + 1][next];
        if (pair % 2 == 0) return before + within;
        return Shape::tile - 1 - (notes.padded_ends[(4 * next) << level] - before) - within;
    }
    __device__ __forceinline__ bool is_right_after(int) const { return pair % 2 != 0; }
    __device__ __forceinline__ bool reads_within_warp() const { return false; }
    __device__ __forceinline__ bool writes_within_warp() const { return false; }
};

__device__ __forceinline__ void wait_for_threads(bool of_warp)
{
    if (of_warp)
        __syncwarp();
    else
        __syncthreads();
}

/// How many of the first `elements` of the pair's result come from the left: the largest number such that the last of
/// them is not behind the element of the right that is taken if it is not. The search begins with steps of `step`, a
/// power of two of which the double is more than the shorter part has, or 0.
template <class Shape>
__device__ __forceinline__ int find_left(const merge_memory<Shape>& memory, const merge_pair& pair, int elements,
                                         const kept_order<Shape>& less, int step)
{
    // Slots of the last element that is known to come from the left, and of the last that can. A step beyond looks at
    // that one again. Where there is none, nothing is compared: a comparison of the user's may follow its keys to
    // somewhere, and gets none that is not one of his.
    int left = pair.left_slot + max(0, elements - pair.right_count) - 1;
    const int last = pair.left_slot + min(elements, pair.left_count) - 1;
    const int opposite = pair.right_slot - (elements - 1) - pair.left_slot;
    if (last <= left) step = 0;
    // The multipliers scale by a factor that the compiler does not know, see take_step; else the integer units do. It
    // is a register more, which the network lacks.
    const int one = Shape::is_stable ? static_cast<int>(blockDim.y) : 1;
    const int key_bytes = one * static_cast<int>(sizeof(typename Shape::kept_key));
    const unsigned char* const keys = memory.memory + merge_memory<Shape>::layout.keys;
    const auto key_in = [&](int slot) -> const typename Shape::kept_key& {
        return *reinterpret_cast<const typename Shape::kept_key*>(keys + padded<Shape::items>(slot) * key_bytes);
    };
    const auto take = [&](int slots) {
        const int next = min(left + slots, last);
        left = less(key_in(next + opposite), key_in(next)) ? left : next;
    };
#pragma unroll 1
    for (; step >= Shape::items; step >>= 1) take(step);
    if (step == Shape::items / 2) {
#pragma unroll
        for (int small = Shape::items / 2; small > 0; small /= 2) take(small);
    } else {
#pragma unroll 1
        for (; step > 0; step >>= 1) take(step);
    }
    return left + 1 - pair.left_slot;
}

/// Reads the slots [left, left_end) and those of the right that make up the elements from `first` on, and sorts them.
template <int ThirdsBySum, class Shape>
__device__ __forceinline__ void merge_by_network(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                                 int first, int left, int left_end, const kept_order<Shape>& less)
{
    constexpr int n = Shape::items, row = n + 1;
    const int right = Shape::tile - (first + n) + left_end;  // the lowest slot; counted by n as left_end
    const int left_row = (left >> Shape::items_bits) * row, right_row = (right >> Shape::items_bits) * row;
    const int begin = left & (n - 1), end = left_end & (n - 1), taken = left_end - left;
    // In the order of residues: the left's part lies within a row, or the right's does.
    const bool is_left_within = begin + taken < n;
    const int border_0 = is_left_within ? begin : end, border_1 = is_left_within ? end : begin;
    const int row_0 = is_left_within ? right_row + row : left_row + row;
    const int row_1 = is_left_within ? left_row : right_row;
    const int row_2 = is_left_within ? right_row : left_row;
    // In bytes, so that no instruction multiplies by the size. Between equal borders there is nothing.
    constexpr int key_bytes = sizeof(typename Shape::kept_key);
    unsigned char* keys = memory.memory + merge_memory<Shape>::layout.keys + row_0 * key_bytes;
    const unsigned borders = 1u << border_0 | 1u << border_1;
    int step = ((border_0 == border_1 ? row_2 : row_1) - row_0) * key_bytes;
    const int change = (row_2 - row_1) * key_bytes - step;  // the second step, less the first
    raw_array<unsigned, n> tags;                            // of nobody: equal keys are identical here
#pragma unroll
    for (int i = 0; i < n; ++i) {
        take_step(borders, i, keys, step, change);
        items.keys[i] = *reinterpret_cast<const typename Shape::kept_key*>(keys + i * key_bytes);
    }
    sort_items<network::merge, ThirdsBySum>(items, tags, less);
}

/// The same one by one, stable and with the fewest comparisons: for a network a tag for every element costs more than
/// the conflicts here. `left_end - left` elements are of the left, from `left` upwards, and `right - right_end` of the
/// right, from `right` downwards. It reads its own slots, and of others at most one: behind the part that ends first.
/// That is a slot of the same pair, or, where the pair's rows end there, the free slot behind a row, which nobody
/// writes. `IsFull`: there are `items` of them; else what is behind them is of no meaning.
template <bool IsFull, class Shape>
__device__ __forceinline__ void merge_one_by_one(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                                 int left, int left_end, int right, int right_end,
                                                 const kept_order<Shape>& less)
{
    using key = typename Shape::kept_key;
    using value = typename Shape::kept_value;
    constexpr int n = Shape::items, key_bytes = sizeof(key), value_bytes = sizeof(value);
    const int of_left = left_end - left, of_right = right - right_end, begin = left & (n - 1);
    // At most one of the two parts goes on in another row, since together they are each residue once at most. Both are
    // counted in bytes as if none did: what is not below the border lies a slot further.
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
    // Of a part that is empty the other's first element, which is not looked at.
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
            add_if(takes_right && (IsFull || has_right), at_right, -key_bytes);
            const key next = key_at(takes_right ? at_right : at_left);
            left_key = takes_right ? left_key : next;
            right_key = takes_right ? next : right_key;
            // Else choosing what goes into `items` is put off to the end, and what was taken is kept bit by bit.
            if (i % 4 == 3) end_delays(at_left < 0);
        }
    }
}

/// Puts a thread's elements into the slots from `at` on, which are in a row.
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

/// Puts a thread's elements, from `first` on of all results, where the next level reads them: whole rows, which lie
/// side by side.
template <class Shape, class Runs>
__device__ __forceinline__ void put_items(const merge_memory<Shape>& memory, const thread_items<Shape>& items,
                                          const Runs& runs, int first)
{
    const bool is_right = runs.is_right_after(first);
    const int begin = runs.slot_after(first) - (is_right ? Shape::items - 1 : 0);
    put_row<Shape>(memory, items, padded<Shape::items>(begin), is_right);
}

/// Merges all pairs of the tile, by all threads of the block.
template <class Shape, class Runs>
__device__ __forceinline__ void merge_pairs(const merge_memory<Shape>& memory, thread_items<Shape>& items,
                                            const Runs& runs, const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x), first = thread * Shape::items;
    const merge_pair pair = runs.pair_at(first);
    const bool has_elements = Runs::are_equal || first < pair.end();
    int left = 0;
    if (has_elements) left = pair.left_slot + find_left(memory, pair, first - pair.begin, less, runs.first_step(pair));
    int* begins = memory.left_begin();
    begins[thread] = left;
    wait_for_threads(runs.reads_within_warp());
    if (has_elements) {
        const int end = first + Shape::items;
        const int left_end = end < pair.end() ? begins[thread + 1] : pair.left_slot + pair.left_count;
        if constexpr (Shape::is_stable) {
            const int right_before = pair.right_slot + pair.begin + (left - pair.left_slot);
            const int right_end = right_before - min(end, pair.end()) + (left_end - left);
            merge_one_by_one<Runs::are_equal>(memory, items, left, left_end, right_before - first, right_end, less);
        } else
            merge_by_network<Runs::are_equal ? thirds_by_sum::of_block_merge : thirds_by_sum::of_pass_merge>(
                memory, items, first, left, left_end, less);
    }
    wait_for_threads(runs.writes_within_warp());
    if (has_elements) put_items(memory, items, runs, first);
    wait_for_threads(runs.writes_within_warp());
}

}  // namespace launchbox::detail
