// launchbox: integers with values, sorted as words of 32 bits. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// Instead of pairs a block sorts a word for each: the leading bits of the key minus the block's lowest key, and below
// them the element's place in the block. All words differ, so that a network sorts them without bank conflicts and
// stably, and keys and values move once, from their places to the output. In a late pass a block's keys are so close to
// each other that all of their bits fit. If they do not fit, elements with the same leading bits can be in the wrong
// order. They are neighbours then, and are reordered by their keys. If there are many of them, the block sorts its keys
// instead, with the places as values.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>

namespace launchbox::detail {

/// A block's shared memory: the words, followed by the keys, later the values, in the order of their places.
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

/// Keys as numbers that increase in the order of the sort.
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

    /// `low` and `high` enclose this thread's numbers; the words cover those of the warp.
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
    /// Whether the words are worth sorting: not if, in a sample of 256 of the `count` keys, two or more have the same
    /// leading bits as another key but differ from it. That hardly ever happens with random keys. With a sample of 32
    /// keys, or a threshold of one, too many blocks of low-entropy keys would sort words in vain. Called by all
    /// threads; contains a barrier.
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
    /// The same for keys that are sorted runs one after the other, by comparing neighbours: 512 of them, since keys of
    /// a run with the same leading bits are side by side, and with a threshold of six, since one or two neighbours of
    /// random keys may be so close.
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

/// The most neighbours with the same leading bits that one thread reorders, and how many groups of them. Random keys
/// hardly ever have as many. With 24 and 12, one block, for which the whole sort waited, took 140 us at 2^20.
inline constexpr int max_alike = 8, max_groups_alike = 2;

/// Reorders elements with the same leading bits by their keys, once the words are sorted. Returns false if there are
/// too many of them. Ends with a barrier.
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
    unsigned alike = 0;  // bit i: element i and the next one have the same leading bits
    if (first < count) {
        const unsigned* const words = &memory.word_in(first);
        unsigned word = words[0];
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) {
            // At the end of a row, the first word of the next row. After the last row it is something else, which is
            // ignored below.
            const unsigned next = words[i + 1 < Shape::items ? i + 1 : i + 2];
            alike |= scale::are_alike(word, next) ? 1u << i : 0u;
            word = next;
        }
        const int behind = count - 1 - first;  // the number of elements that have a next one
        if (behind < Shape::items) alike &= (1u << behind) - 1;
    }
    bool fails = false;
    for (int done = 0;; ++done) {
        // The next group that this thread reorders: one whose first pair in the wrong order belongs to this thread.
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

/// Writes `count` elements, whose places are the lower bits of the words, or the words themselves: first the keys, then
/// the values, once `copy_values()` has replaced the keys by them. Without `by_words` the keys are already in order.
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
        // Usually all batches but the last are full.
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
