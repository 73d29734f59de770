// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/kernel_selection.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace launchbox {

namespace {

constexpr std::array<std::pair<std::string_view, sort_key>, 7> keys{{{"registers", sort_key::registers},
                                                                     {"spills", sort_key::spills},
                                                                     {"stack", sort_key::stack},
                                                                     {"shared", sort_key::shared},
                                                                     {"code", sort_key::code},
                                                                     {"occupancy", sort_key::occupancy},
                                                                     {"name", sort_key::name}}};

// Keeps only kernels that are known to spill; returns the number for which it is unknown.
std::size_t keep_spilling(std::vector<inspected_kernel>& kernels);

void sort_kernels(std::vector<inspected_kernel>& kernels, sort_key key);

}  // namespace

std::optional<sort_key> parse_sort_key(std::string_view word)
{
    for (const auto& [name, key] : keys)
        if (name == word) return key;
    return std::nullopt;
}

std::string_view sort_key_name(sort_key key)
{
    return std::find_if(keys.begin(), keys.end(), [&](const auto& entry) { return entry.second == key; })->first;
}

std::vector<std::string> sort_keys()
{
    std::vector<std::string> names;
    for (const auto& [name, key] : keys) names.emplace_back(name);
    return names;
}

kernel_selection select_kernels(std::vector<inspected_kernel>& kernels, const kernel_filter& filter)
{
    kernel_selection selection;
    if (filter.spilling)
        selection.spills_unknown = keep_spilling(kernels);
    else
        selection.spills_unknown = static_cast<std::size_t>(std::count_if(
            kernels.begin(), kernels.end(), [](const auto& kernel) { return !spill_bytes(kernel.info); }));
    selection.sorted_by = filter.sort;
    // With --spilling, the worst come first.
    if (!filter.sort && filter.spilling) selection.sorted_by = sort_key::spills;
    if (selection.sorted_by) sort_kernels(kernels, *selection.sorted_by);
    if (filter.top && kernels.size() > *filter.top) {
        selection.not_shown = kernels.size() - *filter.top;
        kernels.erase(kernels.begin() + static_cast<std::ptrdiff_t>(*filter.top), kernels.end());
    }
    return selection;
}

namespace {

std::size_t keep_spilling(std::vector<inspected_kernel>& kernels)
{
    std::size_t unknown = 0;
    std::erase_if(kernels, [&](const inspected_kernel& kernel) {
        const kernel_info& info = kernel.info;
        // One of the two may be enough to know that it spills.
        const bool spills = info.figures.spill_store_bytes.value_or(0) > 0 ||
                            info.figures.spill_load_bytes.value_or(0) > 0 ||
                            (info.figures.spills_between && info.figures.spills_between->min_bytes() > 0) ||
                            shared_spill_bytes(info).value_or(0) > 0;
        if (!spills && !spill_bytes(info)) ++unknown;
        return !spills;
    });
    return unknown;
}

// If only a range is known, the kernel may be the worst of all.
std::optional<std::int64_t> max_spilled(const kernel_info& info)
{
    const std::optional<spill_range> range = spill_range_of(info);
    return range ? std::optional(range->max_bytes()) : std::nullopt;
}

// Smaller comes first.
std::optional<double> rank_of(const inspected_kernel& kernel, sort_key key)
{
    const auto cost = [](const auto& value) {
        return value ? std::optional(-static_cast<double>(*value)) : std::nullopt;
    };
    switch (key) {
        case sort_key::registers:
            return cost(kernel.info.figures.registers);
        case sort_key::spills:
            return cost(max_spilled(kernel.info));
        case sort_key::stack:
            return cost(deepest_stack(kernel.info));
        case sort_key::shared:
            return cost(kernel.info.figures.static_shared_bytes);
        case sort_key::code:
            return cost(kernel.info.figures.code_bytes);
        case sort_key::occupancy:
            return kernel.residency ? std::optional(kernel.residency->result.occupancy()) : std::nullopt;
        case sort_key::name:
            break;
    }
    return std::nullopt;
}

void sort_kernels(std::vector<inspected_kernel>& kernels, sort_key key)
{
    std::vector<std::optional<double>> ranks;
    ranks.reserve(kernels.size());
    for (const inspected_kernel& kernel : kernels) ranks.push_back(rank_of(kernel, key));
    std::vector<std::size_t> order(kernels.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (key == sort_key::name) return kernels[a].info.short_form < kernels[b].info.short_form;
        if (ranks[a] && ranks[b]) return *ranks[a] < *ranks[b];
        return ranks[a].has_value() && !ranks[b].has_value();
    });
    std::vector<inspected_kernel> sorted;
    sorted.reserve(kernels.size());
    for (std::size_t i : order) sorted.push_back(std::move(kernels[i]));
    kernels = std::move(sorted);
}

}  // namespace

}  // namespace launchbox
