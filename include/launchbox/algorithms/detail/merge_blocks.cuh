// launchbox: what the blocks of a merge sort do. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_split.cuh>
#include <launchbox/algorithms/detail/merge_tile.cuh>

namespace launchbox::detail {

/// Keys and values of a sort on the device; `values` null where there are none, or, as a source, where a value is the
/// index of its key.
template <class Shape>
struct merge_arrays {
    using value = typename Shape::kept_value;
    typename Shape::key* keys;
    std::conditional_t<Shape::has_values, typename Shape::value, no_value>* values;
};

/// The index of an element as a value, where values are sorted by their indices.
template <class Value>
__device__ __forceinline__ Value index_value(std::int64_t index)
{
    if constexpr (std::is_integral_v<Value>)
        return static_cast<Value>(index);
    else
        return Value{};  // never asked for
}

/// The largest of the tile's `count` > 0 elements that lie in natural order, by all threads of the block. What a tile
/// that is not full is filled with: behind all others, and after those that are equal, since it comes last.
template <class Shape>
__device__ __forceinline__ void fill_tile(const merge_memory<Shape>& memory, int count, const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x);
    int largest = thread < count ? thread : 0;
    for (int i = thread; i < count; i += Shape::threads)
        if (less(memory.key_in(largest), memory.key_in(i))) largest = i;
    int* found = memory.left_begin();
    found[thread] = largest;
    for (int step = Shape::threads / 2; step > 0; step /= 2) {
        __syncthreads();
        if (thread < step && less(memory.key_in(found[thread]), memory.key_in(found[thread + step])))
            found[thread] = found[thread + step];
    }
    __syncthreads();
    const auto key = memory.key_in(found[0]);
    for (int i = count + thread; i < Shape::tile; i += Shape::threads) memory.keys()[padded<Shape::items>(i)] = key;
}

/// Writes the first `count` elements of a sorted tile.
template <class Shape>
__device__ __forceinline__ void write_tile(const merge_memory<Shape>& memory, const merge_arrays<Shape>& out,
                                           std::int64_t begin, int count)
{
    const int thread = static_cast<int>(threadIdx.x);
    // A thread's slots are whole rows apart.
    constexpr int apart = Shape::threads + Shape::threads / Shape::items;
    const int first = padded<Shape::items>(thread);
    const auto write = [&](const auto* from, auto* to) {
        using type = std::remove_reference_t<decltype(*to)>;
        // Mostly all rows are there but the last ones.
        constexpr int some = Shape::items < 8 ? 1 : Shape::items / 8;
#pragma unroll
        for (int begin = 0; begin < Shape::items; begin += some) {
            const bool are_there = (begin + some) * Shape::threads <= count;
#pragma unroll
            for (int i = begin; i < begin + some; ++i)
                if (are_there || thread + i * Shape::threads < count)
                    to[i * Shape::threads] = static_cast<type>(from[i * apart]);
        }
    };
    write(memory.keys() + first, out.keys + begin + thread);
    if constexpr (Shape::has_values) write(memory.values() + first, out.values + begin + thread);
}

template <class Shape>
inline constexpr bool reads_asynchronously =
    copies_asynchronously<typename Shape::kept_key, typename Shape::key> &&
    (!Shape::has_values ||
     copies_asynchronously<typename Shape::kept_value,
                           std::conditional_t<Shape::has_values, typename Shape::value, no_value>>);

/// Copies every `Stride`th of the elements from `from` on, `Count` of them, to shared memory, where they are `apart`.
template <int Count, int Stride, bool Asynchronously, class To, class From>
__device__ __forceinline__ void copy_elements(To* to, int apart, const From* from)
{
    if constexpr (Asynchronously) {
#pragma unroll
        for (int i = 0; i < Count; ++i) copy_async(to + i * apart, from + i * Stride);
    } else {
        // Through registers, so that several reads are on their way.
        raw_array<To, Count> elements;
#pragma unroll
        for (int i = 0; i < Count; ++i) elements[i] = static_cast<To>(from[i * Stride]);
#pragma unroll
        for (int i = 0; i < Count; ++i) to[i * apart] = elements[i];
    }
}

