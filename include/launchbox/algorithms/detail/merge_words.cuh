// launchbox: integers with values, sorted as words of 32 bits. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// What a block sorts are not its pairs but a word for each: the leading bits of the key, less the lowest key of the
// block, and below them the element's place among those of the block. All words differ, so that a network sorts them
// without bank conflicts and stably, and keys and values move once, from their places to the output. In a late pass a
// block's keys are so close to each other that all of their bits fit. Where they do not fit, elements with the same
// leading bits can be in the wrong order. They are neighbours then, and put in order by their keys. Where there are
// many, the block sorts its keys one by one, with the places as values.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>

namespace launchbox::detail {

/// A block's shared memory: the words, and behind them the keys, later the values, in the order of their places.
template <class Shape>
struct word_memory {
    using words = merge_memory<shape_of_words<Shape::threads, Shape::items>>;
    static_assert(words::layout.all == merge_memory<placed_shape<Shape>>::layout.keys);
    unsigned char* memory;

    __device__ __forceinline__ typename Shape::kept_key* keys() const
    {
        return reinterpret_cast<typename Shape::kept_key*>(memory + words::layout.all);
    }
    __device__ __forceinline__ typename Shape::kept_value* values() const
    {
        return reinterpret_cast<typename Shape::kept_value*>(memory + words::layout.all);
    }
    __device__ __forceinline__ unsigned& word_in(int slot) const
    {
        return words{memory}.keys()[padded<Shape::items>(slot)];
    }
};

/// Keys as numbers that rise in the order of the sort.
template <class Shape>
struct key_number {
    using key = typename Shape::kept_key;
    using type = std::conditional_t<sizeof(key) <= 4, unsigned, unsigned long long>;
    static constexpr bool is_signed = static_cast<key>(-1) < key{};
    static constexpr bool falls = is_descending_order<typename Shape::key, typename Shape::compare>;
    static constexpr type flipped =
        (is_signed ? type{1} << (8 * sizeof(type) - 1) : type{0}) ^ (falls ? ~type{0} : type{0});

    static __device__ __forceinline__ type of(const key& key_of_element)
    {
        return static_cast<type>(key_of_element) ^ flipped;
    }
};

template <class Number>
__device__ __forceinline__ Number lowest_of_warp(Number number)
{
#pragma unroll
    for (int mask = 16; mask > 0; mask /= 2) {
        const Number other = shuffle_xor<32>(number, mask);
        number = other < number ? other : number;
    }
    return number;
}

/// Which bits of the keys of a block are in its words.
template <class Shape>
struct word_scale {
    using number = key_number<Shape>;
    static constexpr int place_bits = bits_of<Shape::tile>, leading_bits = 32 - place_bits;
    typename number::type lowest;
    int shift;  ///< bits of a key that are not in its word

