// SPDX-License-Identifier: Apache-2.0
#include "advice/check/checked_kernel.hpp"

#include <fmt/format.h>

#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "advice/model/kernel_question.hpp"
#include "image/names/kernel_identity.hpp"

namespace launchbox {

namespace {

checked_kernel brought_together(std::vector<checked_kernel> same);

}  // namespace

std::vector<checked_kernel> one_of_each(std::vector<checked_kernel> found)
{
    for (checked_kernel& kernel : found) kernel.identity = kernel_identity(kernel.info.name, kernel.info.demangled);
    std::stable_sort(found.begin(), found.end(), [](const checked_kernel& a, const checked_kernel& b) {
        if (a.identity != b.identity) return a.identity < b.identity;
        const auto order = [](const kernel_info& info) {
            return std::tuple(architecture_order(info.capability, info.architecture), info.runs_on);
        };
        return order(a.info) < order(b.info);
    });
    std::vector<checked_kernel> result;
    for (auto first = found.begin(); first != found.end();) {
        const auto last = std::find_if(first, found.end(), [&](const checked_kernel& kernel) {
            return kernel.identity != first->identity || kernel.info.architecture != first->info.architecture ||
                   kernel.info.runs_on != first->info.runs_on;
        });
        result.push_back(brought_together({std::make_move_iterator(first), std::make_move_iterator(last)}));
        first = last;
    }
    return result;
}

worst_figure worst_of(const checked_kernel& kernel,
                      const std::function<std::optional<std::int64_t>(const kernel_info&)>& figure, bool less_is_worse)
{
    worst_figure worst;
    for (std::size_t i = 0; i < kernel.copies(); ++i) {
        const std::optional<std::int64_t> value = figure(kernel.copy(i).info);
        if (!value) {
            if (worst.of_all) worst.unknown_copy = i;
            worst.of_all = false;
            continue;
        }
        const bool worse = !worst.value || (less_is_worse ? *value < *worst.value : *value > *worst.value);
        if (!worse) continue;
        worst.value = value;
        worst.copy = i;
    }
    return worst;
}

std::optional<residency> residency_of(const kernel_info& kernel)
{
    const std::optional<occupancy_question> question = question_for(kernel, std::nullopt);
    if (!question || question->at_most()) return std::nullopt;
    return residency{resident_blocks(*question->limits, question->resources, question->shape, question->settings),
                     question->shape.threads};
}

std::optional<heeded_bounds> heeded_bounds_of(const kernel_info& kernel)
{
    // An input with the register cap also has the bounds; logs have neither.
    if (!kernel.bounds.register_cap) return std::nullopt;
    const sm_limits* limits = limits_where_run(kernel);
    heeded_bounds bounds;
    bounds.threads = bound_threads(kernel);
    if (limits == nullptr) return bounds;
    if (bounds.threads && *bounds.threads > limits->threads_per_sm) bounds.threads.reset();  // ptxas ignores it whole
    const int of_threads = bounds.threads
                               ? register_cap(*limits, *bounds.threads).value_or(limits->registers_per_thread)
                               : limits->registers_per_thread;
    if (*kernel.bounds.register_cap < of_threads) bounds.registers = kernel.bounds.register_cap;
    return bounds;
}

std::optional<heeded_bounds> heeded_bounds_of(const checked_kernel& kernel)
{
    std::optional<heeded_bounds> all = heeded_bounds_of(kernel.info);
    const auto loosest = [](std::optional<int>& one, const std::optional<int>& other) {
        if (one && other)
            one = std::max(*one, *other);
        else
            one.reset();
    };
    for (const checked_kernel& copy : kernel.others) {
        const std::optional<heeded_bounds> its = heeded_bounds_of(copy.info);
        if (!all || !its) return std::nullopt;
        loosest(all->threads, its->threads);
        loosest(all->registers, its->registers);
    }
    return all;
}

bool has_debug_build(const checked_kernel& kernel)
{
    for (std::size_t i = 0; i < kernel.copies(); ++i)
        if (is_debug_build(kernel.copy(i).info)) return true;
    return false;
}

std::string place_of_copy(const checked_kernel& kernel, std::size_t copy)
{
    if (kernel.others.empty()) return {};
    const kernel_source& place = kernel.copy(copy).info.source;
    std::string text = place.file == "-" ? "standard input" : place.file;
    // Within one file, the place tells copies apart.
    const bool same_file = std::ranges::all_of(
        kernel.others, [&](const checked_kernel& other) { return other.info.source.file == kernel.info.source.file; });
    if (same_file && !place.container.empty()) text = place.container;
    if (same_file && !place.entry.empty()) text += ", " + place.entry;
    return fmt::format(", in {}, one of {} copies", text, kernel.copies());
}

namespace {

// Figures that nvlink does not print, but launches or limits depend on.
auto told_by_compiling(const kernel_info& kernel)
{
    const spill_range spills = kernel.figures.spills_between.value_or(spill_range{-1, -1, -1, -1});
    return std::tuple(kernel.figures.spill_store_bytes, kernel.figures.spill_load_bytes, spills.min_stores,
                      spills.max_stores, spills.min_loads, spills.max_loads, kernel.figures.shared_spill_store_bytes,
                      kernel.figures.shared_spill_load_bytes, kernel.figures.stack_frame_bytes,
                      kernel.bounds.max_threads, kernel.bounds.required_threads, kernel.bounds.cluster,
                      kernel.bounds.register_cap, kernel.launches.uses_dynamic_shared,
                      kernel.launches.dynamic_shared_bytes, kernel.launches.launch_threads);
}

checked_kernel completed(checked_kernel linked, const kernel_info& compiled)
{
    kernel_info& info = linked.info;
    const auto fill = [](auto& value, const auto& other) {
        if (!value) value = other;
    };
    if (!info.figures.spill_store_bytes && !info.figures.spill_load_bytes && !info.figures.spills_between) {
        info.figures.spill_store_bytes = compiled.figures.spill_store_bytes;
        info.figures.spill_load_bytes = compiled.figures.spill_load_bytes;
        info.figures.spills_between = compiled.figures.spills_between;
    }
    fill(info.figures.shared_spill_store_bytes, compiled.figures.shared_spill_store_bytes);
    fill(info.figures.shared_spill_load_bytes, compiled.figures.shared_spill_load_bytes);
    fill(info.figures.stack_frame_bytes, compiled.figures.stack_frame_bytes);
    if (!info.bounds.max_threads && !info.bounds.required_threads) {
        info.bounds.max_threads = compiled.bounds.max_threads;
        info.bounds.required_threads = compiled.bounds.required_threads;
    }
    fill(info.bounds.cluster, compiled.bounds.cluster);
    fill(info.bounds.register_cap, compiled.bounds.register_cap);
    fill(info.launches.uses_dynamic_shared, compiled.launches.uses_dynamic_shared);
    fill(info.launches.dynamic_shared_bytes, compiled.launches.dynamic_shared_bytes);
    fill(info.launches.launch_threads, compiled.launches.launch_threads);
    return linked;
}

// A single copy with the largest value of each figure that nvlink prints; unknown if one of them lacks it.
checked_kernel largest_of(const std::vector<checked_kernel>& linked)
{
    checked_kernel largest = linked.front();
    const auto raise = [](auto& value, const auto& other) {
        if (value && other)
            value = std::max(*value, *other);
        else
            value.reset();
    };
    for (const checked_kernel& kernel : linked) {
        raise(largest.info.figures.registers, kernel.info.figures.registers);
        raise(largest.info.figures.static_shared_bytes, kernel.info.figures.static_shared_bytes);
        raise(largest.info.figures.barriers, kernel.info.figures.barriers);
        raise(largest.info.figures.cumulative_stack_bytes, kernel.info.figures.cumulative_stack_bytes);
        raise(largest.info.figures.code_bytes, kernel.info.figures.code_bytes);
        largest.info.figures.stack_unbounded |= kernel.info.figures.stack_unbounded;
    }
    return largest;
}

// Combines each linked copy with every variant of the compiled ones. There are few of both, except in an artificial
// log; then one kernel with the worst figures replaces the linked ones.
void complete_linked(std::vector<checked_kernel>& same)
{
    constexpr std::size_t max_pairs = 1024;
    const auto is_linked = [](const checked_kernel& kernel) { return kernel.info.linked; };
    const auto compiled = std::stable_partition(same.begin(), same.end(), is_linked);
    if (compiled == same.begin() || compiled == same.end()) return;
    std::map<decltype(told_by_compiling(same.front().info)), const kernel_info*> told;
    for (auto kernel = compiled; kernel != same.end(); ++kernel)
        told.try_emplace(told_by_compiling(kernel->info), &kernel->info);
    std::vector<checked_kernel> linked(same.begin(), compiled), all;
    if (linked.size() > max_pairs / told.size()) linked = {largest_of(linked)};
    for (const checked_kernel& kernel : linked)
        for (const auto& [key, info] : told) all.push_back(completed(kernel, *info));
    for (auto kernel = compiled; kernel != same.end(); ++kernel)
        if (!kernel->info.relocatable) all.push_back(std::move(*kernel));
    same = std::move(all);
}

checked_kernel brought_together(std::vector<checked_kernel> same)
{
    complete_linked(same);
    // Sorts by what a check examines, so that a baseline depends on nothing else; then by name and place.
    std::ranges::stable_sort(same, {}, [](const checked_kernel& kernel) {
        const kernel_info& info = kernel.info;
        return std::tuple(std::tie(info.figures.registers, info.figures.spill_store_bytes,
                                   info.figures.spill_load_bytes, info.figures.shared_spill_store_bytes,
                                   info.figures.shared_spill_load_bytes, info.figures.stack_frame_bytes,
                                   info.figures.cumulative_stack_bytes, info.figures.static_shared_bytes,
                                   info.figures.barriers, info.figures.code_bytes, info.bounds.max_threads,
                                   info.bounds.required_threads, info.bounds.cluster, info.launches.uses_dynamic_shared,
                                   info.launches.dynamic_shared_bytes, info.launches.launch_threads),
                          std::tie(info.name, info.source.file, info.source.container, info.source.entry));
    });
    checked_kernel first = std::move(same.front());
    first.others.assign(std::make_move_iterator(same.begin() + 1), std::make_move_iterator(same.end()));
    return first;
}

}  // namespace

}  // namespace launchbox
