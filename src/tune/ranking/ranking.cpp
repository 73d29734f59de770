// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::vector<ranking> by_workload(const std::vector<stored_result>& results,
                                 std::vector<std::vector<std::size_t>>& members);
// The largest difference that the samples of both leave open.
double difference(const sample_summary& one, const sample_summary& other)
{
    if (one.low <= 0 || other.low <= 0) return 0;
    return std::max(one.high / other.low, other.high / one.low) - 1;
}

// The races of one workload, by their places among all, in their order.
using races_held = std::vector<std::pair<std::size_t, const race_result_info*>>;

void rank_one(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
              const races_held& races, const std::optional<assignment>& baseline, ranking& into);

}  // namespace

gain gain_of(const sample_summary& slower, const sample_summary& faster)
{
    // A time of 0 says that the clock is too coarse: nothing follows from it.
    if (faster.low <= 0) return {};
    return {slower.median / faster.median, slower.low / faster.high, slower.high / faster.low};
}

std::optional<sample_noise> noise_of(const sample_summary& fastest, const std::vector<sample_summary>& others)
{
    sample_noise noise{.least = fastest.spread(), .most = fastest.spread()};
    const sample_summary* next = nullptr;
    double open = 0;
    for (const sample_summary& other : others) {
        if (differs(other, fastest)) continue;
        noise.least = std::min(noise.least, other.spread());
        noise.most = std::max(noise.most, other.spread());
        open = std::max(open, difference(fastest, other));
        if (next == nullptr || other.median < next->median) next = &other;
    }
    // Where the fastest itself is known well it is as good a choice as any, however little is known of another.
    if (next == nullptr || open < largest_equality || 2 * fastest.spread() < largest_equality) return std::nullopt;
    noise.gap = fastest.median > 0 ? std::max(0.0, next->median / fastest.median - 1) : 0;
    return noise;
}

std::string noise_text(const sample_noise& noise)
{
    const std::string least = fmt::format("{:.0f}", noise.least * 100), most = fmt::format("{:.0f}", noise.most * 100);
    return "samples vary by ± " + (least == most ? most : least + " to " + most) + " %";
}

std::vector<ranking> rank(const std::vector<stored_result>& results, const std::vector<race_result_info>& races,
                          const std::optional<assignment>& baseline)
{
    std::vector<std::vector<std::size_t>> members;
    std::vector<ranking> rankings = by_workload(results, members);
    std::map<std::string, races_held> held;
    for (std::size_t i = 0; i < races.size(); ++i)
        if (!races[i].entries.empty()) held[identity_of(races[i].workload)].emplace_back(i, &races[i]);
    for (std::size_t i = 0; i < rankings.size(); ++i)
        rank_one(results, members[i], held[identity_of(rankings[i].workload)], baseline, rankings[i]);
    return rankings;
}

std::vector<std::size_t> contestants_of(const ranking& workload, const race_rules& rules)
{
    std::vector<sample_summary> times;
    for (const ranked_candidate& candidate : workload.candidates)
        times.push_back(candidate.may_win && !candidate.same_as ? candidate.time : sample_summary{});
    return race_contestants(times, rules);
}

std::string outdated_race_text(const std::vector<stored_result>& results, const ranking& workload)
{
    if (!workload.outdated) return {};
    const auto [missed, changed] = *workload.outdated;
    const auto named = [](const assignment& first, std::size_t count) {
        return escape_for_terminal(parameter_text(first)) + (count > 1 ? fmt::format(" and {} more", count - 1) : "");
    };
    if (!missed.empty())
        return fmt::format("{} took no part in the final race: it was measured later, or was not in the spec",
                           named(results[workload.candidates[missed.front()].result].parameters, missed.size()));
    return fmt::format("{} took part in the final race with another result than now",
                       named(changed.front(), changed.size()));
}

