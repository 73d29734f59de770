// launchbox: the kernels of a segmented merge sort, and how a call launches them. Internal: include
// segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include <launchbox/algorithms/detail/merge_sort_kernels.cuh>
#include <launchbox/algorithms/detail/segment_few.cuh>
#include <launchbox/algorithms/detail/segment_of_thread.cuh>
#include <launchbox/algorithms/detail/segment_work.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

namespace merge_sort_kernels {

/// Segments of up to a warp's tile are sorted by blocks of one warp, which wait only for themselves; the rows of the
/// largest sizes do everything else.
template <class Key>
inline constexpr int warp_items = sizeof(kept_type<Key>) <= 8    ? 8
                                  : sizeof(kept_type<Key>) <= 16 ? 4
                                                                 : 2;
template <class Key, class Value, bool HasRoom>
inline constexpr merge_sort_row warp_row{
    .threads = 32,
    .items = warp_items<Key>,
    .min_blocks = !HasRoom                                                                                ? 0
                  : sizeof(Key) + sizeof(std::conditional_t<std::is_void_v<Value>, no_value, Value>) <= 9 ? 32
                  : sizeof(Key) <= 8                                                                      ? 16
                                                                                                          : 0,
    .ways = 2};
// Elsewhere an SM has too few slots for blocks, or too little shared memory.
template <class Key, class Value>
using warp_tuning = launch_box<sm<75, warp_row<Key, Value, false>>, sm<80, warp_row<Key, Value, true>>,
                               sm<86, warp_row<Key, Value, false>>, sm<90, warp_row<Key, Value, true>>,
                               sm<110, warp_row<Key, Value, false>>>;

/// One thread for each segment.
template <int MinBlocks>
inline constexpr merge_sort_row see_row{.threads = 128, .items = 2, .min_blocks = MinBlocks, .ways = 2};
// On others that many blocks would not have enough shared memory.
template <class Key>
using see_tuning = launch_box<sm<75, see_row<0>>,
                              sm<90, see_row<sizeof(Key) <= 4   ? 8
                                             : sizeof(Key) <= 8 ? 5
                                                                : 0>>,
                              sm<110, see_row<0>>>;

template <class Key, class Value, class Compare, class Offset>
struct see : body<Key, Value, Compare, see_tuning<Key>> {
    using base = body<Key, Value, Compare, see_tuning<Key>>;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return bytes_for_short_segments<typename base::any_shape>(row.threads);
    }
    static constexpr std::int64_t tile(const typename base::row_type& row) { return row.threads; }
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, typename base::arrays data,
                               Compare compare)
    {
        wait_for_grid_ahead();
        sort_short_list_others<r.threads, typename base::any_shape>(block_memory(), sizes, lists, data, blockIdx.x,
                                                                    compare);
    }
};

inline constexpr merge_sort_row fill_row{.threads = 256, .items = 8, .min_blocks = 0, .ways = 2};

/// Values that are sorted as indices begin as those.
template <class Index>
struct fill_indices {
    using tuning = only<fill_row>;
    using row_type = merge_sort_row;
    static constexpr bool programmatic_dependent_launch = true;
    static constexpr std::int64_t tile(const row_type& row) { return std::int64_t{row.threads} * row.items; }
    template <row_type r>
    static __device__ void run(Index* indices, std::int64_t n)
    {
        wait_for_grid_ahead();
        const std::int64_t first = std::int64_t{blockIdx.x} * (r.threads * r.items) + static_cast<int>(threadIdx.x);
        for (int i = 0; i < r.items; ++i)
            if (first + i * r.threads < n) indices[first + i * r.threads] = static_cast<Index>(first + i * r.threads);
    }
};

template <bool IsSmall, class Key, class Value, class Tuning>
using segment_tuning = typename std::conditional_t<IsSmall, std::type_identity<warp_tuning<Key, Value>>,
                                                   std::type_identity<typename largest_sizes<Tuning>::table>>::type;

