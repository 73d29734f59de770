// SPDX-License-Identifier: Apache-2.0
#include "advice/check/baseline_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "advice/check/baseline.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// By severity: a kernel that cannot run, a lost bound, warps, memory, registers.
constexpr std::pair<std::string_view, const char*> figures[] = {
    {"baseline_architecture", "{}"},
    {"baseline_launch_bounds", "bounds {}"},
    {"baseline_resident_threads", "{} resident"},
    {"baseline_spill_bytes", "{} spilled"},
    {"baseline_shared_spill_bytes", "{} spilled to shared memory"},
    {"baseline_registers", "{} registers"},
    {"baseline_stack_bytes", "{} stack"},
    {"baseline_static_shared", "{} static shared"},
    {"baseline_build", "{} build"}};

std::size_t rank_of(std::string_view check)
{
    const auto* found = std::ranges::find(figures, check, &std::pair<std::string_view, const char*>::first);
    return static_cast<std::size_t>(found - std::begin(figures));
}

std::string shown(std::string_view check, const std::string& value)
{
    if (check == "baseline_launch_bounds" && value == "none") return "no launch bounds";
    return fmt::format(fmt::runtime(figures[rank_of(check)].second), value);
}

// A change with its sort keys.
struct ranked_change {
    baseline_change change;
    std::size_t rank = std::size(figures);  ///< of the worst figure
    double factor = 0;                      ///< by which the worst figure changed

    void weigh(std::size_t figure, const std::optional<double>& before, const std::optional<double>& now)
    {
        const double from = before.value_or(0), to = now.value_or(0);
        const double by = std::max(from, to) / std::max(1.0, std::min(from, to));
        if (figure < rank || (figure == rank && by > factor)) std::tie(rank, factor) = std::tuple(figure, by);
    }
};

void add_changed(const check_result& result, std::vector<ranked_change>& changes);
std::vector<changed_figure> figures_of(const baseline_entry& entry, bool now);

}  // namespace

const char* verdict_name(baseline_verdict verdict)
{
    constexpr const char* names[] = {"worse", "unknown", "new", "better", "gone"};
    return names[static_cast<std::size_t>(verdict)];
}

std::vector<baseline_change> baseline_changes(const check_result& result)
{
    std::vector<ranked_change> changes;
    add_changed(result, changes);
    for (std::size_t k : result.new_kernels) {
        baseline_change change{
            .verdict = baseline_verdict::added, .kernel = k, .gone = {}, .architecture = {}, .figures = {}};
        const baseline_entry entry = entry_of(result.kernels[k]);
        change.architecture = entry.architecture;
        change.figures = figures_of(entry, true);
        changes.push_back({std::move(change)});
    }
    for (std::size_t g = 0; g < result.gone.size(); ++g) {
        const gone_kernel& gone = result.gone[g];
        baseline_change change{.verdict = gone.fails ? baseline_verdict::worse : baseline_verdict::gone,
                               .kernel = {},
                               .gone = g,
                               .architecture = gone.architecture,
                               .figures = figures_of(gone.before, false)};
        changes.push_back({std::move(change), gone.fails ? 0 : std::size(figures), 0});
    }
    std::ranges::stable_sort(changes, [](const ranked_change& a, const ranked_change& b) {
        return std::tuple(a.change.verdict, a.rank, -a.factor) < std::tuple(b.change.verdict, b.rank, -b.factor);
    });
    std::vector<baseline_change> sorted;
    for (ranked_change& one : changes) sorted.push_back(std::move(one.change));
    return sorted;
}

std::map<std::string, std::size_t> lost_architectures(const check_result& result)
{
    std::map<std::string, std::size_t> lost;
    for (const gone_kernel& gone : result.gone)
        if (gone.fails) ++lost[gone.architecture];
    for (const checked_kernel& kernel : result.kernels) lost.erase(architecture_where_run(kernel.info));
    std::erase_if(lost, [](const auto& one) { return one.second == 1; });
    return lost;
}

namespace {

// The findings of one kernel are adjacent.
void add_changed(const check_result& result, std::vector<ranked_change>& changes)
{
    for (const check_finding& finding : result.findings) {
        if (rank_of(finding.check) == std::size(figures)) continue;  // from the budget
        if (changes.empty() || changes.back().change.kernel != finding.kernel) {
            changes.emplace_back();
            changes.back().change.verdict = baseline_verdict::better;
            changes.back().change.kernel = finding.kernel;
            changes.back().change.architecture = architecture_where_run(result.kernels[finding.kernel].info);
        }
        ranked_change& one = changes.back();
        const baseline_verdict verdict = finding.status == check_status::broken    ? baseline_verdict::worse
                                         : finding.status == check_status::unknown ? baseline_verdict::unknown
                                                                                   : baseline_verdict::better;
        if (verdict < one.change.verdict) {
            one.change.verdict = verdict;
            one.rank = std::size(figures);
        }
        if (verdict == one.change.verdict) one.weigh(rank_of(finding.check), finding.limit, finding.value);
        one.change.figures.push_back({finding.check, finding.limit, finding.value,
                                      shown(finding.check, finding.shown_limit.empty() ? "?" : finding.shown_limit),
                                      shown(finding.check, finding.shown_value)});
    }
    for (ranked_change& one : changes)
        std::ranges::stable_sort(one.change.figures, {},
                                 [](const changed_figure& figure) { return rank_of(figure.check); });
}

std::vector<changed_figure> figures_of(const baseline_entry& entry, bool now)
{
    std::vector<changed_figure> found;
    const auto add = [&](const char* check, const std::optional<std::int64_t>& value, const std::string& text) {
        if (!value) return;
        changed_figure figure{.check = check, .before = {}, .now = {}, .shown_before = {}, .shown_now = {}};
        (now ? figure.now : figure.before) = static_cast<double>(*value);
        (now ? figure.shown_now : figure.shown_before) = shown(check, text);
        found.push_back(std::move(figure));
    };
    const auto bytes = [&](const char* check, const std::optional<std::int64_t>& value) {
        if (value.value_or(0) > 0) add(check, value, with_commas(*value) + " B");
    };
    const auto sum = [](const std::optional<std::int64_t>& a, const std::optional<std::int64_t>& b) {
        return a && b ? std::optional(*a + *b) : std::nullopt;
    };
    if (entry.registers) add("baseline_registers", entry.registers, with_commas(*entry.registers));
    bytes("baseline_spill_bytes", sum(entry.spill_store_bytes, entry.spill_load_bytes));
    bytes("baseline_shared_spill_bytes", sum(entry.shared_spill_store_bytes, entry.shared_spill_load_bytes));
    bytes("baseline_stack_bytes", std::max(entry.stack_frame_bytes, entry.cumulative_stack_bytes));
    bytes("baseline_static_shared", entry.static_shared_bytes);
    if (entry.resident)
        add("baseline_resident_threads", std::int64_t{entry.resident->blocks} * entry.resident->threads,
            fmt::format("{}x{}", entry.resident->blocks, entry.resident->threads));
    return found;
}

}  // namespace

}  // namespace launchbox
