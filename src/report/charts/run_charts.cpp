// SPDX-License-Identifier: Apache-2.0
#include "report/charts/run_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/charts/chart_groups.hpp"
#include "report/tune/run_cells.hpp"
#include "support/text/counted.hpp"
#include "tune/ranking/convergence.hpp"
#include "tune/ranking/importance.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_distributions = 12;

std::optional<chart_group> speed_ups(const shown_run& shown);
std::optional<chart_group> rates(const shown_run& shown);
std::optional<chart_group> front(const shown_run& shown, const ranking& workload);
std::optional<chart_group> matters(const shown_run& shown, const ranking& workload);
std::optional<chart_group> converging(const shown_run& shown, std::size_t place);
std::optional<chart_group> distributions(const shown_run& shown, const ranking& workload);
std::optional<chart_group> failures(const ranking& workload);
std::optional<chart_group> states(const shown_run& shown, const ranking& workload);

void add(std::vector<chart_group>& groups, std::optional<chart_group> group)
{
    if (group) groups.push_back(std::move(*group));
}

}  // namespace

std::string chart_id(std::string_view text)
{
    std::string id;
    for (const char letter : text) {
        const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
        if (plain)
            id += letter;
        else if (letter >= 'A' && letter <= 'Z')
            id += static_cast<char>(letter - 'A' + 'a');
        else if (!id.empty() && id.back() != '-')
            id += '-';
        if (id.size() >= 60) break;
    }
    while (!id.empty() && id.back() == '-') id.pop_back();
    return id.empty() ? "x" : id;
}

std::string better_text(const shown_run& shown)
{
    const bool by_time = shown.rankings.empty() || shown.rankings.front().goal.is_time();
    return by_time ? "times as fast as the baseline" : "times as good as the baseline";
}

std::vector<chart_group> run_charts(const shown_run& shown)
{
    std::vector<chart_group> groups;
    add(groups, speed_ups(shown));
    add(groups, rates(shown));
    return groups;
}

std::vector<chart_group> workload_charts(const shown_run& shown, std::size_t place)
{
    const ranking& workload = shown.rankings[place];
    std::vector<chart_group> groups;
    add(groups, front(shown, workload));
    add(groups, parameter_surfaces(shown, workload));
    add(groups, matters(shown, workload));
    add(groups, occupancy_and_time(shown.run.results, workload));
    add(groups, converging(shown, place));
    add(groups, distributions(shown, workload));
    add(groups, failures(workload));
    add(groups, states(shown, workload));
    return groups;
}

std::vector<chart_group> comparison_charts(const shown_run& a, const shown_run& b, const run_comparison& compared)
{
    std::vector<chart_group> groups;
    for (std::size_t w = 0; w < compared.workloads.size(); ++w) {
        const compared_workload& workload = compared.workloads[w];
        xy_chart drawn{{.title = "time in A, ms", .logarithmic = true}, {.title = "time in B over time in A"}};
        chart_series moved{.name = "moved", .look = series_look::dots, .x = {}, .y = {}};
        chart_series same{
            .name = "equal, or not distinguishable from noise", .look = series_look::dots, .x = {}, .y = {}};
        for (const compared_candidate& candidate : workload.candidates) {
            if (!candidate.time) continue;
            const bool beyond =
                candidate.time->moved == move_kind::faster || candidate.time->moved == move_kind::slower;
            chart_series& to = beyond ? moved : same;
            const double ms = summarise(a.run.results[candidate.a].measured.samples_ns).median / 1e6;
            to.x.push_back(ms);
            to.y.push_back(candidate.time->ratio.times);
            to.labels.push_back(
                fmt::format("{}: {:.3f} ({:.3f} to {:.3f})", names_of(b.run.results[candidate.b].parameters),
                            candidate.time->ratio.times, candidate.time->ratio.low, candidate.time->ratio.high));
        }
        if (moved.x.empty() && same.x.empty()) continue;
        drawn.series = {std::move(same), std::move(moved)};
        drawn.marks.push_back({1, "as fast in both", true});
        const std::string name = workload_name(workload.workload);
        groups.push_back({fmt::format("compare-{}", w),
                          "Time in B over time in A: " + name,
                          "Each point is a candidate that both runs have. Above 1 it is slower in B.",
                          {{fmt::format("compare-{}", w), "Time in B over time in A: " + name, "", std::move(drawn)}}});
    }
    return groups;
}

