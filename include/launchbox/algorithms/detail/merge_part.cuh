// launchbox: a block of a merge pass makes its part of the output. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_copy.cuh>
#include <launchbox/algorithms/detail/merge_pairs.cuh>
#include <launchbox/algorithms/detail/merge_task.cuh>
#include <launchbox/algorithms/detail/merge_words.cuh>

namespace launchbox::detail {

/// Where the splits of a part come from. One kernel for both sources compiles faster, but needs more registers.
enum class split_source { own_search, task, either };

template <split_source From>
__device__ __forceinline__ bool reads_splits(const merge_task& task)
{
    return From == split_source::task || (From == split_source::either && task.splits != nullptr);
}

/// Finds where the block's part of the output begins and ends in each run, and writes that to the bounds. Called by all
/// its threads.
template <int MaxLevels, class Shape, class Less>
__device__ __forceinline__ void find_own_splits(const merge_memory<Shape>& memory, const merge_task& task,
                                                const part_of_group& part, const typename Shape::key* keys,
                                                const Less& less)
{
    const int levels = levels_of_search(task.levels);
    const int thread = static_cast<int>(threadIdx.x), run = thread & ((1 << levels) - 1);
    const int half = thread / (Shape::threads / 2);
    const std::int64_t begin = part.group + run * task.run;
    const std::int64_t length = run >> task.levels == 0 ? length_of_run(task, begin) : 0;
    const std::int64_t at = half == 0 || part.is_last ? part.begin : part.end;
    auto& bounds = memory.bounds();
    const int split = split_runs_by_block<levels_of_search(MaxLevels), Shape::threads>(
        levels, keys + (length > 0 ? begin : 0), static_cast<int>(length), static_cast<int>(at - part.group),
        task.slack, memory.found(), less);
    if (thread % (Shape::threads / 2) >> levels == 0) bounds.splits[half][run] = split;
}

/// Writes the bounds of the runs' parts that a block merges. Called by all its warps.
template <split_source From, class Shape>
__device__ __forceinline__ void write_run_bounds(const merge_memory<Shape>& memory, const merge_task& task,
                                                 const part_of_group& part, std::int64_t block)
{
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32;
    const int runs = 1 << task.levels, run = lane & (runs - 1);
    constexpr int max_runs = run_bounds::max_runs;
    auto& bounds = memory.bounds();
    const std::int64_t begin = part.group + run * task.run, length = length_of_run(task, begin);
    std::int64_t from, to;
    if (reads_splits<From>(task)) {
        const std::int64_t* const splits = task.splits + (block << task.levels) + run;
        for (const int next = part.is_last ? 0 : runs;; wait_a_little()) {
            const published_words words(splits, splits + next);
            from = found_split::of(words.first);
            to = part.is_last ? length : found_split::of(words.second);
            if (found_split::is_there(words.first, task.pass) && found_split::is_there(words.second, task.pass)) break;
        }
    } else {
        from = bounds.splits[0][run];
        to = part.is_last ? length : bounds.splits[1][run];
    }
    const int size = static_cast<int>(to - from), of_pair = size + shuffle_xor<32>(size, 1);
    const int padded_size = size + (run % 2 == 0 ? 0 : -of_pair & (Shape::items - 1));
    constexpr int warps = Shape::threads / 32;
    // Prefix sums over the runs, one for each turn of a warp: of sizes, of padded sizes, then for each level of the
    // padded sizes of left runs, which the thread of a pair's first run stores for the pair.
#pragma unroll 1
    for (int sum = warp; sum < task.levels + 3; sum += warps) {
        const int level = sum - 2;
        const bool counts = level < 0 || ((run >> level) & 1) == 0;
        const int own = !counts ? 0 : level == -2 ? size : padded_size, until = sum_until<max_runs>(own, runs);
        int* const ends = level == -2 ? bounds.ends : bounds.padded_ends;
        if (level < 0) {
            if (lane < runs) ends[lane + 1] = until;
            if (lane == 0) ends[0] = 0;
            if (level == -2 && lane < runs) bounds.source[lane] = begin + from - (until - size);
        } else {
            const int pair = run >> (level + 1);
            if (lane < runs && lane == pair << (level + 1)) bounds.left_before[level][pair] = until - own;
        }
    }
    if (warp == warps - 1) {
        // With fewer than 32 runs, each is counted 2^(5 - levels) times.
        const std::int64_t before = sum_of_group<32>(from, 32) >> (5 - task.levels);
        if (lane == 0) bounds.begin = part.group + before;
    }
}

/// Maps element `at` of a block, counted over its runs' parts one after the other, to its places in global and in
/// shared memory. `at` must not decrease from call to call.
template <class Shape>
struct run_reader {
    const run_bounds& bounds;
    int run = -1, end = 0, slot = 0, direction = 0;
    std::int64_t source = 0;

