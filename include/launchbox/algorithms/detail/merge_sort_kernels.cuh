// launchbox: the kernels of a merge sort, and how a call launches them. Internal: include merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <limits>
#include <new>
#include <string>
#include <type_traits>
#include <utility>

#include <launchbox/algorithms/detail/device_memory.cuh>
#include <launchbox/algorithms/detail/grid_order.cuh>
#include <launchbox/algorithms/detail/merge_part.cuh>
#include <launchbox/algorithms/detail/merge_place.cuh>
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

template <class Row>
constexpr int levels_of(const Row& row)
{
    return std::bit_width(static_cast<unsigned>(row.ways)) - 1;
}

template <auto Row>
struct levels_of_row {  // for device code
    static_assert(Row.ways >= 2 && Row.ways <= 1 << max_merge_levels &&
                      std::has_single_bit(static_cast<unsigned>(Row.ways)),
                  "merge_sort: the ways of a row are 2, 4, 8, 16 or 32");
    static constexpr int value = levels_of(Row);
};

/// The rows of the largest sizes. Smaller sorts have so few tiles that their blocks find their own splits.
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
    using shape = merge_shape<Key, Value, Compare, r.threads, r.items>;
    static constexpr std::int64_t tile(const row_type& row) { return std::int64_t{row.threads} * row.items; }
    static constexpr bool programmatic_dependent_launch = true;  // each run() calls wait_for_grid_ahead()
};

/// The same, but floating-point keys without values are words.
template <class Key, class Value, class Compare, class Tuning>
struct sort_body : body<Key, Value, Compare, Tuning> {
    using row_type = typename Tuning::row_type;
    using any_shape = shape_of_sort<Key, Value, Compare, 64, 2>;
    using arrays = merge_arrays<any_shape>;
    using order = typename any_shape::compare;
    template <row_type r>
    using shape = shape_of_sort<Key, Value, Compare, r.threads, r.items>;
};

template <class Key, class Value, class Compare, class Tuning>
struct sort_tiles : sort_body<Key, Value, Compare, Tuning> {
    using base = sort_body<Key, Value, Compare, Tuning>;
    static constexpr std::int64_t dynamic_shared_bytes(const typename base::row_type& row)
    {
        return merge_shared_bytes<typename base::any_shape>(row.threads, row.items);
    }
    template <typename base::row_type r>
    static __device__ void run(typename base::arrays in, typename base::arrays out, std::int64_t n,
                               std::int64_t* splits, std::int64_t splits_count, sort_findings findings,
                               typename base::order compare)
    {
        using shape = typename base::template shape<r>;
        wait_for_grid_ahead();
        // Clear the splits: the memory may hold words of an earlier sort.
#pragma unroll 1
        for (std::int64_t i = std::int64_t{blockIdx.x} * r.threads + static_cast<int>(threadIdx.x); i < splits_count;
             i += std::int64_t{gridDim.x} * r.threads)
            splits[i] = 0;
        sort_tile<shape>(block_memory(), {in.keys, in.values}, {out.keys, out.values}, n, blockIdx.x, compare,
                         findings);
    }
};

/// Small sorts have smaller tiles, so that they use more of the GPU. But one tile of up to max_lone_tile elements takes
/// less time than several that are merged.
template <class Key>
inline constexpr merge_sort_row small_row{
    .threads = 128, .items = sizeof(Key) <= 8 ? 2 : 4, .min_blocks = 0, .ways = 2};
template <class Shape>
inline constexpr std::int64_t max_lone_tile = Shape::is_stable ? 1024 : 2048;
/// With more elements merging takes less time than finding places.
inline constexpr std::int64_t max_placed = 24576;

inline constexpr merge_sort_row place_row{.threads = 128, .items = 2, .min_blocks = 0, .ways = 2};

