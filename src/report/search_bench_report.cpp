#include "report/search_bench_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "report/json.hpp"
#include "report/run_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::string title_of(const benched_problem& problem)
{
    std::string title = problem.name.empty() ? problem.file : problem.name;
    if (!problem.device.empty()) title += " on " + problem.device;
    if (!problem.workload.values.empty()) title += ", " + text_of(problem.workload);
    return escape_for_terminal(title);
}

std::string percent_of(std::size_t target)
{
    return fmt::format("{:.0f}", replay_targets[target] * 100);
}

// "50 (118)", "430 (>1000)".
std::string evaluations_text(const replay_quantiles& quantiles, std::size_t most)
{
    const auto text = [&](const std::optional<double>& value) {
        return value ? fmt::format("{:.0f}", *value) : fmt::format(">{}", most);
    };
    return text(quantiles.median) + " (" + text(quantiles.p90) + ")";
}

std::string seconds_text(const replay_quantiles& quantiles)
{
    const auto text = [&](const std::optional<double>& value) { return value ? fmt::format("{:.3g}", *value) : "–"; };
    return text(quantiles.median) + " (" + text(quantiles.p90) + ")";
}

// Over all problems: the mean of the scores, and the geometric mean of the evaluations where all were reached.
table summary_of(const search_bench& found)
{
    struct sums {
        double score = 0, logs = 0, logs_90 = 0;
        std::size_t problems = 0, reached = 0, reached_90 = 0;
    };
    std::map<std::string, sums> by_strategy;
    std::vector<std::string> order;
    for (const benched_problem& problem : found.problems)
        for (const benched_strategy& each : problem.strategies) {
            if (!by_strategy.contains(each.name)) order.push_back(each.name);
            sums& sum = by_strategy[each.name];
            sum.score += each.figures.score;
            ++sum.problems;
            const replay_quantiles& within_5 = each.figures.evaluations[1];
            if (within_5.median) sum.logs += std::log(*within_5.median), ++sum.reached;
            if (within_5.p90) sum.logs_90 += std::log(*within_5.p90), ++sum.reached_90;
        }
    table rows{{{"strategy"}, {"score", true}, {"to 5 %, median", true}, {"90 %", true}, {"reached on", true}}, {}};
    for (const std::string& name : order) {
        const sums& sum = by_strategy[name];
        const auto mean = [&](double logs, std::size_t count) {
            return count == sum.problems ? fmt::format("{:.0f}", std::exp(logs / static_cast<double>(count))) : "–";
        };
        rows.rows.push_back({name, fmt::format("{:.3f}", sum.score / static_cast<double>(sum.problems)),
                             mean(sum.logs, sum.reached), mean(sum.logs_90, sum.reached_90),
                             fmt::format("{} of {}", sum.reached_90, sum.problems)});
    }
    return rows;
}

}  // namespace

document search_bench_document(const search_bench& found)
{
    document page;
    for (const benched_problem& problem : found.problems) {
        page.heading(title_of(problem));
        page.line(
            fmt::format("  {} candidates, {} measured{}; the best is {:.2f} × as fast as the median; chance is there "
                        "at 95 % after {}",
                        with_commas(static_cast<std::int64_t>(problem.candidates)),
                        with_commas(static_cast<std::int64_t>(problem.measured)),
                        problem.screened > 0 ? fmt::format(", {} rejected unmeasured", problem.screened) : "",
                        problem.median_ns / problem.best_ns, problem.of_chance));
        table rows{{{"strategy"},
                    {"to 10 %", true},
                    {"to 5 %", true},
                    {"to 1 %", true},
                    {"seconds to 5 %", true},
                    {"score", true}},
                   {}};
        for (const benched_strategy& each : problem.strategies) {
            const replay_figures& figures = each.figures;
            rows.rows.push_back({each.name, evaluations_text(figures.evaluations[0], found.most),
                                 evaluations_text(figures.evaluations[1], found.most),
                                 evaluations_text(figures.evaluations[2], found.most), seconds_text(figures.seconds[1]),
                                 fmt::format("{:.3f}", figures.score)});
        }
        page.add(std::move(rows));
        page.line("");
    }
    if (found.problems.size() > 1) {
        page.heading(
            fmt::format("All {} (geometric means of evaluations; 90 % reached on all, or –)", found.problems.size()));
        page.add(summary_of(found));
        page.line("");
    }
    for (const std::string& each : found.notes) page.line("  note: " + escape_for_terminal(each), tone::faint);
    page.line(fmt::format("  Evaluations until within 10, 5, 1 % of the best: median (90th percentile) of {} searches.",
                          found.repeats),
              tone::faint);
    return page;
}

