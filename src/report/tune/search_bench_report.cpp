// SPDX-License-Identifier: Apache-2.0
#include "report/tune/search_bench_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/tune/run_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::string title_of(const benched_workload& benched)
{
    std::string title = benched.name.empty() ? benched.file : benched.name;
    if (!benched.device.empty()) title += " on " + benched.device;
    if (!benched.workload.values.empty()) title += ", " + parameter_text(benched.workload);
    return escape_for_terminal(title);
}

std::string percent_of(std::size_t target)
{
    return fmt::format("{:.0f}", replay_targets[target] * 100);
}

// "50 (118)", "430 (>1000)".
std::string evaluations_text(const replay_quantiles& quantiles, std::size_t max_evaluations)
{
    const auto text = [&](const std::optional<double>& value) {
        return value ? fmt::format("{:.0f}", *value) : fmt::format(">{}", max_evaluations);
    };
    return text(quantiles.median) + " (" + text(quantiles.p90) + ")";
}

std::string seconds_text(const replay_quantiles& quantiles)
{
    const auto text = [&](const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : "–"; };
    return text(quantiles.median) + " (" + text(quantiles.p90) + ")";
}

// Over all problems: the mean of the scores, and the geometric mean of the evaluations if all were reached.
table summary_of(const search_bench& found)
{
    struct sums {
        double score = 0, logs = 0, logs_90 = 0;
        std::size_t workloads = 0, reached = 0, reached_90 = 0;
    };
    std::map<std::string, sums> by_strategy;
    std::vector<std::string> order;
    for (const benched_workload& benched : found.workloads)
        for (const benched_strategy& strategy : benched.strategies) {
            if (!by_strategy.contains(strategy.name)) order.push_back(strategy.name);
            sums& sum = by_strategy[strategy.name];
            sum.score += strategy.figures.score;
            ++sum.workloads;
            const replay_quantiles& within_5 = strategy.figures.evaluations[1];
            if (within_5.median) sum.logs += std::log(*within_5.median), ++sum.reached;
            if (within_5.p90) sum.logs_90 += std::log(*within_5.p90), ++sum.reached_90;
        }
    table rows{{{"strategy"}, {"score", true}, {"to 5 %, median", true}, {"90 %", true}, {"reached on", true}}, {}};
    for (const std::string& name : order) {
        const sums& sum = by_strategy[name];
        const auto mean = [&](double logs, std::size_t count) {
            return count == sum.workloads ? fmt::format("{:.0f}", std::exp(logs / static_cast<double>(count))) : "–";
        };
        rows.rows.push_back({name, fmt::format("{:.3f}", sum.score / static_cast<double>(sum.workloads)),
                             mean(sum.logs, sum.reached), mean(sum.logs_90, sum.reached_90),
                             fmt::format("{} of {}", sum.reached_90, sum.workloads)});
    }
    return rows;
}

}  // namespace

document search_bench_document(const search_bench& found)
{
    document page;
    if (!found.held_out.empty()) add_held_out(found.held_out, *found.left_out, page);
    for (const benched_workload& benched : found.workloads) {
        page.heading(title_of(benched));
        page.line(fmt::format(
            "  {} candidates, {} measured{}; the best is {:.2f} × as fast as the median; random search reaches 95 % "
            "after {}{}",
            with_commas(static_cast<std::int64_t>(benched.candidates)),
            with_commas(static_cast<std::int64_t>(benched.measured)),
            benched.screened > 0 ? fmt::format(", {} rejected unmeasured", benched.screened) : "",
            benched.median_ns / benched.best_ns, benched.of_chance,
            benched.of_score < benched.of_chance ? fmt::format(", the score covers the first {}", benched.of_score)
                                                 : ""));
        table rows{{{"strategy"},
                    {"to 10 %", true},
                    {"to 5 %", true},
                    {"to 1 %", true},
                    {"seconds to 5 %", true},
                    {"score", true}},
                   {}};
        for (const benched_strategy& strategy : benched.strategies) {
            const replay_figures& figures = strategy.figures;
            rows.rows.push_back({strategy.name, evaluations_text(figures.evaluations[0], found.max_evaluations),
                                 evaluations_text(figures.evaluations[1], found.max_evaluations),
                                 evaluations_text(figures.evaluations[2], found.max_evaluations),
                                 seconds_text(figures.seconds[1]), fmt::format("{:.3f}", figures.score)});
        }
        page.add(std::move(rows));
        page.line("");
    }
    if (found.workloads.size() > 1) {
        page.heading(
            fmt::format("All {} (geometric means of evaluations; 90 % reached on all, or –)", found.workloads.size()));
        page.add(summary_of(found));
        page.line("");
    }
    for (const std::string& note : found.notes) page.line("  note: " + escape_for_terminal(note), tone::faint);
    if (!found.workloads.empty())
        page.line(
            fmt::format("  Evaluations until within 10, 5, 1 % of the best: median (90th percentile) of {} searches.",
                        found.repeats),
            tone::faint);
    return page;
}