/// Copies a tile, of which `count` elements are there, to shared memory in its order.
template <class Shape>
__device__ __forceinline__ void read_tile(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in,
                                          std::int64_t begin, int count)
{
    constexpr int n = Shape::items;
    constexpr int apart = Shape::threads + Shape::threads / n;  // whole rows
    using kept_value = typename Shape::kept_value;
    const int thread = static_cast<int>(threadIdx.x), to = padded<n>(thread);
    const std::int64_t from = begin + thread;
    if (count == Shape::tile) {
        constexpr bool is_asynchronous = reads_asynchronously<Shape>;
        copy_elements<n, Shape::threads, is_asynchronous>(memory.keys() + to, apart, in.keys + from);
        if constexpr (Shape::has_values) {
            if (in.values)
                copy_elements<n, Shape::threads, is_asynchronous>(memory.values() + to, apart, in.values + from);
        }
        if constexpr (is_asynchronous) wait_for_copies();
    } else {
#pragma unroll
        for (int i = 0; i < n; ++i)
            if (thread + i * Shape::threads < count) {
                memory.keys()[to + i * apart] = in.keys[from + i * Shape::threads];
                if constexpr (Shape::has_values)
                    if (in.values)
                        memory.values()[to + i * apart] = static_cast<kept_value>(in.values[from + i * Shape::threads]);
            }
    }
    if constexpr (Shape::has_values) {
        if (in.values) return;
#pragma unroll
        for (int i = 0; i < n; ++i)
            memory.values()[to + i * apart] = index_value<kept_value>(from + i * Shape::threads);
    }
}

/// Sorts the tile number `tile` of `n` elements.
template <class Shape>
__device__ __forceinline__ void sort_tile(unsigned char* shared, const merge_arrays<Shape>& in,
                                          const merge_arrays<Shape>& out, std::int64_t n, std::int64_t tile,
                                          const typename Shape::compare& compare)
{
    const merge_memory<Shape> memory{shared};
    const kept_order<Shape> less{compare};
    const int thread = static_cast<int>(threadIdx.x), first = thread * Shape::items;
    const std::int64_t begin = tile * Shape::tile;
    const int count = n - begin < Shape::tile ? static_cast<int>(n - begin) : Shape::tile;
    thread_items<Shape> items;
    raw_array<unsigned, Shape::items> tags;
    if (!Shape::is_stable && count == Shape::tile) {
        // Nobody sees which of equal keys was where, so that each thread takes what it can read in step with others.
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) items.keys[i] = in.keys[begin + thread + i * Shape::threads];
    } else {
        read_tile(memory, in, begin, count);
        __syncthreads();
        if (count < Shape::tile) {
            fill_tile(memory, count, less);
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < Shape::items; ++i) {
            items.keys[i] = memory.keys()[padded<Shape::items>(first) + i];
            tags[i] = static_cast<unsigned>(i);
        }
        if constexpr (!Shape::has_values) __syncthreads();
    }
    sort_items<network::sort, thirds_by_sum::of_sort>(items, tags, less);
    if constexpr (Shape::has_values) {
        // Not through the network with their keys, which takes longer, and registers.
#pragma unroll
        for (int i = 0; i < Shape::items; ++i)
            items.values[i] = memory.values()[padded<Shape::items>(first) + static_cast<int>(tags[i])];
        __syncthreads();
    }
    const equal_runs<Shape> single{Shape::items_bits - 1};
    put_items(memory, items, single, first);
    wait_for_threads(single.writes_within_warp());
    // Once a run holds all there is, the first one is the result, and where it should be.
#pragma unroll 1
    for (int bits = Shape::items_bits; (1 << bits) < Shape::tile && (1 << bits) < count; ++bits)
        merge_pairs(memory, items, equal_runs<Shape>{bits}, less);
    let_next_grid_begin();
    __syncthreads();
    write_tile(memory, out, begin, count);
}

/// A pass of a merge sort: each group of 2^levels runs of `run` elements becomes one, by blocks that make `merged`
/// elements each, the last of a group fewer; see merge_pass.
struct merge_task {
    std::int64_t n;
    std::int64_t run;
    int levels;
    int merged;
    int slack;
    std::int64_t blocks_of_group;
    int pass;  ///< its number, 1 to 64
    /// Where the parts begin in each of their runs, 2^levels found_splits a block. Not there where each block finds its
    /// own, for which a group has fewer than 2^31 elements.
    std::int64_t* splits;
};

