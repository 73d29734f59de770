// The kernels of merge_sort on the CPU, in the order in which it launches them, with rows, variants and sizes chosen by
// the test.
#pragma once

#include "gpu_on_cpu.hpp"

#include <launchbox/algorithms/detail/merge_part.cuh>
#include <launchbox/algorithms/detail/merge_place.cuh>
#include <launchbox/algorithms/detail/merge_plan.hpp>
#include <launchbox/algorithms/detail/merge_sort_tile.cuh>

#include <bit>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace on_cpu {

struct how {
    int levels = 1;          ///< a pass merges 2^levels runs
    bool find = true;        ///< a separate kernel finds the starts of the parts, or each block does
    bool exact = false;      ///< every part is as large as a block can make it
    bool by_place = false;   ///< each element finds its position, without passes
    bool has_values = true;  ///< false: a value starts as its key's index
    unsigned order = 0;      ///< of the threads, see gpu_on_cpu::run
};

/// The bits of keys if they are sorted as words, otherwise the keys.
template <class Stored, class Key>
std::vector<Stored> stored_as(const std::vector<Key>& keys)
{
    if constexpr (std::is_same_v<Stored, Key>) {
        return keys;
    } else {
        std::vector<Stored> bits;
        for (const Key& key : keys) bits.push_back(std::bit_cast<Stored>(key));
        return bits;
    }
}

/// The number of passes that merged instead of finding everything in order. Threads and items are those of the sort
/// under test; keys and values are sorted in place.
template <int Threads, int Items, class Key, class Value, class Compare>
int merge_sort(std::vector<Key>& keys, std::vector<Value>* values, const Compare& user_compare, const how& way)
{
    namespace detail = launchbox::detail;
    using kept = std::conditional_t<std::is_same_v<Value, detail::no_value>, void, Value>;
    using shape = detail::shape_of_sort<Key, kept, Compare, Threads, Items>;
    using arrays = detail::merge_arrays<shape>;
    using stored_key = typename shape::key;
    const auto n = static_cast<std::int64_t>(keys.size());
    if (n < 2) return 0;
    const auto compare = [&] {
        if constexpr (shape::sorts_floats)
            return typename shape::compare{};
        else
            return user_compare;
    }();
    // The search for splits reads the keys from the arrays, unchanged.
    const auto searched = [&] {
        if constexpr (shape::sorts_floats)
            return typename shape::searched_order{};
        else
            return user_compare;
    }();
    using searched_shape =
        detail::merge_shape<stored_key, void, std::remove_const_t<decltype(searched)>, Threads, Items>;

    const std::size_t shared_bytes = static_cast<std::size_t>(detail::merge_shared_bytes<shape>(Threads, Items));
    std::vector<std::max_align_t> shared_memory((shared_bytes + sizeof(std::max_align_t) - 1) /
                                                sizeof(std::max_align_t));
    auto* const shared = reinterpret_cast<unsigned char*>(shared_memory.data());
    const auto run = [&](std::int64_t blocks, const auto& code) {
        for (std::size_t i = 0; i < shared_bytes; ++i) shared[i] = static_cast<unsigned char>(0xa5 + i);
        gpu_on_cpu::run(static_cast<unsigned>(blocks), Threads, code, way.order);
    };

    std::vector<stored_key> data_keys = stored_as<stored_key>(keys), other_keys = data_keys;
    std::vector<Value> other_values;
    // Reading an element before it is written gives a value that is no key of the sort.
    std::memset(static_cast<void*>(other_keys.data()), 0xa5, other_keys.size() * sizeof(stored_key));
    arrays data{data_keys.data(), nullptr}, other{other_keys.data(), nullptr};
    if (values != nullptr) {
        other_values = *values;
        data.values = values->data();
        other.values = other_values.data();
    }
    const auto give_back = [&] {
        for (std::size_t i = 0; i < keys.size(); ++i) std::memcpy(&keys[i], &data_keys[i], sizeof(Key));
    };
    detail::sort_findings::words_of_sort words{};
    const arrays source{data.keys, way.has_values ? data.values : nullptr};
    if (way.by_place) {  // never with words
        using placed = detail::merge_shape<Key, kept, Compare, Threads, Items>;
        const bool is_alone = n <= placed::tile;
        const detail::sort_findings findings{is_alone ? nullptr : &words, 77};
        const detail::merge_arrays<placed> from{reinterpret_cast<Key*>(source.keys), source.values},
            all{reinterpret_cast<Key*>(data.keys), data.values},
            tiles{reinterpret_cast<Key*>(other.keys), other.values};
        run((n - 1) / placed::tile + 1, [&] {
            detail::sort_tile<placed>(shared, from, is_alone ? all : tiles, n, blockIdx.x, user_compare, findings);
        });
        if (!is_alone)
            run((n * detail::threads_of_place - 1) / Threads + 1, [&] {
                detail::place_element(tiles, all, static_cast<int>(n), placed::tile, findings,
                                      static_cast<int>(blockIdx.x * Threads + threadIdx.x), user_compare);
            });
        give_back();
        return 0;
    }
    const detail::merge_plan plan = detail::plan_merges(n, Threads, Items, way.levels, way.find ? 0 : n);
    std::vector<std::int64_t> splits(static_cast<std::size_t>(detail::splits_of(plan)));
    const detail::sort_findings findings{plan.count > 0 ? &words : nullptr, 77};

    arrays from = plan.count % 2 == 0 ? data : other, to = plan.count % 2 == 0 ? other : data;
    run(plan.tiles, [&] { detail::sort_tile<shape>(shared, source, from, n, blockIdx.x, compare, findings); });
    for (int i = 0; i < plan.count; ++i) {
        detail::merge_task task = detail::task_of(plan, i, n, shape::sorts_floats, splits.data(), findings);
        detail::merge_pass pass = plan.passes[static_cast<std::size_t>(i)];
        if (way.exact) {
            pass.merged += 2 * pass.slack;
            pass.slack = 0;
            detail::count_blocks(pass, n);
            task.merged = pass.merged;
            task.slack = 0;
            task.blocks_of_group = pass.blocks_of_group;
        }
        const auto merge = [&]<int MaxLevels>() {
            if (way.find) {
                const std::int64_t threads = pass.blocks << detail::levels_of_search(pass.levels);
                run((threads + Threads - 1) / Threads, [&] {
                    detail::find_splits<MaxLevels, searched_shape>(
                        task, from.keys, std::int64_t{blockIdx.x} * Threads + threadIdx.x, searched);
                });
            }
            run(pass.blocks, [&] {
                detail::merge_part<detail::split_source::either, MaxLevels, shape>(shared, task, from, to, blockIdx.x,
                                                                                   compare);
            });
        };
        // Code compiled for the most levels of any pass also works for fewer.
        if (way.levels <= 2)
            merge.template operator()<2>();
        else if (way.levels <= 4)
            merge.template operator()<4>();
        else
            merge.template operator()<5>();
        std::swap(from, to);
    }
    give_back();
    const bool is_in_order =
        words.tiles.rising + words.borders.rising == 0 || words.tiles.falling + words.borders.falling == 0;
    return is_in_order ? 0 : plan.count;
}

}  // namespace on_cpu
