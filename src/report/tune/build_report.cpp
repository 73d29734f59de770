// SPDX-License-Identifier: Apache-2.0
#include "report/tune/build_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/tune/run_cells.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

using nlohmann::ordered_json;

namespace {

constexpr std::size_t max_rows = 20;

std::string figure(const std::optional<int>& value)
{
    return value ? std::to_string(*value) : "?";
}

std::string bytes_text(const std::optional<std::int64_t>& value)
{
    return value ? with_commas(*value) : "?";
}

struct group {
    std::size_t count = 0;
    const built_candidate* example = nullptr;
};

// Groups by status; the built ones come first.
std::vector<std::pair<std::string, group>> groups_of(const build_report& report, bool built_too)
{
    std::map<build_status, group> found;
    for (const built_candidate& candidate : report.candidates) {
        if (candidate.build.status == build_status::built && !built_too) continue;
        group& alike = found[candidate.build.status];
        ++alike.count;
        if (alike.example == nullptr) alike.example = &candidate;
    }
    std::vector<std::pair<std::string, group>> groups;
    for (const auto& [status, alike] : found) groups.emplace_back(words_of(status), alike);
    return groups;
}

std::string text_of_example(const built_candidate& candidate)
{
    const std::string text = parameter_text(joined(candidate.parameters, candidate.workload));
    return candidate.build.reason.empty() ? text : text + ": " + candidate.build.reason;
}

std::optional<std::int64_t> spilled(const kernel_info& kernel)
{
    if (!kernel.figures.spill_store_bytes || !kernel.figures.spill_load_bytes) return std::nullopt;
    return *kernel.figures.spill_store_bytes + *kernel.figures.spill_load_bytes;
}

// Fewest spilled bytes first, since they cost traffic; then the fullest SM.
auto order_of(const built_candidate* candidate)
{
    constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
    const kernel_info& kernel = *candidate->build.kernel;
    return std::tuple(spilled(kernel).value_or(unknown), -candidate->launch->occupancy,
                      kernel.figures.registers.value_or(std::numeric_limits<int>::max()));
}

// Builds of one workload, in the order of the report.
struct ranked_builds {
    std::vector<assignment> workloads;  // with equal figures
    std::vector<const built_candidate*> candidates;
};

bool is_same(const ranked_builds& one, const ranked_builds& other)
{
    return std::ranges::equal(one.candidates, other.candidates, [](const auto* a, const auto* b) {
        return a->parameters == b->parameters && a->launch == b->launch && order_of(a) == order_of(b) &&
               a->build.kernel->figures.static_shared_bytes == b->build.kernel->figures.static_shared_bytes;
    });
}

std::vector<ranked_builds> rankings_of(const build_report& report)
{
    std::vector<ranked_builds> all;
    for (const built_candidate& candidate : report.candidates) {
        if (candidate.build.status != build_status::built || !candidate.launch || !candidate.build.kernel) continue;
        auto place = std::ranges::find_if(
            all, [&](const ranked_builds& one) { return one.workloads.front() == candidate.workload; });
        if (place == all.end()) place = all.insert(all.end(), {{candidate.workload}, {}});
        place->candidates.push_back(&candidate);
    }
    std::vector<ranked_builds> different;
    for (ranked_builds& one : all) {
        std::ranges::sort(one.candidates, [](const built_candidate* a, const built_candidate* b) {
            const auto first = order_of(a), second = order_of(b);
            return first != second ? first < second : a->parameters.values < b->parameters.values;
        });
        const auto same = std::ranges::find_if(different, [&](const auto& other) { return is_same(one, other); });
        if (same == different.end())
            different.push_back(std::move(one));
        else
            same->workloads.push_back(one.workloads.front());
    }
    return different;
}

void add_ranking(document& page, const ranked_builds& ranking, bool several)
{
    std::string title = counted(ranking.candidates.size(), "candidate", "candidates") + " built";
    if (several) {
        std::string names = workload_name(ranking.workloads.front());
        if (ranking.workloads.size() > 1)
            names += fmt::format(" and {}", counted(ranking.workloads.size() - 1, "other workload", "other workloads"));
        title = names + ": " + title;
    }
    page.heading(title);
    std::vector<const assignment*> parameters;
    for (const built_candidate* one : ranking.candidates) parameters.push_back(&one->parameters);
    const parameter_columns columns = columns_of(parameters);
    table rows{{{"#", true}}, {}};
    add_columns(columns, rows);
    // A parameter of this name nearly always is this figure.
    const bool has_threads = ranking.candidates.front()->parameters.find("threads") != nullptr;
    if (!has_threads) rows.columns.push_back({"threads", true});
    for (const char* name : {"regs", "spills", "shared", "resident", "occ."}) rows.columns.push_back({name, true});
    add_last_column(columns, "note", rows);
    const auto baseline = std::ranges::find_if(ranking.candidates, [](const auto* one) { return one->is_baseline; });
    const auto uses_shared = [](const built_candidate& one) {
        return one.build.kernel->figures.static_shared_bytes.value_or(0) + one.launch->dynamic_shared_bytes > 0;
    };
    // The candidate's values may leave loops empty, so that the compiler has nothing to compile.
    const auto note_of = [&](const built_candidate& one) -> std::string {
        if (one.is_baseline) return "baseline";
        const bool differs = baseline != ranking.candidates.end() && uses_shared(**baseline) && !uses_shared(one);
        return differs ? "no shared memory: check its results" : "";
    };
    std::size_t left_out = 0;
    for (std::size_t place = 0; place < ranking.candidates.size(); ++place) {
        const built_candidate& one = *ranking.candidates[place];
        if (place >= max_rows && !one.is_baseline) {
            ++left_out;
            continue;
        }
        const kernel_figures& figures = one.build.kernel->figures;
        const auto shared = figures.static_shared_bytes
                                ? std::optional(*figures.static_shared_bytes + one.launch->dynamic_shared_bytes)
                                : std::nullopt;
        std::vector<cell> row{std::to_string(place + 1)};
        add_cells(columns, one.parameters, row);
        if (!has_threads) row.emplace_back(with_commas(one.launch->threads));
        row.emplace_back(figure(figures.registers));
        row.emplace_back(bytes_text(figures.spill_store_bytes) + "/" + bytes_text(figures.spill_load_bytes),
                         spilled(*one.build.kernel).value_or(0) > 0 ? tone::warning : tone::plain);
        row.emplace_back(bytes_text(shared));
        row.emplace_back(std::to_string(one.launch->resident_blocks));
        row.emplace_back(fmt::format("{:.3g} %", 100 * one.launch->occupancy));
        add_last_cell(columns, one.parameters, {note_of(one)}, row);
        rows.rows.push_back(std::move(row));
    }
    page.add(std::move(rows));
    if (!columns.constant.empty()) page.line("  all with " + columns.constant);
    if (left_out > 0)
        page.line(fmt::format("  {} more: --format csv or json lists them",
                              with_commas(static_cast<std::int64_t>(left_out))));
}

}  // namespace