/// The fewest bits of a tile of the kernel for small segments, whose row LAUNCHBOX_ROW may have replaced: the kernel
/// for large segments has only larger ones.
template <class Key>
inline constexpr int min_small_bits = [] {
    int fewest = std::numeric_limits<int>::max();
    for (const auto& row : box_in_use<warp_tuning<Key, void>>::rows)
        fewest = std::min(fewest, static_cast<int>(std::bit_width(static_cast<unsigned>(row.threads * row.items))));
    return fewest - 1;
}();

/// The most segments in a tile of one of these two kernels.
template <bool IsSmall, class Key, class Row>
constexpr int max_tile_segments(const Row& row)
{
    const int tile = row.threads * row.items;
    return std::max(1, tile >> (IsSmall ? first_listed_class<Key> : min_small_bits<Key> + 1));
}

/// `IsSmall`: sorts the classes that fit into a small tile; otherwise the other classes, and parts.
template <bool IsSmall, class Key, class Value, class Compare, class Tuning, class Offset>
struct sort_classes : body<Key, Value, Compare, segment_tuning<IsSmall, Key, Value, Tuning>> {
    using base = body<Key, Value, Compare, segment_tuning<IsSmall, Key, Value, Tuning>>;
    using shape_of_arrays = typename base::any_shape;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return tile_shared_bytes<typename base::any_shape>(row.threads, row.items) +
               static_cast<std::int64_t>(sizeof(tile_segment)) * max_tile_segments<IsSmall, Key>(row);
    }
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, segment_arrays<shape_of_arrays> arrays,
                               std::int64_t* splits, Compare compare)
    {
        using shape = typename base::template shape<r>;
        wait_for_grid_ahead();
        if constexpr (IsSmall)
            sort_small_segments<shape>(block_memory(), sizes, lists, {arrays.data.keys, arrays.data.values},
                                       sizes.small_bits, compare);
        else
            sort_large_segments<shape>(
                block_memory(), sizes, lists,
                segment_arrays<shape>{{arrays.data.keys, arrays.data.values}, {arrays.other.keys, arrays.other.values}},
                sizes.small_bits + 1, sizes.tile_bits, splits, lists.state->next_work[1], compare);
    }
};

inline int current_attribute(cudaDeviceAttr which)
{
    int device = 0, value = 0;
    cudaError_t status = cudaGetDevice(&device);
    if (status == cudaSuccess) status = cudaDeviceGetAttribute(&value, which, device);
    if (status != cudaSuccess)
        throw launch_error("segmented_merge_sort: the GPU: " + error_text(status), status, launch_error_kind::runtime);
    return value;
}

/// Few segments have smaller tiles than many, since each segment has its own tile: 256 threads with 16 items take 0.80
/// to 0.93 of the time of 512 with 8, and mostly less than 128 with 32. With three blocks on each SM an H100 sorts 396
/// segments at once.
template <int MinBlocks>
inline constexpr merge_sort_row few_row{.threads = 256, .items = 16, .min_blocks = MinBlocks, .ways = 32};
// On others that many blocks would not have enough shared memory.
using few_tuning =
    launch_box<sm<75, few_row<0>>, sm<80, few_row<3>>, sm<86, few_row<0>>, sm<90, few_row<3>>, sm<110, few_row<0>>>;

/// Not for larger elements: with u64 keys and u64 values it takes up to 1.17 times as long.
template <class Key, class Value>
inline constexpr bool has_few = sizeof(kept_type<Key>) + sizeof(kept_type<Value>) <= 8;
template <class Key>
inline constexpr bool has_few<Key, void> = sizeof(kept_type<Key>) <= 8;

/// Segments of larger keys only if most of them fit into a tile: merging the smaller parts takes 1.03 to 1.18 times as
/// long for u64.
template <class Key, class Row>
constexpr bool are_few(std::int64_t n, std::int64_t segments, const Row& row)
{
    return n <= max_elements_of_few && segments <= max_few_segments &&
           (sizeof(Key) <= 4 || n <= segments * row.threads * row.items);
}

