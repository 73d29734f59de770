// launchbox: the kernels of a merge sort, and how a call launches them. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <launchbox/algorithms/detail/device_memory.cuh>
#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_cluster.cuh>
#include <launchbox/algorithms/detail/merge_part.cuh>
#include <launchbox/algorithms/detail/merge_plan.hpp>
#include <launchbox/algorithms/detail/merge_sort_tile.cuh>
#include <launchbox/algorithms/detail/wide_access.cuh>
#include <launchbox/algorithms/order.cuh>
#include <launchbox/algorithms/workspace.hpp>
#include <launchbox/launch_box.cuh>
#include <launchbox/tunings/merge_sort.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

namespace merge_sort_kernels {

using namespace detail;

inline __device__ unsigned char* block_memory()
{
    extern __shared__ __align__(16) unsigned char launchbox_shared[];
    return launchbox_shared;
}

// Rows that by_type scales have odd numbers of items.
template <class Row>
constexpr int items_of(const Row& row)
{
    return static_cast<int>(std::bit_floor(static_cast<unsigned>(std::max(row.items, 2))));
}

template <class Row>
constexpr int levels_of(const Row& row)
{
    return std::bit_width(static_cast<unsigned>(std::clamp(row.ways, 2, 1 << max_merge_levels))) - 1;
}

template <auto Row>
inline constexpr int levels_of_row = levels_of(Row);  // for device code

/// The rows of the largest sizes. Smaller sorts are of so few tiles that their blocks find their own splits, so that
/// the kernels for the other way are there once.
template <class Tuning>
struct largest_sizes {
    using classes = classes_of<Tuning>;
    using table = typename classes::template box<classes::count - 1>;
    static constexpr std::int64_t above = classes::count > 1 ? classes::max_elements(classes::count - 2) : 0;
    static_assert(classes::count == 1 || above < std::int64_t{1} << 31,
                  "merge_sort: the sizes of upto<...> are less than 2^31");
    static constexpr int max_levels = [] {
        int most = 1;
        for (const auto& row : box_in_use<table>::rows) most = std::max(most, levels_of(row));
        return most;
    }();
};

template <class Key, class Value, class Compare, class Tuning>
struct body {
    using tuning = Tuning;
    using row_type = typename Tuning::row_type;
    using any_shape = merge_shape<Key, Value, Compare, 64, 2>;
    using arrays = merge_arrays<any_shape>;
    template <row_type r>
    using shape = merge_shape<Key, Value, Compare, r.threads, items_of(r)>;
    static constexpr std::int64_t tile(const row_type& row) { return std::int64_t{row.threads} * items_of(row); }
    static constexpr bool programmatic_dependent_launch = true;  // each run waits for the grid ahead
};

template <class Key, class Value, class Compare, class Tuning>
struct sort_tiles : body<Key, Value, Compare, Tuning> {
    using base = body<Key, Value, Compare, Tuning>;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return merge_shared_bytes<typename base::any_shape>(row.threads, items_of(row));
    }
    template <typename base::row_type r>
    static __device__ void run(typename base::arrays in, typename base::arrays out, std::int64_t n,
                               std::int64_t* splits, std::int64_t splits_count, Compare compare)
    {
        using shape = typename base::template shape<r>;
        wait_for_grid_ahead();
        // Clear the splits: the memory may hold words of an earlier sort.
#pragma unroll 1
        for (std::int64_t i = std::int64_t{blockIdx.x} * r.threads + static_cast<int>(threadIdx.x); i < splits_count;
             i += std::int64_t{gridDim.x} * r.threads)
            splits[i] = 0;
        sort_tile<shape>(block_memory(), {in.keys, in.values}, {out.keys, out.values}, n, blockIdx.x, compare);
    }
};

/// Rows of sorts by a cluster, of up to `ways` blocks; 1: this code has no clusters. Sorts of integers alone merge so
/// fast that larger tiles are better, and several launches than more than four blocks. Keys of more than 8 bytes take
/// longer to search than to merge. There is room: all of this is less than the 99 KB of shared memory that every GPU
/// with clusters has.
template <class Key, class Value, class Compare>
inline constexpr bool is_stable_sort = merge_shape<Key, Value, Compare, 64, 2>::is_stable;
inline constexpr int cluster_threads = 256;
template <class Key, class Value, class Compare>
inline constexpr int cluster_items = is_stable_sort<Key, Value, Compare> ? 4 : 8;
template <class Key, class Value, class Compare>
inline constexpr int cluster_ways = sizeof(Key) > 8                       ? 3
                                    : is_stable_sort<Key, Value, Compare> ? 8
                                                                          : 4;
template <class Key, class Value, class Compare, int Ways>
inline constexpr merge_sort_row cluster_row{
    .threads = cluster_threads, .items = cluster_items<Key, Value, Compare>, .min_blocks = 1, .ways = Ways};