    __device__ __forceinline__ void advance(int at)
    {
        do end = bounds.ends[++run + 1];
        while (at >= end);
        const int begin = bounds.ends[run], before = bounds.left_before[0][run / 2];
        source = bounds.source[run];
        direction = run % 2 == 0 ? 1 : -1;
        slot = run % 2 == 0 ? before - begin : Shape::tile - 1 - (bounds.padded_ends[run - 1] - before) + begin;
    }
    __device__ __forceinline__ int slot_of(int at) const { return padded<Shape::items>(slot + direction * at); }
};

/// Fills the padding of all pairs with the largest key.
template <class Shape>
__device__ __forceinline__ void fill_padding(const merge_memory<Shape>& memory, int levels)
{
    const run_bounds& bounds = memory.bounds();
#pragma unroll 1
    for (int i = static_cast<int>(threadIdx.x); i < Shape::items << (levels - 1); i += Shape::threads) {
        const int run = i / Shape::items * 2 + 1, within = i % Shape::items;
        const int size = bounds.ends[run + 1] - bounds.ends[run];
        const int padded_size = bounds.padded_ends[run + 1] - bounds.padded_ends[run];
        if (size + within >= padded_size) continue;
        const int first = Shape::tile - 1 - (bounds.padded_ends[run - 1] - bounds.left_before[0][run / 2]);
        memory.keys()[padded<Shape::items>(first - size - within)] = last_key<Shape>();
    }
}

/// Calls `visit(reader, at, here)` for all elements of the block: the thread's next `here` elements, `at` and each 32nd
/// after it, belong to one run. Each warp has consecutive elements, so that it crosses few ends of runs.
template <class Shape, class Visit>
__device__ __forceinline__ void for_each_stretch(const run_bounds& bounds, int count, int levels, const Visit& visit)
{
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int begin = (static_cast<int>(threadIdx.x) - lane) * Shape::items;
    const int end = min(begin + 32 * Shape::items, count);
    run_reader<Shape> reader{bounds, bounds.run_of(begin, 1 << levels) - 1};
    int at = begin + lane;
#pragma unroll 1
    while (at < end) {
        reader.advance(at);
        const int here = static_cast<int>(static_cast<unsigned>(min(reader.end, end) - at + 31) / 32);
        visit(reader, at, here);
        at += here * 32;
    }
}

/// Copies the parts of the runs to where the first level reads them, eight elements at a time. A loop for the last ones
/// would take longer than it saves if runs are short.
template <class Shape>
__device__ __forceinline__ void read_runs(const merge_memory<Shape>& memory, const merge_arrays<Shape>& in, int count,
                                          int levels)
{
    for_each_stretch<Shape>(memory.bounds(), count, levels, [&](const run_reader<Shape>& reader, int at, int here) {
        const std::int64_t from = reader.source + at;
        const int slot = reader.slot_of(at), apart = reader.direction * padded<Shape::items>(32);
        const auto* key = in.keys + from;
        auto* key_to = memory.keys() + slot;
        [[maybe_unused]] const auto* value = Shape::has_values ? in.values + from : nullptr;
        [[maybe_unused]] auto* value_to = memory.values() + slot;
#pragma unroll 1
        for (; here > 0; here -= 8) {
            copy_elements<8, 32>(key_to, apart, key, here);
            key += 8 * 32;
            key_to += 8 * apart;
            if constexpr (Shape::values_are_places) {
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    if (i < here) value_to[i * apart] = static_cast<unsigned>(at + i * 32);
                at += 8 * 32;
                value_to += 8 * apart;
            } else if constexpr (Shape::has_values) {
                copy_elements<8, 32>(value_to, apart, value, here);
                value += 8 * 32;
                value_to += 8 * apart;
            }
        }
    });
    wait_for_copies();
}

/// Copies the parts of the runs, one after the other, and waits until they are complete.
template <class Shape, class To, class From>
__device__ __forceinline__ void copy_runs(const run_bounds& bounds, To* to, const From* from, int count, int levels)
{
    for_each_stretch<Shape>(bounds, count, levels, [&](const run_reader<Shape>& reader, int at, int here) {
        const From* element = from + reader.source + at;
        To* place = to + at;
#pragma unroll 1
        for (; here > 0; here -= 8, element += 8 * 32, place += 8 * 32) copy_elements<8, 32>(place, 32, element, here);
    });
    wait_for_copies();
    __syncthreads();
}

/// Merges the parts of the runs in shared memory.
template <class Shape>
__device__ __forceinline__ void merge_levels(const merge_memory<Shape>& memory, int levels,
                                             const kept_order<Shape>& less)
{
    thread_items<Shape> items;
    uneven_runs<Shape> runs(memory.bounds(), levels, static_cast<int>(threadIdx.x) * Shape::items);
#pragma unroll 1
    for (int level = 0; level < levels; ++level, runs.next_level()) merge_pairs(memory, items, runs, less);
}

/// The rest of merge_part for a sort by words, once the bounds are known.
template <class Shape>
__device__ __forceinline__ void merge_words(unsigned char* shared, const merge_arrays<Shape>& in,
                                            const merge_arrays<Shape>& out, int levels,
                                            const typename Shape::compare& compare)
{
    using words = shape_of_words<Shape::threads, Shape::items>;
    using number = key_number<Shape>;
    const word_memory<Shape> memory{shared};
    const merge_memory<words> of_words{shared};
    const run_bounds& bounds = of_words.bounds();
    const int count = bounds.ends[1 << levels];
    copy_runs<Shape>(bounds, memory.keys(), in.keys, count, levels);
    // The first and the last elements of the sorted runs.
    const int run = static_cast<int>(threadIdx.x) % 32 & ((1 << levels) - 1);
    const int run_begin = bounds.ends[run], run_end = bounds.ends[run + 1];
    const bool is_there = run_begin < run_end;
    const typename number::type none = 0;
    const word_scale<Shape> scale(is_there ? number::of(memory.keys()[run_begin]) : ~none,
                                  is_there ? number::of(memory.keys()[run_end - 1]) : none);
    bool by_words = scale.tells_neighbours_apart(memory.keys(), count);
    if (by_words) {
        for_each_stretch<words>(bounds, count, levels, [&](const run_reader<words>& reader, int at, int here) {
            const int apart = reader.direction * padded<Shape::items>(32);
            unsigned* word = of_words.keys() + reader.slot_of(at);
            const auto* key = memory.keys() + at;
#pragma unroll 1
            for (; here > 0; here -= 8, at += 8 * 32, key += 8 * 32, word += 8 * apart) {
                raw_array<typename Shape::kept_key, 8> keys;  // first, so that all loads are in flight at once
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    if (i < here) keys[i] = key[i * 32];
#pragma unroll
                for (int i = 0; i < 8; ++i)
                    if (i < here) word[i * apart] = scale.word_of(keys[i], at + i * 32);
            }
        });
        fill_padding(of_words, levels);
        __syncthreads();
        merge_levels(of_words, levels, kept_order<words>{});
        if (scale.shift > 0) by_words = put_in_order(memory, count);
    }
    if (!by_words) {
        using placed = placed_shape<Shape>;
        const merge_memory<placed> by_one{shared};
        __syncthreads();
        read_runs(by_one, {in.keys, nullptr}, count, levels);
        __syncthreads();
        merge_levels(by_one, levels, kept_order<placed>{compare});
    }
    let_next_grid_begin();
    write_by_place(memory, out, bounds.begin, count, by_words, [&](const auto& write) {
        __syncthreads();
        copy_runs<Shape>(bounds, memory.values(), in.values, count, levels);
        write([&](int place) { return memory.values()[place]; });
    });
}

/// This thread's lane, read so that the compiler does not relate it to threadIdx. If a rare branch used threadIdx, the
/// compiler would keep it in a register in all code that follows, which costs a tenth of the time.
__device__ __forceinline__ int place_in_warp()
{
#ifdef __CUDA_ARCH__
    int lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
    return lane;
#else
    return static_cast<int>(threadIdx.x) % 32;
#endif
}

/// Whether the tiles, each of which has this order, have it together. Each warp checks all borders.
template <class Shape>
__device__ __forceinline__ possible_order order_at_all_borders(const merge_task& task, const typename Shape::key* keys,
                                                               possible_order order,
                                                               const typename Shape::compare& compare)
{
    const auto less = order_of_search<Shape>(compare);
    const int lane = place_in_warp();
#pragma unroll 1
    for (std::int64_t first = 1; first * task.tile < task.n && order.any(); first += 32) {
        possible_order found = order;
        if ((first + lane) * task.tile < task.n)
            found = order_at_border(keys, first + lane, task.tile, task.n, order, less);
        order.rises = __all_sync(~0u, found.rises) != 0;
        order.falls = __all_sync(~0u, found.falls) != 0;
    }
    return order;
}

/// If everything is in order, or was in the opposite order, does the block's part of what the pass does then, and
/// returns true. Called by all threads, if the tiles may be in order.
template <split_source From, class Shape>
__device__ __forceinline__ bool is_in_order(const merge_task& task, const merge_arrays<Shape>& in,
                                            const merge_arrays<Shape>& out, const part_of_group& part,
                                            std::int64_t block, const typename Shape::compare& compare)
{
    possible_order order;
    if (!reads_splits<From>(task) && task.pass == 1) {
        order = order_at_all_borders<Shape>(task, in.keys, final_order_of_tiles(task.findings), compare);
        // All its threads write: with a condition that selects one, the compiler uses more registers.
        if (block == 0) rule_out_orders(task.findings.words->borders, order, task.findings.number);
    } else {
        if (reads_splits<From>(task)) wait_for_grid_ahead();
        order = order_of_all(task.findings);
    }
    if (!order.any()) return false;
    let_next_grid_begin();
    move_sorted<Shape>(order.rises ? task.if_rising : task.if_falling, in, out, part.begin, part.end, task.tile, task.n,
                       task.is_last);
    return true;
}

/// Makes all zeros of a block 0.0. Returns, to all threads, whether one was -0.0. Called after a barrier; ends with
/// one.
template <class Shape>
__device__ __forceinline__ bool make_zeros_positive(const merge_memory<Shape>& memory)
{
    using words = typename Shape::words;
    bool has_one = false;
#pragma unroll 4
    for (int i = static_cast<int>(threadIdx.x); i < Shape::tile + Shape::threads; i += Shape::threads) {
        if (memory.keys()[i] != words::negative_zero) continue;
        memory.keys()[i] = words::zero;
        has_one = true;
    }
    return __syncthreads_or(has_one) != 0;
}

/// Copies the zeros of the block's runs, one run after the other, over the zeros of its result. Called by all threads,
/// after a barrier that follows the writes of the result.
template <class Shape>
__device__ __forceinline__ void restore_zeros(const run_bounds& bounds, const merge_arrays<Shape>& in,
                                              const merge_arrays<Shape>& out, int levels, bool is_last)
{
    using words = typename Shape::words;
    const int runs = 1 << levels, run = static_cast<int>(threadIdx.x) % 32 & (runs - 1);
    const auto word_at = [&](int i) { return words::without_sign_of_zero(in.keys[bounds.source[run] + i]); };
    const int end = bounds.ends[run + 1];
    const int begin = first_not_before(bounds.ends[run], end, [&](int i) { return word_at(i) < words::zero; });
    const int count = first_not_before(begin, end, [&](int i) { return word_at(i) == words::zero; }) - begin;
    constexpr int max_runs = run_bounds::max_runs;
    const int before_zeros = sum_until<max_runs>(begin - bounds.ends[run], runs),
              until = sum_until<max_runs>(count, runs);
    const std::int64_t to = bounds.begin + shuffle_from(before_zeros, runs - 1);
#pragma unroll 1
    for (int each = 0; each < max_runs; ++each) {
        const int from = shuffle_from(begin, each), zeros = shuffle_from(count, each),
                  behind = shuffle_from(until, each);
        if (each >= runs) continue;
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x); i < zeros; i += Shape::threads)
            out.keys[to + behind - zeros + i] = stored<Shape>(in.keys[bounds.source[each] + from + i], is_last);
    }
}

