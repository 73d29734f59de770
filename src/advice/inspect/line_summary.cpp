// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/line_summary.hpp"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace launchbox {

namespace {

constexpr std::size_t max_depth = 1000;  // of calls; more means a damaged image

line_cost cost_of(const kernel_lines& lines, const line_use& use);

}  // namespace

std::vector<line_cost> spilling_lines(const kernel_lines& lines)
{
    std::vector<line_cost> costs;
    for (const line_use& use : lines.uses)
        if (use.spills()) costs.push_back(cost_of(lines, use));
    std::ranges::stable_sort(costs, [](const line_cost& a, const line_cost& b) {
        if (a.frames.empty() != b.frames.empty()) return b.frames.empty();
        if (a.use.spill_bytes() != b.use.spill_bytes()) return a.use.spill_bytes() > b.use.spill_bytes();
        return a.use.shared_spill_bytes() > b.use.shared_spill_bytes();
    });
    return costs;
}

std::vector<line_cost> crowded_lines(const kernel_lines& lines, std::size_t most)
{
    std::vector<const line_use*> uses;
    for (const line_use& use : lines.uses)
        if (use.live_registers > 0 && use.place != no_line) uses.push_back(&use);
    const auto end = uses.begin() + static_cast<std::ptrdiff_t>(std::min(most, uses.size()));
    std::ranges::partial_sort(uses, end, [](const line_use* one, const line_use* other) {
        return one->live_registers != other->live_registers ? one->live_registers > other->live_registers
                                                            : one->place < other->place;
    });
    std::vector<line_cost> costs;
    for (auto use = uses.begin(); use != end; ++use) costs.push_back(cost_of(lines, **use));
    return costs;
}

line_cost line_at(const kernel_lines& lines, std::uint32_t place)
{
    line_use use;
    use.place = place;
    return cost_of(lines, use);
}

std::optional<register_saving> register_saving_of(const kernel_info& kernel, const std::optional<next_step>& next)
{
    if (!next || next->changes.size() != 1 || next->changes[0].name != "registers") return std::nullopt;
    if (!kernel.analysis.pressure || !kernel.analysis.pressure->problem.empty() || !kernel.analysis.lines ||
        !kernel.analysis.lines->told)
        return std::nullopt;
    register_saving saving;
    saving.registers = static_cast<int>(next->changes[0].from - next->changes[0].to);
    saving.blocks = next->blocks;
    saving.live_at_most = kernel.analysis.pressure->peak - saving.registers;
    if (saving.registers <= 0 || saving.live_at_most <= 0) return std::nullopt;
    saving.lines =
        static_cast<std::size_t>(std::ranges::count_if(kernel.analysis.lines->uses, [&](const line_use& use) {
            return use.place != no_line && use.live_registers > saving.live_at_most;
        }));
    return saving;
}

std::string why_more_registers(const kernel_info& kernel)
{
    if (!kernel.figures.registers || !kernel.analysis.pressure || !kernel.analysis.pressure->problem.empty()) return {};
    const register_pressure& pressure = *kernel.analysis.pressure;
    const int unused = pressure.highest - pressure.peak, beyond = *kernel.figures.registers - pressure.highest;
    if (unused + beyond <= 0) return {};
    std::string text;
    if (unused > 0)
        text =
            std::to_string(unused) + " below the highest one are empty at the peak (pairs and quadruples are aligned)";
    if (beyond > 0)
        text += (text.empty() ? "" : "; ") + std::to_string(beyond) +
                (kernel.analysis.features.has(kernel_feature::setmaxnreg) ? " beyond it, of setmaxnreg and the ABI"
                                                                          : " beyond it are the ABI's");
    return text;
}

std::vector<line_cost> all_lines(const kernel_lines& lines)
{
    std::vector<line_cost> costs;
    for (const line_use& use : lines.uses) costs.push_back(cost_of(lines, use));
    return costs;
}

std::vector<std::string_view> functions_of(const std::vector<const kernel_lines*>& kernels)
{
    std::unordered_map<const line_places*, std::vector<bool>> seen;
    std::unordered_set<std::string_view> functions;
    for (const kernel_lines* lines : kernels) {
        if (!lines->places) continue;
        const line_places& all = *lines->places;
        std::vector<bool>& known = seen[&all];
        known.resize(all.places.size());
        for (const line_use& use : lines->uses) {
            if (use.place >= all.places.size()) continue;
            for (std::uint32_t next = use.place + 1; next != 0 && !known[next - 1];) {
                known[next - 1] = true;
                const line_place& place = all.places[next - 1];
                if (!all.functions[place.function].empty()) functions.insert(all.functions[place.function]);
                next = place.inlined_into;
            }
        }
    }
    return {functions.begin(), functions.end()};
}

line_use total_of(const kernel_lines& lines)
{
    line_use sum;
    for (const line_use& use : lines.uses) add_to(sum, use);
    return sum;
}

void add_to(line_use& sum, const line_use& use)
{
    sum.instructions += use.instructions;
    sum.reads += use.reads;
    sum.writes += use.writes;
    sum.live_registers = std::max(sum.live_registers, use.live_registers);
    sum.spill_stores += use.spill_stores;
    sum.spill_loads += use.spill_loads;
    sum.spill_store_bytes += use.spill_store_bytes;
    sum.spill_load_bytes += use.spill_load_bytes;
    sum.shared_spill_stores += use.shared_spill_stores;
    sum.shared_spill_loads += use.shared_spill_loads;
    sum.shared_spill_store_bytes += use.shared_spill_store_bytes;
    sum.shared_spill_load_bytes += use.shared_spill_load_bytes;
}

margin_costs margins_of(const kernel_lines& lines)
{
    margin_costs margins;
    for (const line_use& use : lines.uses) {
        const line_cost cost = cost_of(lines, use);
        std::vector<margin_cost*> counted;
        for (std::size_t i = 0; i < cost.frames.size(); ++i) {
            margin_cost& margin = margins[cost.frames[i].file][cost.frames[i].line];
            if (i == 0) add_to(margin.own, use);
            if (std::ranges::find(counted, &margin) != counted.end()) continue;
            counted.push_back(&margin);
            add_to(margin.with_inlined, use);
        }
    }
    return margins;
}

std::string why_no_lines(const kernel_info& kernel)
{
    if (is_ptx(kernel)) return "PTX: spills are known only after it is compiled";
    if (!kernel.analysis.lines) {
        if (kernel.source.container.ends_with("log"))
            return "a log contains no source lines: inspect the compiled file";
        return "its code could not be read";
    }
    if (!kernel.analysis.lines->told) return "no line information: compile it with -lineinfo";
    return {};
}

namespace {

line_cost cost_of(const kernel_lines& lines, const line_use& use)
{
    line_cost cost{.frames = {}, .use = use};
    if (!lines.places || use.place >= lines.places->places.size()) return cost;
    const line_places& all = *lines.places;
    for (std::uint32_t next = use.place + 1; next != 0 && cost.frames.size() < max_depth;) {
        const line_place& place = all.places[next - 1];
        cost.frames.push_back({.file = all.files[place.file],
                               .line = static_cast<int>(place.line),
                               .function = all.functions[place.function]});
        next = place.inlined_into;
    }
    return cost;
}

}  // namespace

}  // namespace launchbox