/// A split as one kernel leaves it for the next: with the number of the pass, which tells that it is there. There are
/// fewer than 2^48 elements.
struct found_split {
    static constexpr int bits = 56;

    static __device__ __forceinline__ std::int64_t word(std::int64_t split, int pass)
    {
        return split | static_cast<std::int64_t>(pass) << bits;
    }
    static __device__ __forceinline__ bool is_there(std::int64_t word, int pass) { return word >> bits == pass; }
    static __device__ __forceinline__ std::int64_t of(std::int64_t word)
    {
        return word & ((std::int64_t{1} << bits) - 1);
    }
};

__device__ __forceinline__ std::int64_t length_of_run(const merge_task& task, std::int64_t begin)
{
    const std::int64_t left = task.n - begin;
    return left < 0 ? 0 : left < task.run ? left : task.run;
}

/// For the element number `at` of the output: how many of the elements before it, in its group, come from run number
/// `lane` of the group. By groups of 2^Levels threads, all of a warp.
template <int Levels, class Shape>
__device__ __forceinline__ std::int64_t split_at(const merge_task& task, const typename Shape::key* keys,
                                                 std::int64_t at, const kept_order<Shape>& less)
{
    const int lane = static_cast<int>(threadIdx.x) % (1 << Levels);
    const std::int64_t of_group = task.run << Levels, group = at / of_group * of_group;
    const std::int64_t begin = group + lane * task.run;
    const std::int64_t length = length_of_run(task, begin);
    const typename Shape::key* run = keys + (length > 0 ? begin : 0);
    if (of_group < (std::int64_t{1} << 31))
        return split_runs<1 << Levels, int>(run, static_cast<int>(length), static_cast<int>(at - group), task.slack,
                                            less);
    return split_runs<1 << Levels, std::int64_t>(run, length, at - group, task.slack, less);
}

/// Calls `function<levels>()`.
template <class Function>
__device__ __forceinline__ auto with_levels(int levels, const Function& function)
{
    static_assert(max_merge_levels == 5);
    switch (levels) {
        case 1:
            return function.template operator()<1>();
        case 2:
            return function.template operator()<2>();
        case 3:
            return function.template operator()<3>();
        case 4:
            return function.template operator()<4>();
        default:
            return function.template operator()<5>();
    }
}

/// The elements of the output that a block makes, and the group of runs that they belong to.
struct part_of_group {
    std::int64_t group, begin, end;
    bool is_last;  ///< of its group

    __device__ __forceinline__ part_of_group(const merge_task& task, std::int64_t block)
    {
        // A division of 64-bit numbers takes longer than all else here.
        const auto number = static_cast<unsigned>(block), blocks = static_cast<unsigned>(task.blocks_of_group);
        const std::int64_t of_group = number / blocks, within = number % blocks;
        group = of_group * (task.run << task.levels);
        begin = group + within * task.merged;
        end = begin + task.merged;
        const std::int64_t end_of_group = group + (task.run << task.levels);
        const std::int64_t end_of_runs = end_of_group < task.n ? end_of_group : task.n;
        is_last = end >= end_of_runs;
        end = is_last ? end_of_runs : end;
    }
};

/// The splits at the beginnings of all blocks' parts, 2^levels threads each.
template <class Shape>
__device__ __forceinline__ void find_splits(const merge_task& task, const typename Shape::key* keys,
                                            std::int64_t thread, const typename Shape::compare& compare)
{
    // A block of the next kernel waits for its own splits: most are found long before the last.
    wait_for_grid_ahead();
    let_next_grid_begin();
    const kept_order<Shape> less{compare};
    const std::int64_t at = part_of_group(task, thread >> task.levels).begin;
    const std::int64_t in_range = at < task.n ? at : 0;  // all threads of a warp search
    const std::int64_t split =
        with_levels(task.levels, [&]<int Levels>() { return split_at<Levels, Shape>(task, keys, in_range, less); });
    if (at < task.n) publish_word(task.splits + thread, found_split::word(split, task.pass));
}