template <class Key, class Value, class Compare, class Offset>
struct sort_few : body<Key, Value, Compare, few_tuning> {
    using base = body<Key, Value, Compare, few_tuning>;
    using shape_of_arrays = typename base::any_shape;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return tile_shared_bytes<typename base::any_shape>(row.threads, row.items) +
               static_cast<std::int64_t>(sizeof(tile_segment)) * few_in_tile;
    }
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, segment_arrays<shape_of_arrays> arrays,
                               Compare compare)
    {
        using shape = typename base::template shape<r>;
        wait_for_grid_ahead();
        sort_few_segments<shape>(
            block_memory(), sizes, lists,
            segment_arrays<shape>{{arrays.data.keys, arrays.data.values}, {arrays.other.keys, arrays.other.values}},
            compare);
    }
};

/// Integers of 16 bits are counted, by one block on each SM that has enough shared memory for all counts.
inline constexpr merge_sort_row count_row{.threads = 1024, .items = 32, .min_blocks = 1, .ways = 32};
using count_tuning = launch_box<sm<75, few_row<0>>, sm<90, count_row>, sm<110, few_row<0>>>;

template <class Key, class Compare, class Offset>
struct count_few : body<Key, void, Compare, count_tuning> {
    using base = body<Key, void, Compare, count_tuning>;
    using shape_of_arrays = typename base::any_shape;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return row.threads == count_row.threads ? sizeof(few_counts<count_row.threads>) : 0;
    }
    /// Whether the current GPU can count: it has the row, and a block gets enough shared memory, which the driver may
    /// have limited.
    static bool is_possible(std::int64_t n)
    {
        // Asks for the row of the table, not of the kernel: a kernel that cannot be launched would be an error.
        const auto row = row_for<count_tuning>(n);
        return row.threads == count_row.threads &&
               dynamic_shared_bytes(row) <= current_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin);
    }
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, segment_arrays<shape_of_arrays> arrays)
    {
        using shape = typename base::template shape<r>;
        if constexpr (r.threads == count_row.threads)
            count_few_segments<shape>(block_memory(), sizes, lists,
                                      segment_arrays<shape>{{arrays.data.keys, nullptr}, {arrays.other.keys, nullptr}});
    }
};

template <class Key, class Value, class Compare, class Offset>
struct merge_few : body<Key, Value, Compare, few_tuning> {
    using base = body<Key, Value, Compare, few_tuning>;
    using shape_of_arrays = typename base::any_shape;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return merge_shared_bytes<typename base::any_shape>(row.threads, row.items);
    }
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, segment_arrays<shape_of_arrays> arrays,
                               Compare compare)
    {
        using shape = typename base::template shape<r>;
        wait_for_grid_ahead();
        merge_few_segments<levels_of_row<r>::value, shape>(
            block_memory(), sizes, lists,
            segment_arrays<shape>{{arrays.data.keys, arrays.data.values}, {arrays.other.keys, arrays.other.values}},
            compare);
    }
};

template <int MaxLevels, class Key, class Compare, class Offset>
struct find_in_segments : body<Key, void, Compare, only<find_row<Key>>> {
    using base = body<Key, void, Compare, only<find_row<Key>>>;
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, Key* data, Key* other, int pass,
                               std::int64_t* splits, Compare compare)
    {
        using shape = typename base::any_shape;
        find_segment_splits<MaxLevels, shape>(
            sizes, lists, segment_arrays<shape>{{data, nullptr}, {other, nullptr}}, pass, splits,
            std::int64_t{blockIdx.x} * r.threads + static_cast<int>(threadIdx.x), compare);
    }
};

template <class Key, class Value, class Compare, class Tuning, class Offset>
struct merge_parts : body<Key, Value, Compare, segment_tuning<false, Key, Value, Tuning>> {
    using base = body<Key, Value, Compare, segment_tuning<false, Key, Value, Tuning>>;
    using shape_of_arrays = typename base::any_shape;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return merge_shared_bytes<typename base::any_shape>(row.threads, row.items);
    }
    template <typename base::row_type r>
    static __device__ void run(segment_sizes sizes, segment_lists<Offset> lists, segment_arrays<shape_of_arrays> arrays,
                               int pass, std::int64_t* splits, Compare compare)
    {
        using shape = typename base::template shape<r>;
        merge_segments<shape>(
            block_memory(), sizes, lists,
            segment_arrays<shape>{{arrays.data.keys, arrays.data.values}, {arrays.other.keys, arrays.other.values}},
            pass, splits, lists.state->next_work[2 + pass], compare);
    }
};

