// SPDX-License-Identifier: Apache-2.0
#include "report/charts/kernel_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <unordered_map>

#include "report/charts/axis_scale.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_kernel_rows = 60;

struct kernel_figure {
    const char *id, *name, *unit;
    bool less_is_better;
    std::function<std::optional<double>(const inspected_kernel&)> value;
    std::function<bool(const inspected_kernel&)> is_exact = [](const inspected_kernel&) { return true; };
};

template <class Number>
std::optional<double> real(const std::optional<Number>& value)
{
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
}

const std::vector<kernel_figure>& kernel_figures()
{
    static const std::vector<kernel_figure> all{
        {"registers", "registers", "registers a thread", true,
         [](const inspected_kernel& kernel) { return real(kernel.info.figures.registers); }},
        {"spills", "spills", "spilled bytes a thread", true,
         [](const inspected_kernel& kernel) {
             const std::optional<spill_range> range = spill_range_of(kernel.info);
             return range ? std::optional(static_cast<double>(range->min_bytes())) : std::nullopt;
         },
         [](const inspected_kernel& kernel) { return spill_bytes(kernel.info).has_value(); }},
        {"shared_spills", "spills to shared memory", "bytes spilled to shared memory a thread", true,
         [](const inspected_kernel& kernel) {
             const std::optional<std::int64_t> bytes = shared_spill_bytes(kernel.info);
             return bytes.value_or(0) > 0 ? real(bytes) : std::nullopt;
         }},
        {"stack", "stack", "bytes of stack a thread", true,
         [](const inspected_kernel& kernel) { return real(deepest_stack(kernel.info)); }},
        {"shared", "shared memory", "static bytes a block", true,
         [](const inspected_kernel& kernel) { return real(kernel.info.figures.static_shared_bytes); }},
        {"occupancy", "occupancy", "% of the warp slots", false,
         [](const inspected_kernel& kernel) {
             return kernel.residency ? std::optional(kernel.residency->result.occupancy() * 100) : std::nullopt;
         },
         [](const inspected_kernel& kernel) { return !kernel.residency->at_most; }}};
    return all;
}

std::string architecture_of(const inspected_kernel& kernel)
{
    return kernel.info.architecture.empty() ? "unknown" : kernel.info.architecture;
}

// In ascending order, as everywhere.
std::vector<std::string> architectures_of(const std::vector<inspected_kernel>& kernels)
{
    std::map<std::tuple<bool, compute_capability, std::string_view>, std::string> sorted;
    for (const inspected_kernel& kernel : kernels)
        sorted.try_emplace(architecture_order(kernel.info.capability, kernel.info.architecture),
                           architecture_of(kernel));
    std::vector<std::string> names;
    for (const auto& [order, name] : sorted) names.push_back(name);
    return names;
}

std::optional<chart_group> figures_over_architectures(const std::vector<inspected_kernel>& kernels)
{
    const std::vector<std::string> architectures = architectures_of(kernels);
    std::unordered_map<std::string, std::size_t> columns;
    for (std::size_t i = 0; i < architectures.size(); ++i) columns[architectures[i]] = i;

    // One row per name; if there are too many, those with the most registers are shown.
    std::map<std::string, std::vector<const inspected_kernel*>> by_name;
    for (const inspected_kernel& kernel : kernels)
        if (!is_ptx(kernel.info)) by_name[kernel.info.short_form].push_back(&kernel);
    std::vector<std::pair<int, std::string>> names;
    for (const auto& [name, copies] : by_name) {
        int registers = 0;
        for (const inspected_kernel* kernel : copies)
            registers = std::max(registers, kernel->info.figures.registers.value_or(0));
        names.emplace_back(-registers, name);
    }
    std::sort(names.begin(), names.end());
    const std::size_t all = names.size();
    if (names.size() > max_kernel_rows) names.resize(max_kernel_rows);

    chart_group group{"kernels", "Kernels over architectures", "", {}};
    for (const kernel_figure& figure : kernel_figures()) {
        heat_chart drawn{"architecture", "kernel", figure.unit, architectures, {}, {}, {}, figure.less_is_better};
        bool any = false;
        for (const auto& [registers, name] : names) {
            drawn.rows.push_back(escape_for_terminal(name));
            std::vector<std::optional<double>> row(architectures.size());
            std::vector<std::string> texts(architectures.size());
            std::vector<bool> exact(architectures.size(), true);
            for (const inspected_kernel* kernel : by_name[name]) {
                const std::size_t column = columns[architecture_of(*kernel)];
                const std::optional<double> value = figure.value(*kernel);
                if (!value || !figure.is_exact(*kernel)) exact[column] = false;
                // Of several kernels with one name, the worst is shown.
                if (!value || (row[column] && (*value > *row[column]) != figure.less_is_better)) continue;
                row[column] = value;
                texts[column] = number_text(std::round(*value * 10) / 10);
                any = true;
            }
            // A copy with an unknown figure may be worse.
            for (std::size_t c = 0; c < texts.size(); ++c)
                if (!exact[c] && !texts[c].empty()) texts[c].insert(0, figure.less_is_better ? "≥" : "≤");
            drawn.values.push_back(std::move(row));
            drawn.texts.push_back(std::move(texts));
        }
        if (!any) continue;
        std::string text = "If several kernels have the same name, the worst is shown.";
        if (all > max_kernel_rows)
            text += fmt::format(" {} of {} names are shown, those with the most registers.", max_kernel_rows,
                                with_commas(static_cast<std::int64_t>(all)));
        group.tabs.emplace_back(figure.name);
        group.charts.push_back(
            {std::string("kernels-") + figure.id, std::string("Kernels: ") + figure.unit, text, std::move(drawn)});
    }
    return group.charts.empty() ? std::nullopt : std::optional(std::move(group));
}

}  // namespace

std::vector<chart_group> kernel_charts(const std::vector<inspected_kernel>& kernels)
{
    std::vector<chart_group> groups;
    if (auto group = figures_over_architectures(kernels)) groups.push_back(std::move(*group));
    return groups;
}

}  // namespace launchbox