nlohmann::ordered_json search_bench_json(const search_bench& found)
{
    const auto quantiles_json = [&](const replay_quantiles& quantiles) {
        return ordered_json{{"median", or_null(quantiles.median)}, {"p90", or_null(quantiles.p90)}};
    };
    ordered_json json;
    json["schema"] = "launchbox.search/1";
    json["repeats"] = found.repeats;
    json["most"] = found.max_evaluations;
    json["seed"] = found.seed;
    json["interrupted"] = found.interrupted;
    json["notes"] = value_json(found.notes);
    json["left_out"] = found.left_out ? ordered_json(name_of(*found.left_out)) : ordered_json(nullptr);
    json["held_out"] = held_out_json(found.held_out);
    json["problems"] = ordered_json::array();
    for (const benched_workload& benched : found.workloads) {
        ordered_json made{{"file", json_text(benched.file)},
                          {"run", benched.run},
                          {"name", json_text(benched.name)},
                          {"device", text_or_null(benched.device)},
                          {"workload", values_json(benched.workload)}};
        made["candidates"] = benched.candidates;
        made["measured"] = benched.measured;
        made["rejected"] = benched.screened;
        made["best_ns"] = benched.best_ns;
        made["median_ns"] = benched.median_ns;
        made["evaluations_of_chance"] = benched.of_chance;
        made["evaluations_of_score"] = benched.of_score;
        made["strategies"] = ordered_json::array();
        for (const benched_strategy& searched : benched.strategies) {
            ordered_json strategy{{"strategy", searched.name}, {"score", searched.figures.score}};
            strategy["within"] = ordered_json::array();
            for (std::size_t i = 0; i < replay_targets.size(); ++i)
                strategy["within"].push_back({{"percent", std::lround(replay_targets[i] * 100)},
                                              {"evaluations", quantiles_json(searched.figures.evaluations[i])},
                                              {"seconds", quantiles_json(searched.figures.seconds[i])}});
            made["strategies"].push_back(std::move(strategy));
        }
        json["problems"].push_back(std::move(made));
    }
    return json;
}

table search_bench_table(const search_bench& found)
{
    if (!found.held_out.empty()) return held_out_table(found.held_out);
    const auto row_of = [](const benched_workload& benched, const benched_strategy& strategy) {
        ordered_json row{{"file", json_text(benched.file)},
                         {"run", benched.run},
                         {"name", json_text(benched.name)},
                         {"device", json_text(benched.device)},
                         {"workload", json_text(parameter_text(benched.workload))},
                         {"candidates", benched.candidates},
                         {"measured", benched.measured},
                         {"strategy", strategy.name},
                         {"score", fmt::format("{}", strategy.figures.score)}};
        for (const auto& [what, all] :
             {std::pair("evaluations", &strategy.figures.evaluations), {"seconds", &strategy.figures.seconds}})
            for (std::size_t i = 0; i < replay_targets.size(); ++i)
                for (const auto& [quantile, value] : {std::pair("median", (*all)[i].median), {"p90", (*all)[i].p90}})
                    row[fmt::format("{}_to_{}_{}", what, percent_of(i), quantile)] =
                        value ? fmt::format("{}", *value) : "";
        return row;
    };
    ordered_json rows = ordered_json::array();
    for (const benched_workload& benched : found.workloads)
        for (const benched_strategy& strategy : benched.strategies) rows.push_back(row_of(benched, strategy));
    return flat_table(rows, row_of({}, {}));
}

}  // namespace launchbox