namespace {

std::vector<ranking> by_workload(const std::vector<stored_result>& results,
                                 std::vector<std::vector<std::size_t>>& members)
{
    std::vector<ranking> rankings;
    std::map<std::string, std::size_t> places;
    for (std::size_t i = 0; i < results.size(); ++i) {
        const std::string key = identity_of(results[i].workload);
        const auto [at, fresh] = places.emplace(key, rankings.size());
        if (fresh) {
            rankings.push_back({.workload = results[i].workload,
                                .weight = results[i].weight,
                                .work = results[i].work,
                                .candidates = {},
                                .baseline = {},
                                .decided = {},
                                .noise = {},
                                .race = {},
                                .outdated = {},
                                .failures = {}});
            members.emplace_back();
        }
        members[at->second].push_back(i);
    }
    return rankings;
}

void add_candidates(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
                    const std::optional<assignment>& baseline, ranking& into)
{
    bool some_verified = false;
    for (std::size_t i : members) {
        const measurement& measured = results[i].measured;
        if (measured.status != outcome::measured) continue;
        ranked_candidate candidate{.result = i, .time = summarise(measured.samples_ns)};
        candidate.settled = candidate.time;
        candidate.is_baseline = baseline && results[i].parameters == *baseline;
        some_verified |= measured.verified;
        into.shared += results[i].same_as ? 1 : 0;
        into.candidates.push_back(candidate);
    }
    std::stable_sort(
        into.candidates.begin(), into.candidates.end(),
        [](const ranked_candidate& one, const ranked_candidate& other) { return one.time.median < other.time.median; });
    for (ranked_candidate& candidate : into.candidates) {
        const measurement& measured = results[candidate.result].measured;
        // The baseline's outputs are what others are compared with.
        candidate.may_win = !measured.stopped_early && (measured.verified || !some_verified || candidate.is_baseline);
    }
}

void compare_candidates(const std::vector<stored_result>& results, ranking& into)
{
    std::map<std::string, std::size_t> places;
    const ranked_candidate* best = nullptr;
    for (std::size_t i = 0; i < into.candidates.size(); ++i) {
        const ranked_candidate& candidate = into.candidates[i];
        places.emplace(identity_of(results[candidate.result].parameters), i);
        if (candidate.is_baseline) into.baseline = i;
        if (best == nullptr && candidate.may_win) best = &candidate;
    }
    for (ranked_candidate& candidate : into.candidates) {
        if (into.baseline) candidate.over_baseline = gain_of(into.candidates[*into.baseline].time, candidate.time);
        candidate.equals_best =
            best != nullptr && &candidate != best && candidate.may_win && !differs(candidate.time, best->time);
        if (candidate.equals_best) candidate.equal_within = difference(best->time, candidate.time);
        const std::optional<assignment>& original = results[candidate.result].same_as;
        if (!original) continue;
        if (const auto found = places.find(identity_of(*original)); found != places.end())
            candidate.same_as = found->second;
    }
}

using places_by_name = std::map<std::string, std::size_t>;

places_by_name places_of(const std::vector<stored_result>& results, const ranking& among)
{
    places_by_name places;
    for (std::size_t i = 0; i < among.candidates.size(); ++i)
        places.emplace(identity_of(results[among.candidates[i].result].parameters), i);
    return places;
}

std::optional<std::size_t> place_of(const places_by_name& places, const assignment& parameters)
{
    const auto found = places.find(identity_of(parameters));
    return found == places.end() ? std::nullopt : std::optional(found->second);
}

// Why the outcome of a race does not hold for the results that are here; `nullopt`: it does.
std::optional<outdated_race> why_outdated(const race_result_info& race, const places_by_name& places,
                                          const ranking& among)
{
    outdated_race why;
    std::set<std::size_t> took_part;
    for (const race_entry& entry : race.entries) {
        const std::optional<std::size_t> place = place_of(places, entry.parameters);
        const bool is_winner = &entry == &race.entries.front();
        if (!place || (is_winner && !among.candidates[*place].may_win) ||
            (entry.result_median_ns && *entry.result_median_ns != among.candidates[*place].time.median))
            why.changed.push_back(entry.parameters);
        if (place) took_part.insert(*place);
    }
    const race_rules rules;
    const std::vector<std::size_t> wanted = contestants_of(among, rules);
    for (const std::size_t place : wanted) {
        // Of those that are as fast as the last for whom there is room, any may be left out.
        const bool any_would_do = wanted.size() == rules.max_contestants &&
                                  among.candidates[place].time.median == among.candidates[wanted.back()].time.median;
        if (!took_part.contains(place) && !any_would_do) why.missed.push_back(place);
    }
    return why.missed.empty() && why.changed.empty() ? std::nullopt : std::optional(std::move(why));
}

void settle_by_race(const race_result_info& race, const places_by_name& places, ranking& among)
{
    std::vector<std::pair<std::size_t, sample_summary>> raced;
    double logs = 0;
    for (const race_entry& entry : race.entries) {
        const auto place = place_of(places, entry.parameters);
        if (!place) continue;
        ranked_candidate& candidate = among.candidates[*place];
        candidate.raced = true;
        const sample_summary rounds = summarise(entry.samples_ns);
        if (entry.samples_ns.empty() || rounds.low <= 0 || candidate.time.median <= 0) continue;
        raced.emplace_back(*place, rounds);
        logs += std::log(candidate.time.median / rounds.median);
    }
    // All are brought to the level of their samples by one factor, which keeps their ratios.
    const double level = raced.empty() ? 1 : std::exp(logs / static_cast<double>(raced.size()));
    for (const auto& [place, rounds] : raced) {
        sample_summary& settled = among.candidates[place].settled;
        settled = rounds;
        settled.median *= level;
        settled.low *= level;
        settled.high *= level;
    }
    for (ranked_candidate& candidate : among.candidates)
        if (candidate.same_as) candidate.settled = among.candidates[*candidate.same_as].settled;
}

// Who fell out has fewer rounds, or differs from the fastest of those that have all.
std::vector<std::pair<sample_summary, const race_entry*>> raced_to_the_end(const race_result_info& race)
{
    std::vector<std::pair<sample_summary, const race_entry*>> to_the_end;
    for (const race_entry& entry : race.entries)
        if (!entry.samples_ns.empty() && entry.samples_ns.size() == race.entries.front().samples_ns.size())
            to_the_end.emplace_back(summarise(entry.samples_ns), &entry);
    return to_the_end;
}

// Where a race could not tell its best apart: whether that is because of noise.
std::optional<sample_noise> noise_of(const race_result_info& race)
{
    if (race.verdict != "equal") return std::nullopt;
    std::vector<sample_summary> times;
    for (const auto& [time, entry] : raced_to_the_end(race)) times.push_back(time);
    if (times.empty()) return std::nullopt;
    const auto fastest = std::ranges::min_element(times, {}, &sample_summary::median);
    std::swap(*fastest, times.back());
    const sample_summary best = times.back();
    times.pop_back();
    return noise_of(best, times);
}

// Of those that a race could not tell apart the baseline wins, and that may be another now than it was then.
const race_entry& winner_of(const race_result_info& race, const std::optional<assignment>& baseline)
{
    const race_entry& first = race.entries.front();
    if (race.verdict != "equal" || !baseline) return first;
    const auto to_the_end = raced_to_the_end(race);
    if (to_the_end.empty()) return first;
    const sample_summary fastest =
        std::ranges::min_element(to_the_end, {}, [](const auto& each) { return each.first.median; })->first;
    for (const auto& [time, entry] : to_the_end)
        if (entry->parameters == *baseline && !differs(time, fastest)) return *entry;
    return first;
}

verdict decided_by_race(const race_result_info& race, const places_by_name& places,
                        const std::optional<assignment>& baseline, const ranking& among)
{
    const race_entry& winner = winner_of(race, baseline);
    verdict decided{
        .winner = place_of(places, winner.parameters).value(), .raced = true, .equal = race.verdict == "equal"};
    if (decided.equal) decided.equal_within = race.equal_within;
    if (!among.baseline || winner.samples_ns.empty()) return decided;
    for (const race_entry& entry : race.entries)
        if (place_of(places, entry.parameters) == among.baseline && !entry.samples_ns.empty())
            decided.over_baseline = gain_of(summarise(entry.samples_ns), summarise(winner.samples_ns));
    return decided;
}

// The last race that holds decides.
void decide_by_race(const std::vector<stored_result>& results, const races_held& races,
                    const std::optional<assignment>& baseline, ranking& into)
{
    const places_by_name places = places_of(results, into);
    for (std::size_t i = races.size(); i-- > 0;) {
        const auto& [number, race] = races[i];
        if (std::optional<outdated_race> why = why_outdated(*race, places, into)) {
            if (!into.outdated) into.outdated = std::move(why);
            continue;
        }
        settle_by_race(*race, places, into);
        into.noise = noise_of(*race);
        if (!into.noise) into.decided = decided_by_race(*race, places, baseline, into);
        into.race = number;
        into.outdated.reset();
        return;
    }
}

void decide_by_samples(ranking& among)
{
    const auto& candidates = among.candidates;
    const auto best = std::find_if(candidates.begin(), candidates.end(),
                                   [](const ranked_candidate& candidate) { return candidate.may_win; });
    if (best == candidates.end()) return;
    std::vector<sample_summary> others;
    for (const ranked_candidate& candidate : candidates)
        if (candidate.equals_best && !candidate.same_as) others.push_back(candidate.time);
    among.noise = noise_of(best->time, others);
    if (among.noise) return;
    verdict decided{.winner = static_cast<std::size_t>(best - candidates.begin())};
    // Equal to the baseline: then there is no reason to leave it.
    if (among.baseline && candidates[*among.baseline].equals_best) {
        decided.winner = *among.baseline;
        decided.equal = true;
        decided.equal_within = candidates[*among.baseline].equal_within;
        among.decided = decided;
        return;
    }
    for (const ranked_candidate& candidate : candidates) {
        if (!candidate.equals_best || candidate.same_as == decided.winner) continue;
        decided.equal = true;
        decided.equal_within = std::max(decided.equal_within, candidate.equal_within);
    }
    among.decided = decided;
}

void rank_one(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
              const races_held& races, const std::optional<assignment>& baseline, ranking& into)
{
    add_candidates(results, members, baseline, into);
    compare_candidates(results, into);
    decide_by_race(results, races, baseline, into);
    if (!into.race) decide_by_samples(into);

    std::map<outcome, std::vector<std::size_t>> failures;
    for (std::size_t i : members)
        if (results[i].measured.status != outcome::measured) failures[results[i].measured.status].push_back(i);
    for (auto& [what, which] : failures) into.failures.push_back({what, std::move(which)});
    std::stable_sort(
        into.failures.begin(), into.failures.end(),
        [](const failure_count& one, const failure_count& other) { return one.results.size() > other.results.size(); });
}

}  // namespace

}  // namespace launchbox