document build_document(const std::vector<build_report>& reports)
{
    document page;
    bool ranked = false;
    for (const build_report& report : reports) {
        page.heading(report.name + (report.architecture.empty() ? "" : ", " + report.architecture));
        const std::vector<ranked_builds> rankings = rankings_of(report);
        for (const ranked_builds& ranking : rankings)
            add_ranking(page, ranking, rankings.size() > 1 || ranking.workloads.size() > 1);
        ranked |= !rankings.empty();
        table rows{.columns = {{rankings.empty() ? "outcome" : "not built"}, {"count", true}, {"for example"}},
                   .rows = {}};
        for (const auto& [name, group] : groups_of(report, rankings.empty()))
            rows.rows.push_back({name, with_commas(static_cast<std::int64_t>(group.count)),
                                 escape_for_terminal(text_of_example(*group.example))});
        if (rows.rows.empty()) continue;
        if (!rankings.empty()) page.line("");
        page.add(std::move(rows));
    }
    if (ranked) {
        page.line("");
        page.line(
            "Ranked by spilled bytes, then occupancy, then registers. To find the fastest, measure them: launchbox "
            "tune without --build-only.");
    }
    return page;
}

static ordered_json json_of_launch(const built_launch& launch)
{
    return {{"threads", launch.threads},
            {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
            {"resident_blocks", launch.resident_blocks},
            {"occupancy", launch.occupancy}};
}

ordered_json build_json(const std::vector<build_report>& reports)
{
    ordered_json all{{"schema", "launchbox.builds/1"}, {"candidates", ordered_json::array()}};
    for (const build_report& report : reports)
        for (const built_candidate& candidate : report.candidates)
            all["candidates"].push_back(
                {{"tunable", json_text(report.name)},
                 {"architecture", text_or_null(report.architecture)},
                 {"parameters", json_of(candidate.parameters)},
                 {"workload", json_of(candidate.workload)},
                 {"outcome", name_of(candidate.build.status)},
                 {"reason", text_or_null(candidate.build.reason)},
                 {"baseline", candidate.is_baseline},
                 {"resources", candidate.build.kernel ? json_of(*candidate.build.kernel) : ordered_json()},
                 {"launch", candidate.launch ? json_of_launch(*candidate.launch) : ordered_json()},
                 {"from_cache", candidate.build.from_cache},
                 {"log", text_or_null(candidate.build.log)}});
    return all;
}

table build_table(const std::vector<build_report>& reports)
{
    ordered_json rows = ordered_json::array();
    const auto row_of = [](const build_report& report, const built_candidate& candidate) {
        const kernel_figures figures = candidate.build.kernel ? candidate.build.kernel->figures : kernel_figures();
        ordered_json row{
            {"tunable", report.name},
            {"architecture", report.architecture},
            {"parameters", parameter_text(candidate.parameters)},
            {"workload", parameter_text(candidate.workload)},
            {"outcome", name_of(candidate.build.status)},
            {"reason", json_text(candidate.build.reason)},
            {"registers", or_null(figures.registers)},
            {"spill_bytes", candidate.build.kernel ? or_null(spilled(*candidate.build.kernel)) : ordered_json()},
            {"static_shared_bytes", or_null(figures.static_shared_bytes)}};
        const ordered_json launch = candidate.launch ? json_of_launch(*candidate.launch) : ordered_json();
        for (const char* name : {"dynamic_shared_bytes", "threads", "resident_blocks"})
            row[name] = candidate.launch ? launch[name] : ordered_json();
        row["occupancy"] = candidate.launch ? fmt::format("{:.4g}", candidate.launch->occupancy) : "";
        return row;
    };
    for (const build_report& report : reports)
        for (const built_candidate& candidate : report.candidates) rows.push_back(row_of(report, candidate));
    return flat_table(rows, row_of({}, {}));
}

}  // namespace launchbox