/// Integers without values use the rows for keys whose equal ones may differ: with their larger register limits tiles
/// of segments do not spill, which is up to 1.1 times as fast.
template <class Tuning, class Key, class Value, class Compare>
using tuning_of_segments =
    typename std::conditional_t<std::is_void_v<Tuning> && std::is_void_v<Value> && sizeof(Key) <= 8,
                                std::type_identity<merge_sort_tuning<Key, void, true>>,
                                std::type_identity<tuning_or_default<Tuning, Key, Value, Compare>>>::type;

/// The rows for large segments: those of the largest sorts; for pairs of up to 8 bytes, those of medium sorts, whose
/// smaller tiles are up to 1.25 times as fast.
template <class Key, class Value>
inline constexpr bool is_small_pair = sizeof(Key) + sizeof(Value) <= 8;
template <class Key>
inline constexpr bool is_small_pair<Key, void> = false;
template <class Key, class Value, class Tuning>
using segment_rows =
    typename classes_of<Tuning>::template box<classes_of<Tuning>::count -
                                              (is_small_pair<Key, Value> && classes_of<Tuning>::count > 2 ? 2 : 1)>;

inline std::int64_t multiprocessors()
{
    return current_attribute(cudaDevAttrMultiProcessorCount);
}

/// As many blocks as fit on the GPU; each does several pieces of work.
inline std::int64_t blocks_at_once(int threads)
{
    return multiprocessors() * std::clamp(2048 / threads, 1, 32);
}

inline void check_sizes(std::int64_t n, std::int64_t segments)
{
    const auto refuse = [](const std::string& what) {
        throw launch_error("segmented_merge_sort: " + what, cudaErrorInvalidValue, launch_error_kind::runtime);
    };
    if (n < 0 || n >= std::int64_t{1} << 40) refuse(std::to_string(n) + " elements. Give 0 to 2^40 - 1.");
    if (segments < 0 || segments > std::numeric_limits<std::uint32_t>::max())
        refuse(std::to_string(segments) + " segments. Give 0 to 2^32 - 1.");
}

/// Sorts the segments of arrays whose values, if any, have up to 8 bytes. `Few`: few segments are not listed.
template <bool Few, class Key, class Value, class Compare, class Tuning, class Offset>
struct segmented_sort {
    using small = sort_classes<true, Key, Value, Compare, Tuning, Offset>;
    using large = sort_classes<false, Key, Value, Compare, Tuning, Offset>;
    using merging = merge_parts<Key, Value, Compare, Tuning, Offset>;
    static constexpr int max_levels = largest_sizes<Tuning>::max_levels;
    using finding = find_in_segments<max_levels, Key, Compare, Offset>;
    using arrays = segment_arrays<typename small::base::any_shape>;
    using few = sort_few<Key, Value, Compare, Offset>;
    using merging_few = merge_few<Key, Value, Compare, Offset>;
    using counting = count_few<Key, Compare, Offset>;
    static constexpr bool can_count = Few && std::is_void_v<Value> && can_be_counted<Key, Compare>;

    segment_sizes sizes;
    int small_threads, threads;
    bool counts = false;
    std::size_t state_at = 0, by_class_at = 0, merged_at = 0, owner_at = 0, splits_at = 0, keys_at = 0, values_at = 0;

    segmented_sort(std::int64_t n, std::int64_t segments)
    {
        const auto small_row = row_for<small>(n), row = row_for<large>(n);
        small_threads = small_row.threads;
        threads = row.threads;
        const int levels = std::min(levels_of(row), max_levels);
        sizes = segment_sizes_of(n, segments, small_row.threads * small_row.items, row.threads, row.items, levels,
                                 max_short_segment<Key>);
        if constexpr (Few) {
            const auto few_row = row_for<few>(n);
            if (are_few<Key>(n, segments, few_row)) {
                if constexpr (can_count) counts = are_few_counted(n, segments) && counting::is_possible(n);
                const auto& tile_row = counts ? count_row : few_row;
                sizes = sizes_of_few(n, segments, few_row.threads, few_row.items, levels_of(few_row),
                                     tile_row.threads * tile_row.items);
            }
        }
    }