    /// By the lowest and the highest of some numbers, each of which is one or both of them.
    __device__ __forceinline__ word_scale(typename number::type low, typename number::type high)
        : lowest(lowest_of_warp(low))
    {
        const typename number::type range = ~lowest_of_warp(~high) - lowest;
        int bits = 0;
        if constexpr (sizeof(range) == 4)
            bits = 32 - __clz(static_cast<int>(range));
        else
            bits = 64 - __clzll(static_cast<long long>(range));
        shift = bits > leading_bits ? bits - leading_bits : 0;
    }
    __device__ __forceinline__ unsigned leading(const typename Shape::kept_key& key) const
    {
        return static_cast<unsigned>((number::of(key) - lowest) >> shift);
    }
    __device__ __forceinline__ unsigned word_of(const typename Shape::kept_key& key, int place) const
    {
        return (leading(key) << place_bits) + static_cast<unsigned>(place);
    }
    static __device__ __forceinline__ int place_of(unsigned word)
    {
        return static_cast<int>(word & static_cast<unsigned>(Shape::tile - 1));
    }
    static __device__ __forceinline__ bool are_alike(unsigned word, unsigned other)
    {
        return (word ^ other) >> place_bits == 0;
    }
    /// Whether the words are worth sorting: not where of 256 of the `count` keys two or more have the leading bits of
    /// another, but not its other bits, which hardly ever happens with random keys. With 32 keys, or one such key, too
    /// many blocks of keys of low entropy would sort words in vain. Called by all threads; a barrier.
    __device__ __forceinline__ bool tells_apart(const typename Shape::kept_key* keys, int count) const
    {
        constexpr int samples = Shape::threads > 256 ? Shape::threads : 256;
        bool is_unlike = false;
#pragma unroll
        for (int i = 0; i < samples; i += Shape::threads) {
            const auto key = keys[(i + static_cast<int>(threadIdx.x)) * (count - 1) / (samples - 1)];
            const unsigned alike = __match_any_sync(~0u, leading(key));
            const auto other = shuffle_from(key, __ffs(static_cast<int>(alike)) - 1);
            is_unlike |= other != key;
        }
        return __syncthreads_count(is_unlike) < 2;
    }
    /// The same where the keys are sorted runs one after the other, by neighbours: of 512 of them, since a run has the
    /// keys with the same leading bits side by side, and less than six, since of random keys one or two may be so
    /// close.
    __device__ __forceinline__ bool tells_neighbours_apart(const typename Shape::kept_key* keys, int count) const
    {
        constexpr int samples = Shape::threads > 512 ? Shape::threads : 512;
        bool is_unlike = false;
#pragma unroll
        for (int i = 0; i < samples; i += Shape::threads) {
            const int at = (i + static_cast<int>(threadIdx.x)) * (count - 1) / samples;
            const auto key = keys[at], next = keys[min(at + 1, count - 1)];
            is_unlike |= leading(key) == leading(next) && key != next;
        }
        return __syncthreads_count(is_unlike) < 6;
    }
};

/// The most neighbours with the same leading bits that one thread puts in order, and how often it does so. Of random
/// keys there are hardly ever as many. With 24 and 12 a block for which the whole array waited took 140 us at 2^20.
inline constexpr int max_alike = 8, max_groups_alike = 2;

/// Puts the elements with the same leading bits in the order of their keys, once the words are sorted. False if there
/// are too many of them. Ends with a barrier.
template <class Shape>
__device__ __forceinline__ bool put_in_order(const word_memory<Shape>& memory, int count)
{
    using scale = word_scale<Shape>;
    const auto number_in = [&](int slot) {
        return key_number<Shape>::of(memory.keys()[scale::place_of(memory.word_in(slot))]);
    };
    const auto are_alike = [&](int slot, int other) {
        return scale::are_alike(memory.word_in(slot), memory.word_in(other));
    };
    const int first = static_cast<int>(threadIdx.x) * Shape::items;
    unsigned alike = 0;  // bit i: element i and the next have the same leading bits
    if (first < count) {
        const unsigned* const words = &memory.word_in(first);
        unsigned word = words[0];
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) {
            // At the end of a row that of the next row; after the last row there is something else, which is not read.
            const unsigned next = words[i + 1 < Shape::items ? i + 1 : i + 2];
            alike |= scale::are_alike(word, next) ? 1u << i : 0u;
            word = next;
        }
        const int behind = count - 1 - first;  // so many have a next one
        if (behind < Shape::items) alike &= (1u << behind) - 1;
    }
    bool fails = false;
    for (int done = 0;; ++done) {
        // The next group that this thread puts in order: its first pair in the wrong order is of this thread.
        int begin = 0, end = 0;
#pragma unroll 1
        while (alike != 0 && end == 0 && !fails) {
            const int slot = first + __ffs(static_cast<int>(alike)) - 1;
            alike &= alike - 1;
            if (number_in(slot + 1) >= number_in(slot)) continue;
            begin = slot;
            end = slot + 2;
            bool is_own = true;
#pragma unroll 1
            while (begin > 0 && is_own && !fails && are_alike(begin, begin - 1)) {
                --begin;
                is_own = number_in(begin) <= number_in(begin + 1);
                fails = slot - begin > max_alike;
            }
#pragma unroll 1
            while (end < count && is_own && !fails && are_alike(end - 1, end)) {
                ++end;
                fails = end - slot > max_alike;
            }
            if (!is_own) end = 0;
        }
        if (done == max_groups_alike) fails = fails || end > 0;
        if (__syncthreads_or(end > 0 && !fails && done < max_groups_alike) == 0) break;
        if (end > 0 && !fails && done < max_groups_alike) {
#pragma unroll 1
            for (int slot = begin + 1; slot < end; ++slot) {
                const unsigned word = memory.word_in(slot);
                const auto number = number_in(slot);
                int to = slot;
#pragma unroll 1
                for (; to > begin && number < number_in(to - 1); --to) memory.word_in(to) = memory.word_in(to - 1);
                memory.word_in(to) = word;
            }
        }
        __syncthreads();
    }
    return __syncthreads_or(fails) == 0;
}

/// Sorts words that are in the registers of the threads.
template <class Words>
__device__ __forceinline__ void sort_words(const merge_memory<Words>& memory, thread_items<Words>& items, int count)
{
    const kept_order<Words> less{};
    raw_array<unsigned, Words::items> tags;  // unused: words differ
    sort_items<network::sort, thirds_by_sum::of_sort>(items, tags, less);
    merge_sorted_items(memory, items, count, less);
}

/// Writes `count` elements whose places are in the lower bits of the words, or which are places: first the keys, then,
/// once `copy_values()` has put them in the place of the keys, the values. `by_words`: otherwise the keys are in order
/// already.
template <class Shape, class CopyValues>
__device__ __forceinline__ void write_by_place(const word_memory<Shape>& memory, const merge_arrays<Shape>& out,
                                               std::int64_t begin, int count, bool by_words,
                                               const CopyValues& copy_values)
{
    using scale = word_scale<Shape>;
    constexpr int items = Shape::items, threads = Shape::threads, apart = threads + threads / items, batch = 8;
    const int thread = static_cast<int>(threadIdx.x);
    const unsigned* const words = &memory.word_in(thread);
    const auto write = [&](auto* to, const auto& element_at) {
        using type = std::remove_reference_t<decltype(*to)>;
        // Usually all but the last ones are full.
#pragma unroll 1
        for (int done = 0; done < items; done += batch)
            if ((done + batch) * threads <= count) {
                raw_array<type, batch> elements;
#pragma unroll
                for (int i = 0; i < batch; ++i) elements[i] = static_cast<type>(element_at(done + i));
#pragma unroll
                for (int i = 0; i < batch; ++i) to[(done + i) * threads] = elements[i];
            } else {
#pragma unroll 1
                for (int i = done; i < done + batch; ++i)
                    if (thread + i * threads < count) to[i * threads] = static_cast<type>(element_at(i));
            }
    };
    auto* const keys_to = out.keys + begin + thread;
    const auto place_of = [&](int i) { return scale::place_of(words[i * apart]); };
    if (by_words) {
        write(keys_to, [&](int i) { return memory.keys()[place_of(i)]; });
    } else {
        const auto* const keys = memory.keys() + padded<items>(thread);
        write(keys_to, [&](int i) { return keys[i * apart]; });
    }
    auto* const values_to = out.values + begin + thread;
    copy_values([&](const auto& value_at) { write(values_to, [&](int i) { return value_at(place_of(i)); }); });
}

}  // namespace launchbox::detail
