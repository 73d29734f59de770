// SPDX-License-Identifier: Apache-2.0
#include "tune/search/search_replay.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "tune/types/objective.hpp"

namespace launchbox {

namespace {

replay_answer answer_of(const stored_result& result, const objective& goal)
{
    replay_answer answer;
    const measurement& measured = result.measured;
    if (const std::optional<double> cost = goal.cost_if_allowed(measured); cost && std::isfinite(*cost) && *cost > 0)
        answer.cost = cost;
    answer.screened = measured.status == outcome::rejected;
    if (answer.screened) return answer;
    answer.seconds = result.compile_seconds;
    if (result.same_as) return answer;
    answer.seconds += measured.seconds > 0
                          ? measured.seconds
                          : std::accumulate(measured.samples_ns.begin(), measured.samples_ns.end(), 0.0) / 1e9;
    return answer;
}

// The parameters that have more than one value in the results, with the values in a fixed order.
std::vector<tuning_parameter> parameters_of(const std::vector<const stored_result*>& results)
{
    std::vector<tuning_parameter> parameters;
    std::map<std::string, std::size_t> places;
    for (const stored_result* result : results)
        for (const auto& [name, value] : result->parameters.values) {
            const auto [place, is_new] = places.emplace(name, parameters.size());
            if (is_new) parameters.push_back({.name = name, .values = {}});
            std::vector<parameter_value>& values = parameters[place->second].values;
            if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
        }
    std::erase_if(parameters, [](const tuning_parameter& parameter) { return parameter.values.size() < 2; });
    if (parameters.empty() && !results.empty() && !results[0]->parameters.values.empty()) {
        const auto& [name, value] = results[0]->parameters.values[0];  // only one candidate
        parameters.push_back({.name = name, .values = {value}});
    }
    for (tuning_parameter& parameter : parameters) std::sort(parameter.values.begin(), parameter.values.end());
    return parameters;
}

assignment part_of(const assignment& whole, const std::vector<tuning_parameter>& parameters)
{
    assignment part;
    for (const tuning_parameter& parameter : parameters)
        if (const parameter_value* value = whole.find(parameter.name)) part.values.emplace_back(parameter.name, *value);
    return part;
}

std::optional<replay_workload> replay_workload_of(const assignment& workload,
                                                  const std::vector<const stored_result*>& results,
                                                  const objective& goal)
{
    const std::vector<tuning_parameter> parameters = parameters_of(results);
    if (parameters.empty()) return std::nullopt;
    std::vector<assignment> candidates;
    for (const stored_result* result : results) candidates.push_back(part_of(result->parameters, parameters));
    replay_workload replay{
        .workload = workload, .space = search_space(parameters, candidates), .answers = {}, .costs = {}};
    replay.answers.resize(replay.space.size());
    for (std::size_t i = 0; i < results.size(); ++i)
        if (const auto place = replay.space.find(candidates[i])) replay.answers[*place] = answer_of(*results[i], goal);
    for (const replay_answer& answer : replay.answers) {
        if (answer.cost) replay.costs.push_back(*answer.cost);
        if (answer.screened) continue;
        ++replay.evaluable;
        replay.mean_seconds += answer.seconds;
    }
    if (replay.costs.empty()) return std::nullopt;
    replay.mean_seconds /= static_cast<double>(replay.evaluable);
    std::sort(replay.costs.begin(), replay.costs.end());
    return replay;
}

}  // namespace

double replay_workload::median() const
{
    // As `summarise` gives it, without sorting: this is called at every step of every search, with up to 10^5
    // candidates.
    return (costs[(costs.size() - 1) / 2] + costs[costs.size() / 2]) / 2;
}

std::vector<replay_workload> replay_workloads(const recorded_run& run)
{
    std::vector<assignment> workloads;
    std::map<std::string, std::size_t> places;
    std::vector<std::vector<const stored_result*>> results;
    for (const stored_result& result : run.results) {
        const auto [place, is_new] = places.emplace(identity_of(result.workload), workloads.size());
        if (is_new) {
            workloads.push_back(result.workload);
            results.emplace_back();
        }
        if (result.measured.status != outcome::device_lost) results[place->second].push_back(&result);
    }
    const objective goal = objective_of(run.info);
    std::vector<replay_workload> replays;
    for (std::size_t i = 0; i < workloads.size(); ++i)
        if (auto made = replay_workload_of(workloads[i], results[i], goal)) replays.push_back(std::move(*made));
    return replays;
}

// The best of k out of N is the i-th measured one with probability C(N - i, k - 1) / C(N, k): all others drawn are
// among the N - i that are worse, or that failed.
std::vector<double> expected_of_chance(const replay_workload& replay, std::size_t evaluations)
{
    const std::size_t all = replay.evaluable;
    const double median = replay.median();
    std::vector<double> expected{median};
    for (std::size_t k = 1; k <= std::min(evaluations, all); ++k) {
        // P(the first is among the k) = k / N; each next one follows by the ratio of the binomials.
        double chance = static_cast<double>(k) / static_cast<double>(all), sum = 0, left = 1;
        for (std::size_t i = 1; i <= replay.costs.size() && chance > 0; ++i) {
            sum += chance * std::min(replay.costs[i - 1], median);
            left -= chance;
            if (all - i < k) break;
            chance *= static_cast<double>(all - i - k + 1) / static_cast<double>(all - i);
            if (left < 1e-12) break;
        }
        expected.push_back(sum + std::max(left, 0.0) * median);
    }
    return expected;
}

std::size_t evaluations_of_chance(const replay_workload& replay)
{
    const double goal = replay.median() - 0.95 * (replay.median() - replay.best());
    // More evaluations lower the expectation: double their number until it is reached. The last evaluation finds the
    // optimum.
    for (std::size_t max_evaluations = 64;; max_evaluations *= 2) {
        const std::vector<double> expected = expected_of_chance(replay, max_evaluations);
        for (std::size_t k = 1; k < expected.size(); ++k)
            if (expected[k] <= goal * (1 + 1e-12)) return k;
        if (max_evaluations >= replay.evaluable) return replay.evaluable;
    }
}

const search_course::step* search_course::within(double part, double optimum) const
{
    for (const step& step : steps)
        if (step.best <= optimum * (1 + part)) return &step;
    return nullptr;
}

score_span score_span_of(const replay_workload& replay, std::size_t of_chance, std::size_t max_evaluations)
{
    const std::size_t evaluations = std::min(of_chance, max_evaluations);
    return {evaluations, static_cast<double>(evaluations) * replay.mean_seconds};
}

search_course replay_search(const replay_workload& replay, search_strategy& strategy, std::size_t max_evaluations,
                            const score_span& span, const std::function<bool()>& stop)
{
    search_course course;
    std::size_t evaluations = 0;
    double seconds = 0, best = std::numeric_limits<double>::infinity();
    while ((evaluations < max_evaluations || seconds < span.seconds) && best > replay.best() && !(stop && stop())) {
        const std::optional<std::size_t> candidate = strategy.ask();
        if (!candidate) break;
        const replay_answer& answer = replay.answers[*candidate];
        if (!answer.screened) {
            ++evaluations;
            seconds += answer.seconds;
        }
        if (answer.cost && *answer.cost < best) {
            best = *answer.cost;
            course.steps.push_back({evaluations, seconds, best});
        }
        strategy.tell(*candidate, answer.cost);
    }
    return course;
}

namespace {

// The value below which 90 % lie: always a measured one, so never between a reached and an unreached one.
replay_quantiles quantiles_of(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    const auto at = [&](double part) -> std::optional<double> {
        const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
        const double value = values[std::max<std::size_t>(rank, 1) - 1];
        return std::isfinite(value) ? std::optional(value) : std::nullopt;
    };
    return {at(0.5), at(0.9)};
}

double score_of(const replay_workload& replay, const std::vector<search_course>& courses, const score_span& span)
{
    const std::vector<double> chance = expected_of_chance(replay, span.evaluations);
    constexpr std::size_t times = 50;
    double sum = 0;
    std::size_t counted = 0;
    for (std::size_t i = 1; i <= times; ++i) {
        const double time = span.seconds * static_cast<double>(i) / times;
        // Like a search, random choice has only what is finished by then.
        const double of_chance = chance[std::min(i * span.evaluations / times, chance.size() - 1)];
        if (of_chance <= replay.best()) continue;
        for (const search_course& course : courses) {
            double found = replay.median();
            for (const search_course::step& step : course.steps) {
                if (step.seconds > time * (1 + 1e-12)) break;
                found = std::min(found, step.best);
            }
            sum += (of_chance - found) / (of_chance - replay.best());
            ++counted;
        }
    }
    return counted == 0 ? 0 : sum / static_cast<double>(counted);
}

}  // namespace

replay_figures figures_of(const replay_workload& replay, const std::vector<search_course>& courses,
                          std::size_t max_evaluations, const score_span& span)
{
    replay_figures figures;
    for (std::size_t i = 0; i < replay_targets.size(); ++i) {
        std::vector<double> evaluations, seconds;
        for (const search_course& course : courses) {
            const search_course::step* step = course.within(replay_targets[i], replay.best());
            if (step != nullptr && step->evaluations > max_evaluations) step = nullptr;
            evaluations.push_back(step != nullptr ? static_cast<double>(step->evaluations) : INFINITY);
            seconds.push_back(step != nullptr ? step->seconds : INFINITY);
        }
        figures.evaluations[i] = quantiles_of(std::move(evaluations));
        figures.seconds[i] = quantiles_of(std::move(seconds));
    }
    figures.score = score_of(replay, courses, span);
    return figures;
}

}  // namespace launchbox