template <class Key, class Value, class Compare>
using cluster_tuning = launch_box<sm<75, cluster_row<Key, Value, Compare, 1>>,
                                  sm<90, cluster_row<Key, Value, Compare, cluster_ways<Key, Value, Compare>>>>;

template <class Key, class Value, class Compare>
struct sort_small : body<Key, Value, Compare, cluster_tuning<Key, Value, Compare>> {
    using base = body<Key, Value, Compare, cluster_tuning<Key, Value, Compare>>;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return cluster_shared_bytes<typename base::any_shape>(row.threads, items_of(row), row.ways);
    }
    template <typename base::row_type r>
    static __device__ void run(typename base::arrays in, typename base::arrays out, int n, Compare compare)
    {
        using shape = typename base::template shape<r>;
        wait_for_grid_ahead();
        if constexpr (r.ways > 1)
            sort_by_cluster<shape>(block_memory(), {in.keys, in.values}, {out.keys, out.values}, n, compare);
    }
};

/// Whether there is a kernel that sorts by a cluster: rows that were given are used instead, and of keys of more than
/// 16 bytes there is no room for so many.
template <class Key, class Value, class Tuning>
inline constexpr bool sorts_by_cluster =
#ifdef LAUNCHBOX_ROW
    false;
#else
    std::is_void_v<Tuning> && sizeof(Key) <= 16;
#endif

/// Its threads have nothing to do with the rows of the passes: registers for enough warps that their reads overlap.
template <class Key>
inline constexpr merge_sort_row find_row{.threads = 256, .items = 2, .min_blocks = sizeof(Key) <= 8 ? 4 : 2, .ways = 2};

template <int MaxLevels, class Key, class Compare>
struct find : body<Key, void, Compare, only<find_row<Key>>> {
    using base = body<Key, void, Compare, only<find_row<Key>>>;
    template <typename base::row_type r>
    static __device__ void run(merge_task task, const Key* keys, Compare compare)
    {
        find_splits<MaxLevels, typename base::any_shape>(
            task, keys, std::int64_t{blockIdx.x} * r.threads + static_cast<int>(threadIdx.x), compare);
    }
};

/// Sorts of the largest sizes alone read their splits: smaller ones are of so few tiles that their blocks find them.
template <bool FindsSplits, class Tuning>
using merge_tuning = typename std::conditional_t<FindsSplits, std::type_identity<Tuning>,
                                                 std::type_identity<typename largest_sizes<Tuning>::table>>::type;

template <bool FindsSplits, class Key, class Value, class Compare, class Tuning>
struct merge_runs : sort_tiles<Key, Value, Compare, merge_tuning<FindsSplits, Tuning>> {
    using base = body<Key, Value, Compare, merge_tuning<FindsSplits, Tuning>>;
    template <typename base::row_type r>
    static __device__ void run(merge_task task, typename base::arrays in, typename base::arrays out, Compare compare)
    {
        using shape = typename base::template shape<r>;
        merge_part<FindsSplits ? levels_of_row<r> : 0, shape>(block_memory(), task, {in.keys, in.values},
                                                              {out.keys, out.values}, blockIdx.x, compare);
    }
};

template <class Value, class Index, class Tuning>
struct permute {
    using tuning = Tuning;
    using row_type = typename Tuning::row_type;
    static constexpr bool programmatic_dependent_launch = true;
    template <row_type r>
    static __device__ void run(const Value* in, const Index* order, Value* out, std::int64_t n)
    {
        wait_for_grid_ahead();
        const std::int64_t first = std::int64_t{blockIdx.x} * (r.threads * r.items) + static_cast<int>(threadIdx.x);
        // Values in flight at once.
        constexpr int batch = sizeof(Value) > 64 ? 1 : sizeof(Value) > 16 ? 2 : 8;
        const bool is_in_wide = is_wide(in), is_out_wide = is_wide(out);
#pragma unroll 1
        for (int done = 0; done < r.items; done += batch) {
            std::int64_t places[batch];
            raw_array<Value, batch> values;
#pragma unroll
            for (int i = 0; i < batch; ++i) {
                const std::int64_t at = first + (done + i) * r.threads;
                places[i] = at < n && done + i < r.items ? static_cast<std::int64_t>(order[at]) : -1;
            }
#pragma unroll
            for (int i = 0; i < batch; ++i)
                if (places[i] >= 0) values[i] = load_element<Value>(in, places[i], is_in_wide);
#pragma unroll
            for (int i = 0; i < batch; ++i)
                if (places[i] >= 0) store_element(out, first + (done + i) * r.threads, values[i], is_out_wide);
        }
    }
};