    void add_to(memory_parts& parts)
    {
        const auto add = [&](std::int64_t count, std::size_t each) {
            return parts.add(static_cast<std::size_t>(count) * each);
        };
        state_at = parts.add(sizeof(segment_state));
        by_class_at = add(sizes.max_listed(), sizeof(unsigned));
        merged_at = add(sizes.max_merged() * sizes.max_passes, sizeof(merged_segment));
        owner_at = add(sizes.max_parts(), sizeof(unsigned));
        splits_at = add(sizes.is_few ? 0 : sizes.max_parts() << sizes.max_levels, sizeof(std::int64_t));
        const std::int64_t n = sizes.max_merged() == 0 ? 0 : sizes.n;
        keys_at = add(n, sizeof(Key));
        if constexpr (!std::is_void_v<Value>) values_at = add(n, sizeof(Value));
    }

    void run(cudaStream_t stream, const device_memory& memory,
             const merge_arrays<typename small::base::any_shape>& data, const Offset* begins, const Offset* ends,
             const Compare& compare) const
    {
        const segment_lists<Offset> lists{begins,
                                          ends,
                                          memory.at<segment_state>(state_at),
                                          memory.at<unsigned>(by_class_at),
                                          memory.at<merged_segment>(merged_at),
                                          memory.at<unsigned>(owner_at)};
        arrays both{data, {memory.at<Key>(keys_at), nullptr}};
        if constexpr (!std::is_void_v<Value>) both.other.values = memory.at<Value>(values_at);
        std::int64_t* const splits = memory.at<std::int64_t>(splits_at);
        if constexpr (Few)
            if (sizes.is_few) {
                const std::int64_t sms = multiprocessors(), merging = std::min(sizes.max_parts(), 4 * sms);
                if (counts) {
                    if constexpr (can_count) {
                        const std::int64_t all = std::min(sizes.segments + sizes.max_parts(), sms);
                        launch<counting>(stream, blocks{launch_extent(all), all}, sizes, lists, both);
                    }
                } else {
                    const std::int64_t all = std::max(sizes.segments, merging);
                    launch<few>(stream, blocks{launch_extent(all), all}, sizes, lists, both, compare);
                }
                if (sizes.max_passes > 0)
                    launch<merging_few>(stream, blocks{launch_extent(merging), merging}, sizes, lists, both, compare);
                return;
            }
        if (const cudaError_t status = cudaMemsetAsync(lists.state, 0, sizeof(segment_state), stream);
            status != cudaSuccess)
            throw launch_error("segmented_merge_sort: " + error_text(status), status, launch_error_kind::runtime);

        launch<see<Key, Value, Compare, Offset>>(stream, sizes.segments, sizes, lists, data, compare);
        if (sizes.n > sizes.max_short)
            launch<small>(stream,
                          grid(sizes.max_tiles(sizes.first_class(), sizes.small_bits, sizes.small_bits), small_threads),
                          sizes, lists, both, splits, compare);
        if (sizes.n > std::int64_t{1} << sizes.small_bits)
            launch<large>(
                stream,
                grid(sizes.max_tiles(sizes.small_bits + 1, sizes.tile_bits, sizes.tile_bits) + sizes.max_parts(),
                     threads),
                sizes, lists, both, splits, compare);
        merge(stream, lists, both, splits, compare);
    }

private:
    static blocks grid(std::int64_t work, int threads_of_block)
    {
        return {launch_extent(std::min(work, blocks_at_once(threads_of_block))), work};
    }

    void merge(cudaStream_t stream, const segment_lists<Offset>& lists, const arrays& both, std::int64_t* splits,
               const Compare& compare) const
    {
        const std::int64_t parts = sizes.max_parts();
        for (int pass = 0; pass < sizes.max_passes; ++pass) {
            const std::int64_t of_block = row_for<finding>(sizes.n).threads,
                               found = parts << levels_of_search(max_levels);
            launch<finding>(stream, blocks{launch_extent(divided_up(found, of_block)), found}, sizes, lists,
                            both.data.keys, both.other.keys, pass, splits, compare);
            launch<merging>(stream, grid(parts, threads), sizes, lists, both, pass, splits, compare);
        }
    }
};