/// Makes part `block` of the output of a pass of up to `MaxLevels` levels.
template <split_source From, int MaxLevels, class Shape>
__device__ __forceinline__ void merge_part(unsigned char* shared, const merge_task& task, const merge_arrays<Shape>& in,
                                           const merge_arrays<Shape>& out, std::int64_t block,
                                           const typename Shape::compare& compare)
{
    constexpr bool by_words = sorts_by_words<Shape>(Shape::threads, Shape::items);
    using shape = std::conditional_t<by_words, placed_shape<Shape>, Shape>;
    const merge_memory<shape> memory{shared};
    const part_of_group part(task, block);
    // Before the wait: if tiles are not in order, that is usually known by now, and does not change.
    const possible_order order = order_of_tiles(task.findings);
    if (!reads_splits<From>(task)) wait_for_grid_ahead();
    if (order.any() && is_in_order<From, Shape>(task, in, out, part, block, compare)) {
        // A return that depends on data makes all code that follows up to 3 % slower: nvcc no longer assumes that the
        // threads of a warp are converged.
#ifdef __CUDA_ARCH__
        asm volatile("exit;");
#else
        return;
#endif
    }
    if constexpr (From != split_source::task) {
        if (!reads_splits<From>(task)) {
            find_own_splits<MaxLevels>(memory, task, part, in.keys, order_of_search<shape>(compare));
            __syncthreads();
        }
    }
    write_run_bounds<From>(memory, task, part, block);
    __syncthreads();
    if constexpr (by_words) {
        merge_words<Shape>(shared, in, out, task.levels, compare);
    } else {
        bool has_negative_zero = false;
        if constexpr (Shape::sorts_floats)
            has_negative_zero =
                task.findings.words != nullptr && task.findings.words->negative_zero == task.findings.number;
        const int count = memory.bounds().ends[1 << task.levels];
        read_runs(memory, in, count, task.levels);
        if constexpr (!Shape::is_stable) fill_padding(memory, task.levels);
        __syncthreads();
        if constexpr (Shape::sorts_floats)
            if (has_negative_zero) has_negative_zero = forgotten(make_zeros_positive(memory));
        merge_levels(memory, task.levels, kept_order<shape>{compare});
        let_next_grid_begin();
        write_tile(memory, out, memory.bounds().begin, count, task.is_last);
        if constexpr (Shape::sorts_floats) {
            if (has_negative_zero) {
                __syncthreads();
                restore_zeros<Shape>(memory.bounds(), in, out, task.levels, task.is_last);
            }
        }
    }
}

}  // namespace launchbox::detail