template <class Tuning, class Key, class Value, class Compare>
using tuning_or_default = typename std::conditional_t<
    std::is_void_v<Tuning>, std::type_identity<merge_sort_tuning<Key, Value, !equal_keys_are_identical<Key, Compare>>>,
    std::type_identity<Tuning>>::type;

/// Where the parts of a sort's workspace begin: the buffers that the passes alternate with, and the splits.
struct space {
    std::size_t keys, values, splits;
};

/// `ByCluster`: small sorts are done by a cluster, where the code has clusters.
template <bool ByCluster, class Key, class Value, class Compare, class Tuning>
struct sort {
    using kernel = sort_tiles<Key, Value, Compare, Tuning>;
    using arrays = typename kernel::arrays;
    using largest = largest_sizes<Tuning>;
    using finding = find<largest::max_levels, Key, Compare>;

    merge_plan plan;
    int cluster_blocks = 0;  ///< 0: not by a cluster
    explicit sort(std::int64_t n)
    {
        if constexpr (ByCluster) {
            const auto row = row_for<sort_small<Key, Value, Compare>>();
            const std::int64_t tiles = divided_up(n, std::int64_t{row.threads} * items_of(row));
            if (row.ways > 1 && tiles <= row.ways) {
                cluster_blocks = static_cast<int>(std::bit_ceil(static_cast<unsigned>(tiles)));
                return;
            }
        }
        const auto row = row_for<kernel>(n);
        plan = plan_merges(n, row.threads, items_of(row), levels_of(row),
                           n <= largest::above ? std::numeric_limits<std::int64_t>::max() : max_tiles_without_find);
    }

    space add_to(memory_parts& parts, std::int64_t n) const
    {
        const std::size_t keys = plan.count == 0 ? 0 : static_cast<std::size_t>(n);
        space space{};
        space.keys = parts.add(keys * sizeof(Key));
        if constexpr (!std::is_void_v<Value>) space.values = parts.add(keys * sizeof(Value));
        space.splits = parts.add(static_cast<std::size_t>(splits_of(plan)) * sizeof(std::int64_t));
        return space;
    }

    /// Sorts `source` into `data`, which may be the same. With `values_are_indices` the values begin as the indices of
    /// their keys.
    void run(cudaStream_t stream, const arrays& source, const arrays& data, const arrays& other, std::int64_t* splits,
             std::int64_t n, const Compare& compare, bool values_are_indices = false) const
    {
        const arrays first{source.keys, values_are_indices ? nullptr : source.values};
        if constexpr (ByCluster) {
            if (cluster_blocks > 0) {
                launch<sort_small<Key, Value, Compare>>(
                    launch_config{.stream = stream, .cluster = cluster_blocks, .programmatic_dependent_launch = true},
                    blocks{launch_extent(cluster_blocks), n}, first, data, static_cast<int>(n), compare);
                return;
            }
        }
        arrays from = plan.count % 2 == 0 ? data : other, to = plan.count % 2 == 0 ? other : data;
        launch<kernel>(stream, n, first, from, n, splits, splits_of(plan), compare);
        for (int i = 0; i < plan.count; ++i) {
            const merge_pass& pass = plan.passes[static_cast<std::size_t>(i)];
            const merge_task task{n,     pass.run, pass.levels, pass.merged, pass.slack, pass.blocks_of_group,
                                  i + 1, splits};
            const blocks grid{launch_extent(pass.blocks), n};
            if (!plan.blocks_find_splits) {
                // Of the row that it runs with, which LAUNCHBOX_ROW may have replaced.
                const std::int64_t of_block = row_for<finding>(n).threads,
                                   threads = pass.blocks << levels_of_search(pass.levels);
                launch<finding>(stream, blocks{launch_extent((threads + of_block - 1) / of_block), n}, task,
                                static_cast<const Key*>(from.keys), compare);
                launch<merge_runs<false, Key, Value, Compare, Tuning>>(stream, grid, task, from, to, compare);
            } else {
                launch<merge_runs<true, Key, Value, Compare, Tuning>>(stream, grid, task, from, to, compare);
            }
            std::swap(from, to);
        }
    }
};

inline void check_size(std::int64_t n)
{
    if (n < 0 || n >= std::int64_t{1} << 48)
        throw launch_error("merge_sort: " + std::to_string(n) + " elements. Give 0 to 2^48 - 1.", cudaErrorInvalidValue,
                           launch_error_kind::runtime);
}

/// What a call sorts, and into what: the same arrays, or others. What is only read is not const here: all passes have
/// the same kernels.
template <class Key, class Value>
struct call_arrays {
    Key* keys_in;
    Value* values_in;
    Key* keys;
    Value* values;

    [[nodiscard]] bool is_copy() const { return keys_in != keys; }
};

inline void copy_elements(cudaStream_t stream, void* to, const void* from, std::size_t bytes)
{
    if (const cudaError_t status = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream);
        status != cudaSuccess)
        throw launch_error("merge_sort: copying: " + error_text(status), status, launch_error_kind::runtime);
}