nlohmann::ordered_json search_bench_json(const search_bench& found)
{
    const auto quantiles_json = [&](const replay_quantiles& each) {
        return ordered_json{{"median", or_null(each.median)}, {"p90", or_null(each.p90)}};
    };
    ordered_json json;
    json["schema"] = "launchbox.search/1";
    json["repeats"] = found.repeats;
    json["most"] = found.most;
    json["seed"] = found.seed;
    json["interrupted"] = found.interrupted;
    json["notes"] = texts_json(found.notes);
    json["problems"] = ordered_json::array();
    for (const benched_problem& problem : found.problems) {
        ordered_json made{{"file", json_text(problem.file)},
                          {"run", problem.run},
                          {"name", json_text(problem.name)},
                          {"device", text_or_null(problem.device)},
                          {"workload", values_json(problem.workload)}};
        made["candidates"] = problem.candidates;
        made["measured"] = problem.measured;
        made["rejected"] = problem.screened;
        made["best_ns"] = problem.best_ns;
        made["median_ns"] = problem.median_ns;
        made["evaluations_of_chance"] = problem.of_chance;
        made["strategies"] = ordered_json::array();
        for (const benched_strategy& each : problem.strategies) {
            ordered_json strategy{{"strategy", each.name}, {"score", each.figures.score}};
            strategy["within"] = ordered_json::array();
            for (std::size_t i = 0; i < replay_targets.size(); ++i)
                strategy["within"].push_back({{"percent", std::lround(replay_targets[i] * 100)},
                                              {"evaluations", quantiles_json(each.figures.evaluations[i])},
                                              {"seconds", quantiles_json(each.figures.seconds[i])}});
            made["strategies"].push_back(std::move(strategy));
        }
        json["problems"].push_back(std::move(made));
    }
    return json;
}

table search_bench_table(const search_bench& found)
{
    table rows;
    for (const char* title :
         {"file", "run", "name", "device", "workload", "candidates", "measured", "strategy", "score"})
        rows.columns.push_back({title});
    for (const char* what : {"evaluations", "seconds"})
        for (std::size_t i = 0; i < replay_targets.size(); ++i)
            for (const char* quantile : {"median", "p90"})
                rows.columns.push_back({fmt::format("{}_to_{}_{}", what, percent_of(i), quantile)});
    const auto text = [](const std::optional<double>& value) { return value ? fmt::format("{}", *value) : ""; };
    for (const benched_problem& problem : found.problems)
        for (const benched_strategy& each : problem.strategies) {
            std::vector<cell> cells{escape_for_terminal(problem.file),
                                    std::to_string(problem.run),
                                    escape_for_terminal(problem.name),
                                    escape_for_terminal(problem.device),
                                    escape_for_terminal(text_of(problem.workload)),
                                    std::to_string(problem.candidates),
                                    std::to_string(problem.measured),
                                    each.name,
                                    fmt::format("{}", each.figures.score)};
            for (const auto& all : {each.figures.evaluations, each.figures.seconds})
                for (const replay_quantiles& quantiles : all) {
                    cells.emplace_back(text(quantiles.median));
                    cells.emplace_back(text(quantiles.p90));
                }
            rows.rows.push_back(std::move(cells));
        }
    return rows;
}

}  // namespace launchbox