/// Finds the splits at the beginning and the end of a block's part, by all its threads, into the notes. It waits for
/// the grid ahead itself, once it knows what to look for.
template <int Levels, class Shape>
__device__ __forceinline__ void find_own_splits(const merge_memory<Shape>& memory, const merge_task& task,
                                                const typename Shape::key* keys, std::int64_t block,
                                                const kept_order<Shape>& less)
{
    const int thread = static_cast<int>(threadIdx.x), run = thread % (1 << Levels);
    const int half = thread / (Shape::threads / 2);
    const part_of_group part(task, block);
    const std::int64_t begin = part.group + run * task.run, length = length_of_run(task, begin);
    const std::int64_t at = half == 0 || part.is_last ? part.begin : part.end;
    auto& notes = memory.notes();
    wait_for_grid_ahead();
    const int split = split_runs_by_block<1 << Levels, Shape::threads>(
        keys + (length > 0 ? begin : 0), static_cast<int>(length), static_cast<int>(at - part.group), task.slack,
        memory.found(), less);
    if (thread % (Shape::threads / 2) < (1 << Levels)) notes.splits[half][run] = split;
}

/// Writes down which parts of which runs a block merges, by all its warps.
template <bool FindsSplits, class Shape>
__device__ __forceinline__ void note_runs(const merge_memory<Shape>& memory, const merge_task& task, std::int64_t block)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int runs = 1 << task.levels, run = lane & (runs - 1);
    auto& notes = memory.notes();
    const part_of_group part(task, block);
    const std::int64_t begin = part.group + run * task.run, length = length_of_run(task, begin);
    std::int64_t from, to;
    if constexpr (!FindsSplits) {
        const std::int64_t* const splits = task.splits + (block << task.levels) + run;
        for (const int next = part.is_last ? 0 : runs;; wait_a_little()) {
            const published_words words(splits, splits + next);
            from = found_split::of(words.first);
            to = part.is_last ? length : found_split::of(words.second);
            if (found_split::is_there(words.first, task.pass) && found_split::is_there(words.second, task.pass)) break;
        }
    } else {
        from = notes.splits[0][run];
        to = part.is_last ? length : notes.splits[1][run];
    }
    constexpr int max_runs = merge_notes::max_runs;
    const int size = static_cast<int>(to - from), of_pair = size + shuffle_xor<max_runs>(size, 1);
    const int padded_size = size + (run % 2 == 0 ? 0 : -of_pair & (Shape::items - 1));
    if (warp == 0) {
        const int end = sum_until<max_runs>(size), padded_end = sum_until<max_runs>(padded_size);
        if (lane < runs) {
            notes.ends[lane + 1] = end;
            notes.padded_ends[lane + 1] = padded_end;
            notes.source[lane] = begin + from - (end - size);
        }
        if (lane == 0) notes.ends[0] = notes.padded_ends[0] = 0;
    }
    constexpr int warps = Shape::threads / 32;
#pragma unroll 1
    for (int level = warp; level <= task.levels + 1; level += warps) {
        if (level > task.levels) {
            const std::int64_t before = sum_until<max_runs>(from);
            if (lane == runs - 1) notes.begin = part.group + before;
            break;
        }
        // Of the runs that are part of a left sequence; a pair is told by its first run.
        const bool is_left = ((run >> level) & 1) == 0;
        const int before = sum_until<max_runs>(is_left ? padded_size : 0) - (is_left ? padded_size : 0);
        const int pair = run >> (level + 1);
        if (lane < runs && lane == pair << (level + 1)) notes.left_before[level][pair] = before;
    }
}

/// Where element number `at` of a block's part, the runs' parts one after the other, comes from and goes to; `at` only
/// rises.
template <class Shape>
struct run_reader {
    const merge_notes& notes;
    int run = -1, end = 0, slot = 0, direction = 0;
    std::int64_t source = 0;

    __device__ __forceinline__ void advance(int at)
    {
        do end = notes.ends[++run + 1];
        while (at >= end);
        const int begin = notes.ends[run], before = notes.left_before[0][run / 2];
        source = notes.source[run];
        direction = run % 2 == 0 ? 1 : -1;
        slot = run % 2 == 0 ? before - begin : Shape::tile - 1 - (notes.padded_ends[run - 1] - before) + begin;
    }
    __device__ __forceinline__ int slot_of(int at) const { return padded<Shape::items>(slot + direction * at); }
};