template <class Index, class Tuning, class Key, class Value, class Compare>
void sort_by_index(cudaStream_t stream, const call_arrays<Key, Value>& call, std::int64_t n, const Compare& compare,
                   workspace given)
{
    // A row for indices of 4 bytes may not fit those of 8, which only more than 2^32 elements need.
    using table = tuning_or_default<std::conditional_t<sizeof(Index) == 4, Tuning, void>, Key, Index, Compare>;
    const sort<sorts_by_cluster<Key, Index, Tuning>, Key, Index, Compare, table> sorting(n);
    memory_parts parts;
    const space space = sorting.add_to(parts, n);
    const std::size_t order_at = parts.add(static_cast<std::size_t>(n) * sizeof(Index));
    const std::size_t copy_bytes = call.is_copy() ? 0 : static_cast<std::size_t>(n) * sizeof(Value);
    const std::size_t copy_at = parts.add(copy_bytes);
    if (given.needed) {
        *given.needed = parts.bytes();
        return;
    }
    const device_memory memory(stream, given, parts.bytes(), "merge_sort");
    Index* order = memory.at<Index>(order_at);
    const Value* from = call.values_in;
    if (!call.is_copy()) {
        copy_elements(stream, memory.at<Value>(copy_at), call.values, copy_bytes);
        from = memory.at<Value>(copy_at);
    }
    sorting.run(stream, {call.keys_in, order}, {call.keys, order},
                {memory.at<Key>(space.keys), memory.at<Index>(space.values)}, memory.at<std::int64_t>(space.splits), n,
                compare, true);
    launch<permute<Value, Index, table>>(stream, n, from, static_cast<const Index*>(order), call.values, n);
}

template <class Tuning, class Key, class Value, class Compare>
void sort_carrying(cudaStream_t stream, const call_arrays<Key, Value>& call, std::int64_t n, const Compare& compare,
                   workspace given)
{
    using sorting_type =
        sort<sorts_by_cluster<Key, Value, Tuning>, Key, Value, Compare, tuning_or_default<Tuning, Key, Value, Compare>>;
    using arrays = typename sorting_type::arrays;
    const sorting_type sorting(n);
    memory_parts parts;
    const space space = sorting.add_to(parts, n);
    if (given.needed) {
        *given.needed = parts.bytes();
        return;
    }
    const device_memory memory(stream, given, parts.bytes(), "merge_sort");
    arrays source{call.keys_in, {}}, data{call.keys, {}}, other{memory.at<Key>(space.keys), {}};
    if constexpr (!std::is_void_v<Value>) {
        source.values = call.values_in;
        data.values = call.values;
        other.values = memory.at<Value>(space.values);
    }
    sorting.run(stream, source, data, other, memory.at<std::int64_t>(space.splits), n, compare);
}

/// Larger values are sorted as indices and moved once, since each pass would move them.
inline constexpr std::size_t max_carried_bytes = 8;

template <class Tuning, class Key, class Value, class Compare>
void sort_any(cudaStream_t stream, const call_arrays<Key, Value>& call, std::int64_t n, const Compare& compare,
              workspace space)
{
    static_assert(std::is_trivially_copyable_v<Key> && (std::is_void_v<Value> || std::is_trivially_copyable_v<Value>),
                  "merge_sort: keys and values are trivially copyable");
    check_size(n);
    if (space.needed) *space.needed = 0;
    if (n < 2) {
        if (n == 0 || !call.is_copy() || space.needed) return;
        copy_elements(stream, call.keys, call.keys_in, sizeof(Key));
        if constexpr (!std::is_void_v<Value>) copy_elements(stream, call.values, call.values_in, sizeof(Value));
        return;
    }
    if constexpr (std::is_void_v<Value>)
        sort_carrying<Tuning>(stream, call, n, compare, space);
    else if constexpr (sizeof(Value) <= max_carried_bytes)
        sort_carrying<Tuning>(stream, call, n, compare, space);
    else if (n <= std::numeric_limits<std::uint32_t>::max())
        sort_by_index<std::uint32_t, Tuning>(stream, call, n, compare, space);
    else
        sort_by_index<std::uint64_t, Tuning>(stream, call, n, compare, space);
}

/// What `call` throws as the runtime's error.
template <class Call>
cudaError_t error_of(const Call& call) noexcept
{
    try {
        call();
        return cudaSuccess;
    } catch (const launch_error& refused) {
        return refused.code != cudaSuccess ? refused.code : cudaErrorInvalidValue;
    } catch (const std::bad_alloc&) {
        return cudaErrorMemoryAllocation;
    } catch (...) {
        return cudaErrorUnknown;
    }
}

}  // namespace merge_sort_kernels

}  // namespace launchbox
#pragma GCC visibility pop