namespace {

std::optional<chart_group> speed_ups(const shown_run& shown)
{
    xy_chart drawn{{.title = better_text(shown), .from_zero = true}, {}};
    chart_series bars{.name = "winner", .look = series_look::bars, .x = {}, .y = {}};
    std::vector<assignment> workloads;
    for (const ranking& workload : shown.rankings) workloads.push_back(workload.workload);
    const std::vector<std::string> names = workload_names(workloads);
    for (std::size_t i = 0; i < shown.rankings.size(); ++i) {
        const ranking& workload = shown.rankings[i];
        if (!workload.decided) continue;
        const ranked_candidate& winner = workload.candidates[workload.decided->winner];
        const std::optional<gain>& over =
            workload.decided->over_baseline ? workload.decided->over_baseline : winner.over_baseline;
        if (!over) continue;
        bars.x.push_back(over->times);
        bars.low.push_back(over->low);
        bars.high.push_back(over->high);
        bars.y.push_back(static_cast<double>(drawn.y.categories.size()));
        bars.labels.push_back(fmt::format("{}: {:.3f} × ({:.3f} to {:.3f}), {}", names[i], over->times, over->low,
                                          over->high, names_of(shown.run.results[winner.result].parameters)));
        drawn.y.categories.push_back(names[i]);
    }
    if (bars.x.empty()) return std::nullopt;
    drawn.series.push_back(std::move(bars));
    drawn.marks.push_back({1, "baseline"});
    return chart_group{
        "speed-up",
        "Winners against the baseline",
        "",
        {{"speed-up", "Winners against the baseline",
          "The line in each bar is the confidence interval, from the samples of both.", std::move(drawn)}}};
}

std::optional<chart_group> rates(const shown_run& shown)
{
    chart_group group{"throughput", "Throughput of the winners", "In the units of the spec.", {}};
    std::vector<assignment> workloads;
    for (const ranking& workload : shown.rankings) workloads.push_back(workload.workload);
    const std::vector<std::string> names = workload_names(workloads);
    for (const work_kind& kind : work_kinds) {
        xy_chart drawn{{.title = kind.unit, .from_zero = true}, {}};
        chart_series bars{.name = "winner", .look = series_look::bars, .x = {}, .y = {}};
        for (std::size_t i = 0; i < shown.rankings.size(); ++i) {
            const ranking& workload = shown.rankings[i];
            if (!workload.decided) continue;
            const double ns = workload.candidates[workload.decided->winner].time.median;
            const std::optional<double> rate = per_second(workload.work, ns).*kind.amount;
            if (!rate) continue;
            const bool giga = std::string_view(kind.unit).starts_with('G');
            bars.x.push_back(giga ? *rate / 1e9 : *rate);
            bars.y.push_back(static_cast<double>(drawn.y.categories.size()));
            bars.labels.push_back(fmt::format("{}: {} {}", names[i], rate_text(kind, *rate, *rate), kind.unit));
            drawn.y.categories.push_back(names[i]);
        }
        if (bars.x.empty()) continue;
        drawn.series.push_back(std::move(bars));
        group.tabs.emplace_back(kind.unit);
        group.charts.push_back(
            {"throughput-" + chart_id(kind.name), std::string("Throughput, ") + kind.unit, "", std::move(drawn)});
    }
    return group.charts.empty() ? std::nullopt : std::optional(std::move(group));
}

// "energy, J"
std::string axis_text(const std::string& quantity)
{
    const std::string_view unit = unit_of(quantity);
    return escape_for_terminal(quantity) + (unit.empty() ? "" : ", " + std::string(unit));
}

// The first two quantities of a multi-objective goal, plotted against each other.
std::optional<chart_group> front(const shown_run& shown, const ranking& workload)
{
    const std::vector<objective_term>& terms = workload.goal.terms();
    if (terms.size() < 2) return std::nullopt;
    xy_chart drawn{{.title = axis_text(terms[0].name)}, {.title = axis_text(terms[1].name)}};
    chart_series behind{.name = "others", .look = series_look::dots, .x = {}, .y = {}};
    chart_series ahead{.name = "Pareto front", .look = series_look::dots, .x = {}, .y = {}, .strong = true};
    for (std::size_t i = 0; i < workload.candidates.size(); ++i) {
        const ranked_candidate& candidate = workload.candidates[i];
        const stored_result& result = shown.run.results[candidate.result];
        const auto first = quantity_of(result.measured, terms[0].name);
        const auto second = quantity_of(result.measured, terms[1].name);
        if (!candidate.may_win || candidate.same_as || !first || !second) continue;
        chart_series& to = candidate.on_front ? ahead : behind;
        to.x.push_back(first->median);
        to.y.push_back(second->median);
        const bool wins = workload.decided && workload.decided->winner == i;
        to.labels.push_back(fmt::format("{}: {:.4g}, {:.4g}{}", names_of(result.parameters), first->median,
                                        second->median, wins ? ", winner" : ""));
    }
    if (ahead.x.empty()) return std::nullopt;
    drawn.series = {std::move(behind), std::move(ahead)};
    return chart_group{"front",
                       "The Pareto front",
                       "",
                       {{"front", "The Pareto front",
                         "Each point is a candidate that may win. For a candidate on the front, no other is at least "
                         "as good in all terms of the objective and better in one.",
                         std::move(drawn)}}};
}

std::optional<chart_group> matters(const shown_run& shown, const ranking& workload)
{
    const importance found = importance_of(shown.run.results, workload);
    if (found.singles.empty()) return std::nullopt;
    const std::string of = workload.goal.is_time() ? "log(time)" : "log(cost)";
    xy_chart drawn{{.title = "variance of " + of + " explained, %", .from_zero = true}, {}};
    chart_series bars{.name = "explained", .look = series_look::bars, .x = {}, .y = {}};
    const auto add_bar = [&](const parameter_importance& one) {
        std::string name;
        for (const std::string& parameter : one.parameters) name += (name.empty() ? "" : " with ") + parameter;
        name = escape_for_terminal(name);
        bars.x.push_back(one.explained * 100);
        bars.y.push_back(static_cast<double>(drawn.y.categories.size()));
        bars.labels.push_back(name + ": " + percent_text(one.explained));
        drawn.y.categories.push_back(name);
    };
    for (const parameter_importance& one : found.singles) add_bar(one);
    for (const parameter_importance& one : found.pairs) add_bar(one);
    drawn.series.push_back(std::move(bars));
    return chart_group{
        "importance",
        "Which parameters matter",
        "",
        {{"importance", "Which parameters matter",
          fmt::format(
              "The share of the variance of {} over {} that a parameter explains, and that two explain together beyond "
              "each alone. Constraints couple parameters, so the shares need not add up to 100 %.",
              of, counted(found.candidates, "candidate", "candidates")),
          std::move(drawn)}}};
}

std::optional<chart_group> converging(const shown_run& shown, std::size_t place)
{
    const std::vector<convergence> all = converge(shown.run.results, shown.rankings);
    if (place >= all.size() || all[place].improvements.empty()) return std::nullopt;
    const convergence& found = all[place];
    const bool is_time = found.kind == convergence_kind::time;
    const double unit = is_time ? 1e6 : 1;
    chart_group group{"convergence", "Convergence", "", {}, {"by evaluations", "by time"}};
    for (const bool by_time : {false, true}) {
        xy_chart drawn{
            {.title = by_time ? "seconds of compiling and measuring" : "candidates evaluated", .logarithmic = true},
            {.title = is_time ? "best so far, ms" : "best so far, cost"}};
        chart_series line{.name = "best so far", .look = series_look::steps, .x = {}, .y = {}};
        for (const improvement& step : found.improvements) {
            const double x = by_time ? std::max(step.seconds, 1e-3) : static_cast<double>(step.evaluation);
            line.x.push_back(x);
            line.y.push_back(step.value / unit);
            line.labels.push_back(fmt::format("{}: {:.4g}{}, {} above the best", names_of(step.parameters),
                                              step.value / unit, is_time ? " ms" : "", percent_text(step.gap)));
        }
        line.x.push_back(by_time ? std::max(found.seconds, line.x.back()) : static_cast<double>(found.evaluations));
        line.y.push_back(line.y.back());
        line.labels.emplace_back("the end of the run");
        drawn.series.push_back(std::move(line));
        group.charts.push_back({by_time ? "convergence-time" : "convergence", "Convergence",
                                is_time ? "The best time so far." : "The lowest cost so far, by the objective.",
                                std::move(drawn)});
    }
    return group;
}

std::optional<chart_group> distributions(const shown_run& shown, const ranking& workload)
{
    xy_chart drawn{{.title = "time, ms"}, {}};
    chart_series samples{.name = "samples", .look = series_look::dots, .x = {}, .y = {}};
    chart_series medians{.name = "median", .look = series_look::dots, .x = {}, .y = {}, .strong = true};
    const assignment* winner = workload.decided
                                   ? &shown.run.results[workload.candidates[workload.decided->winner].result].parameters
                                   : nullptr;
    const auto add_row = [&](const assignment& parameters, const std::vector<double>& values) {
        if (values.empty() || drawn.y.categories.size() >= max_distributions) return;
        const auto row = static_cast<double>(drawn.y.categories.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
            samples.x.push_back(values[i] / 1e6);
            // Spread in the order in which they were taken, so that equal times lie side by side.
            samples.y.push_back(row + 0.5 * (static_cast<double>(i) + 0.5) / static_cast<double>(values.size()) - 0.25);
        }
        const sample_summary middle = summarise(values);
        medians.x.push_back(middle.median / 1e6);
        medians.y.push_back(row);
        medians.labels.push_back(fmt::format("{}: {:.4g} ms ({:.4g} to {:.4g}), {}", names_of(parameters),
                                             middle.median / 1e6, middle.low / 1e6, middle.high / 1e6,
                                             counted(values.size(), "sample", "samples")));
        const bool wins = winner != nullptr && identity_of(parameters) == identity_of(*winner);
        drawn.y.categories.push_back(names_of(parameters) + (wins ? ", winner" : ""));
    };
    std::string text;
    if (workload.race) {
        for (const race_entry& entry : shown.run.races[*workload.race].entries)
            add_row(entry.parameters, entry.samples_ns);
        text =
            "Samples of the final race, in which the finalists took turns; from top to bottom in each row in the order "
            "in which they were taken.";
    }
    if (drawn.y.categories.empty()) {
        for (const ranked_candidate& candidate : workload.candidates)
            if (!candidate.same_as)
                add_row(shown.run.results[candidate.result].parameters,
                        shown.run.results[candidate.result].measured.samples_ns);
        const std::string outdated = outdated_race_text(shown.run.results, workload);
        text = "Samples of the fastest candidates; " + (outdated.empty() ? "there was no final race" : outdated) +
               ". In each row from top to bottom in the order in which they were taken.";
    }
    if (drawn.y.categories.empty()) return std::nullopt;
    drawn.series = {std::move(samples), std::move(medians)};
    return chart_group{
        "samples", "Samples of the finalists", "", {{"samples", "Samples of the finalists", text, std::move(drawn)}}};
}

std::optional<chart_group> failures(const ranking& workload)
{
    if (workload.failures.empty()) return std::nullopt;
    xy_chart drawn{{.title = "candidates", .from_zero = true}, {}};
    chart_series bars{.name = "not measured", .look = series_look::bars, .x = {}, .y = {}};
    for (const failure_count& kind : workload.failures) {
        bars.x.push_back(static_cast<double>(kind.results.size()));
        bars.y.push_back(static_cast<double>(drawn.y.categories.size()));
        bars.labels.push_back(
            fmt::format("{}: {}", words_of(kind.status), with_commas(static_cast<std::int64_t>(kind.results.size()))));
        drawn.y.categories.emplace_back(words_of(kind.status));
    }
    drawn.series.push_back(std::move(bars));
    return chart_group{"failures",
                       "Candidates that were not measured",
                       "",
                       {{"failures", "Candidates that were not measured", "", std::move(drawn)}}};
}

std::optional<chart_group> states(const shown_run& shown, const ranking& workload)
{
    struct quantity {
        const char *id, *name;
        std::optional<int> device_state::*value;
        double unit;
    };
    constexpr quantity quantities[]{{"sm-clock", "SM clock, MHz", &device_state::sm_clock_mhz, 1},
                                    {"memory-clock", "memory clock, MHz", &device_state::memory_clock_mhz, 1},
                                    {"temperature", "temperature, °C", &device_state::temperature_celsius, 1},
                                    {"power", "power, W", &device_state::power_milliwatts, 1000}};
    chart_group group{"device", "Clocks, temperature and power", "In the order in which candidates were measured.", {}};
    for (const quantity& one : quantities) {
        chart_series plain{.name = "not throttled", .look = series_look::dots, .x = {}, .y = {}};
        chart_series throttled{.name = "throttled", .look = series_look::dots, .x = {}, .y = {}};
        double number = 0;
        for (const stored_result& result : shown.run.results) {
            if (identity_of(result.workload) != identity_of(workload.workload)) continue;
            ++number;
            if (!result.measured.device || !((*result.measured.device).*one.value)) continue;
            chart_series& to = result.measured.device->throttling.empty() ? plain : throttled;
            to.x.push_back(number);
            to.y.push_back(*((*result.measured.device).*one.value) / one.unit);
            to.labels.push_back(fmt::format("{:g} {}: {}{}", to.y.back(), one.name, names_of(result.parameters),
                                            result.measured.device->throttling.empty()
                                                ? ""
                                                : ", " + escape_for_terminal(result.measured.device->throttling)));
        }
        if (plain.x.empty() && throttled.x.empty()) continue;
        xy_chart drawn{{.title = "number of the measurement"}, {.title = one.name}};
        drawn.series.push_back(std::move(plain));
        if (!throttled.x.empty()) drawn.series.push_back(std::move(throttled));
        group.tabs.emplace_back(one.name);
        group.charts.push_back({one.id, std::string("While measuring: ") + one.name, "", std::move(drawn)});
    }
    return group.charts.empty() ? std::nullopt : std::optional(std::move(group));
}

}  // namespace

}  // namespace launchbox