/// Not with rows given by the user or by LAUNCHBOX_ROW.
template <class Key, class Value, class Tuning>
inline constexpr bool sorts_few =
#ifdef LAUNCHBOX_ROW
    false;
#else
    std::is_void_v<Tuning> && has_few<Key, Value>;
#endif

/// `Index`: the type as which values of more than 8 bytes are sorted; void if there are none, or smaller ones.
template <class Index, class Tuning, class Key, class Value, class Offset, class Compare>
void sort_segments_as(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, const Offset* begins,
                      const Offset* ends, std::int64_t segments, const Compare& compare, workspace given)
{
    using kept =
        typename std::conditional_t<std::is_void_v<Index>, std::type_identity<Value>, std::type_identity<Index>>::type;
    // A row for indices of 4 bytes may not fit indices of 8 bytes.
    using table =
        tuning_of_segments<std::conditional_t<std::is_same_v<Index, std::uint64_t>, void, Tuning>, Key, kept, Compare>;
    segmented_sort<sorts_few<Key, kept, Tuning>, Key, kept, Compare, segment_rows<Key, kept, table>, Offset> sorting(
        n, segments);
    memory_parts parts;
    sorting.add_to(parts);
    std::size_t order_at = 0, copy_at = 0, copy_bytes = 0;
    if constexpr (!std::is_void_v<Index>) {
        copy_bytes = static_cast<std::size_t>(n) * sizeof(Value);
        order_at = parts.add(static_cast<std::size_t>(n) * sizeof(Index));
        copy_at = parts.add(copy_bytes);
    }
    if (given.needed) {
        *given.needed = parts.bytes();
        return;
    }
    const device_memory memory(stream, given, parts.bytes(), "segmented_merge_sort");
    if constexpr (std::is_void_v<Index>) {
        typename decltype(sorting)::arrays arrays{{keys, nullptr}, {nullptr, nullptr}};
        if constexpr (!std::is_void_v<Value>) arrays.data.values = values;
        sorting.run(stream, memory, arrays.data, begins, ends, compare);
    } else {
        Index* const order = memory.at<Index>(order_at);
        copy_elements(stream, memory.at<Value>(copy_at), values, copy_bytes);
        launch<fill_indices<Index>>(stream, n, order, n);
        sorting.run(stream, memory, {keys, order}, begins, ends, compare);
        launch<permute<Value, Index, typename largest_sizes<table>::table>>(
            stream, n, static_cast<const Value*>(memory.at<Value>(copy_at)), static_cast<const Index*>(order), values,
            n);
    }
}

template <class Tuning, class Key, class Value, class Offset, class Compare>
void sort_any_segments(cudaStream_t stream, Key* keys, Value* values, std::int64_t n, const Offset* begins,
                       const Offset* ends, std::int64_t segments, const Compare& compare, workspace space)
{
    static_assert(std::is_trivially_copyable_v<Key> && (std::is_void_v<Value> || std::is_trivially_copyable_v<Value>),
                  "segmented_merge_sort: keys and values are trivially copyable");
    static_assert(std::is_integral_v<Offset>, "segmented_merge_sort: offsets are integers");
    check_sizes(n, segments);
    if (space.needed) *space.needed = 0;
    if (n < 2 || segments == 0) return;
    const auto sort = [&]<class Index>(std::type_identity<Index>) {
        sort_segments_as<Index, Tuning>(stream, keys, values, n, begins, ends, segments, compare, space);
    };
    if constexpr (std::is_void_v<Value>)
        sort(std::type_identity<void>{});
    else if constexpr (sizeof(Value) <= max_carried_bytes)
        sort(std::type_identity<void>{});
    else if (n <= std::numeric_limits<std::uint32_t>::max())
        sort(std::type_identity<std::uint32_t>{});
    else
        sort(std::type_identity<std::uint64_t>{});
}

}  // namespace merge_sort_kernels

}  // namespace launchbox
#pragma GCC visibility pop
