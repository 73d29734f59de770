// SPDX-License-Identifier: Apache-2.0
#include "report/capture/launches_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "report/core/short_names.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/occupancy/occupancy_report.hpp"
#include "support/text/counted.hpp"
#include "support/text/rounded_number.hpp"

namespace launchbox {

namespace {

constexpr std::size_t kernels_shown = 20, shapes_shown = 5, findings_shown = 10;
constexpr int widest_finding_name = 48;

// 0.034 ms, 1.23 ms, 4,560 ms: three significant digits.
std::string launch_time(double ns)
{
    const double ms = ns * 1e-6;
    if (ms >= 1000) return rounded_with_commas(ms) + " ms";
    return fmt::format("{:.{}f} ms", ms, ms >= 100 ? 0 : ms >= 10 ? 1 : ms >= 1 ? 2 : 3);
}

std::string launch_microseconds(double ns)
{
    const double us = ns * 1e-3;
    if (us >= 1000) return rounded_with_commas(us);
    return fmt::format("{:.{}f}", us, us >= 100 ? 0 : us >= 10 ? 1 : 2);
}

// "1,024", "32 × 8", "4 × 4 × 2".
std::string sizes_text(const std::array<std::uint32_t, 3>& sizes)
{
    std::string text = with_commas(sizes[0]);
    if (sizes[1] > 1 || sizes[2] > 1) text += " × " + with_commas(sizes[1]);
    if (sizes[2] > 1) text += " × " + with_commas(sizes[2]);
    return text;
}

bool has_cluster(const observed_launches& launches)
{
    return launches.key.cluster[0] > 1 || launches.key.cluster[1] > 1 || launches.key.cluster[2] > 1;
}

std::string waves_text(const observed_launches& launches)
{
    if (!launches.account || !launches.account->waves) return "?";
    if (launches.sms_used) return fmt::format("{} SMs", *launches.sms_used);
    const wave_account& waves = *launches.account->waves;
    return fmt::format("{:.2f}", waves.waves);
}

// "23,552+4,096": static and dynamic.
std::string launch_shared_text(const observed_launches& launches)
{
    std::string text =
        launches.kernel.figures.static_shared_bytes ? with_commas(*launches.kernel.figures.static_shared_bytes) : "?";
    if (launches.key.dynamic_shared_bytes != 0) text += "+" + with_commas(launches.key.dynamic_shared_bytes);
    return text;
}

// The names of kernels in `room` columns; those of one program are shortened so that they still differ.
std::map<std::string, std::string> shown_names(const observed_run& run, int room)
{
    std::vector<std::string> names;
    for (const observed_launches& launches : run.launches) names.push_back(escape_for_terminal(launches.short_form));
    const std::vector<std::string> shown = shortened_apart(names, room);
    std::map<std::string, std::string> of_kernels;
    for (std::size_t i = 0; i < shown.size(); ++i) of_kernels.emplace(run.launches[i].name, shown[i]);
    return of_kernels;
}

// Special properties of a launch: "cooperative, cluster 4, carveout 100 %, graph".
std::string launch_kind(const observed_launches& launches)
{
    std::string text;
    const auto add = [&](const std::string& more) { text += (text.empty() ? "" : ", ") + more; };
    if (launches.key.cooperative == record::cooperative_state::yes) add("cooperative");
    if (launches.key.cooperative == record::cooperative_state::unknown) add("cooperative or not");
    if (has_cluster(launches))
        add("cluster " + sizes_text(launches.key.cluster));
    else if (launches.key.extended != 0)
        add("extended");
    if (launches.key.carveout_percent >= 0) add(fmt::format("carveout {} %", launches.key.carveout_percent));
    if (launches.key.in_graph != 0) add("graph");
    return text;
}

table shapes_table(const std::vector<const observed_launches*>& shapes)
{
    table rows{{{"launches", true},
                {"median µs", true},
                {"grid", true},
                {"block", true},
                {"shared B", true},
                {"regs", true},
                {"spills", true},
                {"resident", true},
                {"occ.", true},
                {"waves", true},
                {"limited by"}},
               {}};
    for (const observed_launches* of : shapes) {
        std::vector<cell> row{{with_commas(static_cast<std::int64_t>(of->count))},
                              {(of->median_of_sample ? "≈" : "") + launch_microseconds(of->median_ns)},
                              {sizes_text(of->key.grid)},
                              {sizes_text(of->key.block)},
                              {launch_shared_text(*of)},
                              {of->kernel.figures.registers ? std::to_string(*of->kernel.figures.registers) : "?"},
                              spills_cell(of->kernel)};
        if (of->account) {
            row.emplace_back(std::to_string(of->account->result.resident_blocks));
            row.emplace_back(percent(of->account->result.occupancy()));
        } else {
            row.insert(row.end(), 2, {"?"});
        }
        row.emplace_back(waves_text(*of), of->sms_used ? tone::warning : tone::plain);
        const std::string kind = launch_kind(*of);
        row.emplace_back((of->account ? limiter_names(of->account->result) : "?") + (kind.empty() ? "" : "; " + kind));
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

// The shapes of each kernel by time, and the kernels by time.
std::vector<std::vector<const observed_launches*>> by_kernel(const observed_run& run)
{
    std::map<std::string, std::size_t> places;
    std::vector<std::vector<const observed_launches*>> kernels;
    for (const observed_launches& launches : run.launches) {
        const auto [place, is_new] = places.emplace(launches.name, kernels.size());
        if (is_new) kernels.emplace_back();
        kernels[place->second].push_back(&launches);
    }
    const auto time = [](const auto& shapes) {
        double ns = 0;
        for (const observed_launches* of : shapes) ns += of->total_ns;
        return ns;
    };
    std::stable_sort(kernels.begin(), kernels.end(),
                     [&](const auto& one, const auto& other) { return time(one) > time(other); });
    return kernels;
}

void add_kernels(document& page, const observed_run& run, const launches_view& view)
{
    const auto kernels = by_kernel(run);
    const auto names = shown_names(run, widest_title);
    std::size_t shown = 0;
    for (const auto& shapes : kernels) {
        if (!view.all && shown == kernels_shown) break;
        ++shown;
        double ns = 0;
        std::uint64_t count = 0;
        for (const observed_launches* of : shapes) {
            ns += of->total_ns;
            count += of->count;
        }
        page.heading(names.at(shapes.front()->name));
        page.line(
            fmt::format("  {}, {} of the time of all kernels, {}", launch_time(ns),
                        percent(run.kernel_ns > 0 ? ns / run.kernel_ns : 0), counted(count, "launch", "launches")),
            tone::faint);
        auto listed = shapes;
        if (!view.all && listed.size() > shapes_shown) listed.resize(shapes_shown);
        page.add(shapes_table(listed));
        if (listed.size() < shapes.size())
            page.line(fmt::format("  and {} in other shapes: --all lists them",
                                  counted(shapes.size() - listed.size(), "row", "rows")),
                      tone::faint);
        if (!shapes.front()->image_unknown.empty())
            page.line(
                "  ? " + shapes.front()->image_unknown + "; registers and shared memory are those that CUPTI reports",
                tone::faint);
    }
    if (shown < kernels.size())
        page.line(
            fmt::format("and {}: --all lists them", counted(kernels.size() - shown, "kernel more", "kernels more")),
            tone::faint);
}

struct ranked_finding {
    const observed_launches* launches = nullptr;
    const launch_finding* finding = nullptr;
};

std::vector<ranked_finding> ranked(const observed_run& run)
{
    std::vector<ranked_finding> all;
    for (const observed_launches& launches : run.launches)
        for (const launch_finding& finding : launches.findings) all.push_back({&launches, &finding});
    std::stable_sort(all.begin(), all.end(), [](const ranked_finding& one, const ranked_finding& other) {
        return one.finding->max_gain_ns > other.finding->max_gain_ns;
    });
    return all;
}

void add_findings(document& page, const observed_run& run, const launches_view& view)
{
    const auto all = ranked(run);
    if (all.empty()) return;
    page.heading("What could be gained, at most");
    const auto names = shown_names(run, widest_finding_name);
    std::size_t shown = 0;
    for (const auto& [launches, finding] : all) {
        if (!view.all && shown == findings_shown) break;
        ++shown;
        const std::string most = finding->max_gain_ns > 0 ? launch_time(finding->max_gain_ns) : "?";
        const bool is_cooperative = launches->key.cooperative == record::cooperative_state::yes;
        page.line(
            fmt::format("  {}  {} <<<{}, {}>>>{}: {}", most, names.at(launches->name), sizes_text(launches->key.grid),
                        sizes_text(launches->key.block), is_cooperative ? " (cooperative)" : "", finding->text),
            tone::warning);
        page.line("    → " + finding->step);
    }
    if (shown < all.size())
        page.line(fmt::format("  and {}: --all lists them", counted(all.size() - shown, "finding", "findings")),
                  tone::faint);
}

std::string gpu_text(const observed_gpu& gpu)
{
    return fmt::format("{} ({}, {} SMs)", escape_for_terminal(gpu.name), architecture_name(gpu.capability).view(),
                       gpu.sms);
}

void add_summary(document& page, const observed_run& run)
{
    page.heading(fmt::format("{} of {} in {} of kernels", counted(run.count, "launch", "launches"),
                             counted(by_kernel(run).size(), "kernel", "kernels"), launch_time(run.kernel_ns)));
    std::string where;
    for (const observed_gpu& gpu : run.gpus) where += (where.empty() ? "  " : ", ") + gpu_text(gpu);
    if (!where.empty()) page.line(where, tone::faint);
    if (run.span_ns > 0 && run.processes.size() == 1)
        page.line(fmt::format("  {} launches a second, from the first to the end of the last ({}); kernels took {} of "
                              "that time",
                              rounded_with_commas(static_cast<double>(run.count) / (run.span_ns * 1e-9)),
                              launch_time(run.span_ns), percent(run.kernel_ns / run.span_ns)),
                  tone::faint);
    if (run.processes.size() > 1)
        page.line(fmt::format("  {} processes", count_text(run.processes.size())), tone::faint);
}

}  // namespace

document launches_document(const observed_run& run, const launches_view& view)
{
    document page;
    add_summary(page, run);
    for (const std::string& warning : run.warnings) page.line("  " + escape_for_terminal(warning), tone::warning);
    add_kernels(page, run, view);
    if (view.findings) add_findings(page, run, view);
    return page;
}

document launch_findings_document(const observed_run& run)
{
    document page;
    add_findings(page, run, {});
    return page;
}

}  // namespace launchbox