template <class Key, class Value, class Compare>
struct place : body<Key, Value, Compare, only<place_row>> {
    using base = body<Key, Value, Compare, only<place_row>>;
    template <typename base::row_type r>
    static __device__ void run(typename base::arrays in, typename base::arrays out, int n, int tile,
                               sort_findings findings, Compare compare)
    {
        place_element(in, out, n, tile, findings, static_cast<int>(blockIdx.x * r.threads + threadIdx.x), compare);
    }
};

/// Whether elements of few tiles find their places. With rows given by the user or by LAUNCHBOX_ROW they are merged
/// instead.
template <class Key, class Tuning>
inline constexpr bool places_elements =
#ifdef LAUNCHBOX_ROW
    false;
#else
    std::is_void_v<Tuning> && sizeof(Key) <= 16;
#endif

/// Independent of the rows of the passes: min_blocks leaves registers for enough warps that their reads overlap.
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

/// A kernel that only reads splits needs only the rows of the largest sizes.
template <split_source From, class Tuning>
using merge_tuning =
    typename std::conditional_t<From == split_source::task, std::type_identity<typename largest_sizes<Tuning>::table>,
                                std::type_identity<Tuning>>::type;

template <split_source From, class Key, class Value, class Compare, class Tuning>
struct merge_runs : sort_tiles<Key, Value, Compare, merge_tuning<From, Tuning>> {
    using base = sort_body<Key, Value, Compare, merge_tuning<From, Tuning>>;
    template <typename base::row_type r>
    static __device__ void run(merge_task task, typename base::arrays in, typename base::arrays out,
                               typename base::order compare)
    {
        using shape = typename base::template shape<r>;
        merge_part<From, levels_of_row<r>::value, shape>(block_memory(), task, {in.keys, in.values},
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

/// The user's comparison of keys that are not words: small sorts of floating-point keys take less time one by one.
template <class Compare>
struct of_keys {
    Compare compare;
    template <class Key>
    __device__ __forceinline__ bool operator()(const Key& a, const Key& b) const
    {
        return compare(a, b);
    }
};

/// Where the parts of a sort's workspace begin: the buffers that the passes alternate with, the splits, and the words
/// of sort_findings.
struct space {
    std::size_t keys, values, splits, findings;
};

/// The user's comparison, or an equivalent one of type `Order`.
template <class Order, class Compare>
Order as_order(const Compare& compare)
{
    if constexpr (std::is_same_v<Order, Compare>)
        return compare;
    else
        return {};
}

/// The parts of a sort's workspace.
template <class Arrays>
struct workspace_of_sort {
    Arrays other;
    std::int64_t* splits;
    sort_findings::words_of_sort* findings;
};

/// A number for each sort, different from those of other programs and libraries.
inline std::uint64_t number_of_sort()
{
    static std::atomic<std::uint64_t> count{0};
    // The finaliser of splitmix64.
    std::uint64_t x = ++count + (reinterpret_cast<std::uintptr_t>(&count) << 20);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/// What finds splits: a separate kernel if there are many tiles, or always the blocks that need them.
enum class finds { by_kernel, by_blocks };

/// `Places`: elements of few tiles find their places.
template <bool Places, class Key, class Value, class Compare, class Tuning, finds Finds = finds::by_kernel>
struct sort {
    using kernel = sort_tiles<Key, Value, Compare, Tuning>;
    using any_shape = typename kernel::any_shape;
    using arrays = typename kernel::arrays;
    using order = typename kernel::order;
    using largest = largest_sizes<Tuning>;
    using searched = typename any_shape::searched_order;
    using finding = find<largest::max_levels, typename any_shape::key, searched>;
    using small_kernel = sort_tiles<Key, Value, Compare, only<small_row<Key>>>;

    merge_plan plan;
    bool has_small_tiles = false;
    int placed_tile = 0;  ///< elements of a tile, if elements find their places; 0: passes merge them
    explicit sort(std::int64_t n)
    {
        const auto row = row_for<kernel>(n);
        if constexpr (Places) {
            constexpr std::int64_t small_tile = std::int64_t{small_row<Key>.threads} * small_row<Key>.items;
            std::int64_t tile = std::int64_t{row.threads} * row.items;
            if (n <= small_tile * threads_of_place * tiles_at_once && (n > tile || tile > max_lone_tile<any_shape>)) {
                has_small_tiles = true;
                tile = small_tile;
            }
            if (n > tile && n <= std::min(max_placed, max_placed_tiles * tile)) placed_tile = static_cast<int>(tile);
            if (has_small_tiles || placed_tile > 0) return;
        }
        plan = plan_merges(n, row.threads, row.items, levels_of(row),
                           Finds == finds::by_blocks || n <= largest::above ? std::numeric_limits<std::int64_t>::max()
                                                                            : max_tiles_without_find);
    }

    space add_to(memory_parts& parts, std::int64_t n) const
    {
        const bool has_other = plan.count > 0 || placed_tile > 0;
        const std::size_t keys = has_other ? static_cast<std::size_t>(n) : 0;
        space space{};
        space.keys = parts.add(keys * sizeof(Key));
        if constexpr (!std::is_void_v<Value>) space.values = parts.add(keys * sizeof(Value));
        space.splits = parts.add(static_cast<std::size_t>(splits_of(plan)) * sizeof(std::int64_t));
        space.findings = parts.add(has_other ? sizeof(sort_findings::words_of_sort) : 0);
        return space;
    }

    /// Arrays as the kernels see them.
    static arrays arrays_of(Key* keys, Value* values)
    {
        arrays made{reinterpret_cast<typename any_shape::key*>(keys), {}};
        if constexpr (!std::is_void_v<Value>) made.values = values;
        return made;
    }
    static workspace_of_sort<arrays> parts_of(const device_memory& memory, const space& space)
    {
        workspace_of_sort<arrays> parts{
            {}, memory.at<std::int64_t>(space.splits), memory.at<sort_findings::words_of_sort>(space.findings)};
        if constexpr (std::is_void_v<Value>)
            parts.other = arrays_of(memory.at<Key>(space.keys), nullptr);
        else
            parts.other = arrays_of(memory.at<Key>(space.keys), memory.at<Value>(space.values));
        return parts;
    }

    /// Sorts `source` into `data`, which may be the same. With `values_are_indices` the initial values are the indices
    /// of the keys.
    void run(cudaStream_t stream, const arrays& source, const arrays& data, const workspace_of_sort<arrays>& parts,
             std::int64_t n, const Compare& user_compare, bool values_are_indices = false) const
    {
        const auto compare = as_order<order>(user_compare);
        const arrays first{source.keys, values_are_indices ? nullptr : source.values};
        const bool is_even = plan.count % 2 == 0 && placed_tile == 0;
        arrays from = is_even ? data : parts.other, to = is_even ? parts.other : data;
        const bool has_other = plan.count > 0 || placed_tile > 0;
        const sort_findings findings{has_other ? parts.findings : nullptr, number_of_sort()};
        const auto sort_all_tiles = [&]<class Kernel>(std::type_identity<Kernel>) {
            launch<Kernel>(stream, n, first, from, n, parts.splits, splits_of(plan), findings, compare);
        };
        if constexpr (Places) {
            if (has_small_tiles)
                sort_all_tiles(std::type_identity<small_kernel>{});
            else
                sort_all_tiles(std::type_identity<kernel>{});
            if (placed_tile > 0) {
                const std::int64_t threads = n * threads_of_place;
                launch<place<Key, Value, Compare>>(stream,
                                                   blocks{launch_extent(divided_up(threads, place_row.threads)), n},
                                                   from, to, static_cast<int>(n), placed_tile, findings, compare);
            }
        } else {
            sort_all_tiles(std::type_identity<kernel>{});
        }
        for (int i = 0; i < plan.count; ++i) {
            const merge_task task = task_of(plan, i, n, any_shape::sorts_floats, parts.splits, findings);
            const blocks grid{launch_extent(plan.passes[static_cast<std::size_t>(i)].blocks), n};
            if constexpr (Finds == finds::by_kernel)
                if (!plan.blocks_find_splits) {
                    // From the row that it runs with, which LAUNCHBOX_ROW may have replaced.
                    const std::int64_t of_block = row_for<finding>(n).threads, threads = threads_of_search(plan, i);
                    launch<finding>(stream, blocks{launch_extent((threads + of_block - 1) / of_block), n}, task,
                                    static_cast<const typename any_shape::key*>(from.keys),
                                    as_order<searched>(user_compare));
                }
            // With values, one kernel for both sources of splits would not have enough registers.
            const auto merge = [&]<split_source From>() {
                launch<merge_runs<From, Key, Value, Compare, Tuning>>(stream, grid, task, from, to, compare);
            };
            if constexpr (Finds == finds::by_blocks)
                merge.template operator()<split_source::own_search>();
            else if constexpr (std::is_void_v<Value>)
                merge.template operator()<split_source::either>();
            else if (plan.blocks_find_splits)
                merge.template operator()<split_source::own_search>();
            else
                merge.template operator()<split_source::task>();
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

/// The arrays that a call sorts, and those that it sorts into, which may be the same. Input that is only read is not
/// const here, so that all passes use the same kernels.
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
    // A row for indices of 4 bytes may not fit indices of 8 bytes, which only more than 2^32 elements need.
    using table = tuning_or_default<std::conditional_t<sizeof(Index) == 4, Tuning, void>, Key, Index, Compare>;
    const sort<places_elements<Key, Tuning>, Key, Index, Compare, table> sorting(n);
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
    sorting.run(stream, sorting.arrays_of(call.keys_in, order), sorting.arrays_of(call.keys, order),
                sorting.parts_of(memory, space), n, compare, true);
    launch<permute<Value, Index, table>>(stream, n, from, static_cast<const Index*>(order), call.values, n);
}

template <class Sort, class Key, class Value, class Compare>
void sort_carrying(cudaStream_t stream, const call_arrays<Key, Value>& call, std::int64_t n, const Compare& compare,
                   workspace given)
{
    const Sort sorting(n);
    memory_parts parts;
    const space space = sorting.add_to(parts, n);
    if (given.needed) {
        *given.needed = parts.bytes();
        return;
    }
    const device_memory memory(stream, given, parts.bytes(), "merge_sort");
    sorting.run(stream, sorting.arrays_of(call.keys_in, call.values_in), sorting.arrays_of(call.keys, call.values),
                sorting.parts_of(memory, space), n, compare);
}

/// Larger values are sorted as indices and moved once, since otherwise each pass would move them.
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
    if constexpr (std::is_void_v<Tuning> && are_words<Key, Value, Compare>) {
        using rows = merge_sort_floats<Key>;
        if (n <= rows::max_elements)
            sort_carrying<sort<places_elements<Key, Tuning>, Key, Value, of_keys<Compare>, typename rows::one_by_one,
                               finds::by_blocks>>(stream, call, n, of_keys<Compare>{compare}, space);
        else
            sort_carrying<sort<false, Key, Value, Compare, typename rows::words>>(stream, call, n, compare, space);
    } else if constexpr (sizeof(std::conditional_t<std::is_void_v<Value>, char, Value>) <= max_carried_bytes)
        sort_carrying<
            sort<places_elements<Key, Tuning>, Key, Value, Compare, tuning_or_default<Tuning, Key, Value, Compare>>>(
            stream, call, n, compare, space);
    else if (n <= std::numeric_limits<std::uint32_t>::max())
        sort_by_index<std::uint32_t, Tuning>(stream, call, n, compare, space);
    else
        sort_by_index<std::uint64_t, Tuning>(stream, call, n, compare, space);
}

/// The exception that `call` throws, as an error of the runtime.
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