/// Fills the padding of all pairs with a key that may be behind all others.
template <class Shape>
__device__ __forceinline__ void fill_padding(const merge_memory<Shape>& memory, int levels)
{
    const merge_notes& notes = memory.notes();
    for (int i = static_cast<int>(threadIdx.x); i < Shape::items << (levels - 1); i += Shape::threads) {
        const int run = i / Shape::items * 2 + 1, within = i % Shape::items;
        const int size = notes.ends[run + 1] - notes.ends[run];
        const int padded_size = notes.padded_ends[run + 1] - notes.padded_ends[run];
        if (size + within >= padded_size) continue;
        const int first = Shape::tile - 1 - (notes.padded_ends[run - 1] - notes.left_before[0][run / 2]);
        memory.keys()[padded<Shape::items>(first - size - within)] = last_key<Shape>();
    }
}

/// Copies the parts of the runs to where the first level reads them.
template <class Shape>
__device__ __forceinline__ void read_runs(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in, int count,
                                          int levels)
{
    constexpr bool is_asynchronous = reads_asynchronously<Shape>;
    constexpr int batch = is_asynchronous ? 4 : 8;
    // Each warp copies neighbours, so that it meets few ends of runs.
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int begin = (static_cast<int>(threadIdx.x) - lane) * Shape::items;
    const int end = min(begin + 32 * Shape::items, count);
    run_reader<Shape> reader{memory.notes(), memory.notes().run_of(begin, 1 << levels) - 1};
    int at = begin + lane;
#pragma unroll 1
    while (at < end) {
        reader.advance(at);
        int here = static_cast<int>(static_cast<unsigned>(min(reader.end, end) - at + 31) / 32);
        const std::int64_t from = reader.source + at;
        const int slot = reader.slot_of(at), apart = reader.direction * padded<Shape::items>(32);
        at += here * 32;
        const auto* key = in.keys + from;
        auto* key_to = memory.keys() + slot;
        [[maybe_unused]] const auto* value = Shape::has_values ? in.values + from : nullptr;
        [[maybe_unused]] auto* value_to = memory.values() + slot;
        const auto copy = [&]<int Count>() {
            copy_elements<Count, 32, is_asynchronous>(key_to, apart, key);
            key += Count * 32;
            key_to += Count * apart;
            if constexpr (Shape::has_values) {
                copy_elements<Count, 32, is_asynchronous>(value_to, apart, value);
                value += Count * 32;
                value_to += Count * apart;
            }
            here -= Count;
        };
#pragma unroll 1
        while (here >= batch) copy.template operator()<batch>();
#pragma unroll 1
        while (here > 0) copy.template operator()<1>();
    }
    if constexpr (is_asynchronous) wait_for_copies();
}

/// Merges the elements of the output that are part number `block`. `FindsSplits`: without the task's.
template <bool FindsSplits, class Shape>
__device__ __forceinline__ void merge_part(unsigned char* shared, const merge_task& task, const merge_arrays<Shape>& in,
                                           const merge_arrays<Shape>& out, std::int64_t block,
                                           const typename Shape::compare& compare)
{
    const merge_memory<Shape> memory{shared};
    const kept_order<Shape> less{compare};
    if constexpr (FindsSplits) {
        with_levels(task.levels, [&]<int Levels>() { find_own_splits<Levels>(memory, task, in.keys, block, less); });
        __syncthreads();
    }
    note_runs<FindsSplits>(memory, task, block);
    __syncthreads();
    const int count = memory.notes().ends[1 << task.levels];
    read_runs(memory, in, count, task.levels);
    if constexpr (!Shape::is_stable) fill_padding(memory, task.levels);
    __syncthreads();
    thread_items<Shape> items;
    noted_runs<Shape> runs(memory.notes(), task.levels, static_cast<int>(threadIdx.x) * Shape::items);
#pragma unroll 1
    for (int level = 0; level < task.levels; ++level, runs.next_level()) merge_pairs(memory, items, runs, less);
    let_next_grid_begin();
    write_tile(memory, out, memory.notes().begin, count);
}

}  // namespace launchbox::detail
