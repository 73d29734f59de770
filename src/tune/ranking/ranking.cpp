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
// The largest difference that the samples of both allow.
double difference(const sample_summary& one, const sample_summary& other)
{
    if (one.low <= 0 || other.low <= 0) return 0;
    return std::max(one.high / other.low, other.high / one.low) - 1;
}

// The races of one workload with their indices among all, in order.
using races_held = std::vector<std::pair<std::size_t, const race_result_info*>>;

void rank_one(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
              const races_held& races, const std::optional<assignment>& baseline, ranking& into);

}  // namespace

gain gain_of(const sample_summary& slower, const sample_summary& faster)
{
    // A time of 0 means that the clock is too coarse: nothing can be concluded.
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
    // If the fastest itself is known precisely it is as good a choice as any, however uncertain the others are.
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

std::vector<std::size_t> contestants_of(const std::vector<stored_result>& results, const ranking& workload,
                                        const race_rules& rules)
{
    std::vector<tied_candidate> all;
    for (const ranked_candidate& candidate : workload.candidates)
        all.push_back(tied(results[candidate.result],
                           candidate.may_win && !candidate.same_as ? candidate.time : sample_summary{},
                           candidate.is_baseline));
    return race_contestants(all, rules);
}

std::string outdated_race_text(const std::vector<stored_result>& results, const ranking& workload)
{
    if (!workload.outdated) return {};
    const auto [missed, changed] = *workload.outdated;
    const auto named = [](const assignment& first, std::size_t count) {
        return escape_for_terminal(parameter_text(first)) + (count > 1 ? fmt::format(" and {} more", count - 1) : "");
    };
    if (!missed.empty())
        return fmt::format("{} did not take part in the final race (measured later, or not in the spec)",
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
            rankings.push_back({.workload = results[i].workload, .weight = results[i].weight, .work = results[i].work});
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
        // The baseline is the reference itself, so it needs no verification.
        candidate.may_win = !measured.stopped_early && (measured.verified || !some_verified || candidate.is_baseline);
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

void compare_candidates(const std::vector<stored_result>& results, const places_by_name& places, ranking& into)
{
    const ranked_candidate* best = nullptr;
    for (std::size_t i = 0; i < into.candidates.size(); ++i) {
        const ranked_candidate& candidate = into.candidates[i];
        if (candidate.is_baseline) into.baseline = i;
        if (best == nullptr && candidate.may_win) best = &candidate;
    }
    for (ranked_candidate& candidate : into.candidates) {
        if (into.baseline) candidate.over_baseline = gain_of(into.candidates[*into.baseline].time, candidate.time);
        candidate.equals_best =
            best != nullptr && &candidate != best && candidate.may_win && !differs(candidate.time, best->time);
        if (candidate.equals_best) candidate.equal_within = difference(best->time, candidate.time);
        if (const std::optional<assignment>& original = results[candidate.result].same_as)
            candidate.same_as = place_of(places, *original);
    }
}

// Why the outcome of a race does not hold for the present results; `nullopt` if it does.
std::optional<outdated_race> why_outdated(const std::vector<stored_result>& results, const race_result_info& race,
                                          const places_by_name& places, const ranking& among)
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
    std::vector<std::size_t> wanted = contestants_of(results, among, rules);
    // If there is no room for all, only the faster half is sure to have been chosen.
    if (contestants_of(results, among, {.max_contestants = rules.max_contestants + 1}).size() > wanted.size())
        wanted.resize(rules.max_contestants / 2);
    for (const std::size_t place : wanted) {
        // Among those as fast as the last one with room, any may be left out.
        const bool any_would_do = wanted.size() == rules.max_contestants / 2 &&
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
    // One factor scales all to the level of their samples, which keeps their ratios.
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

struct raced_entry {
    sample_summary time;
    const race_entry* entry = nullptr;
};

// The fastest of those that have all rounds, and all that are not slower: also those that fell out after few rounds, or
// by too small a difference. Empty if none was timed.
std::vector<raced_entry> equals_of(const race_result_info& race)
{
    std::vector<raced_entry> equals;
    for (const race_entry& entry : race.entries)
        if (!entry.samples_ns.empty()) equals.push_back({summarise(entry.samples_ns), &entry});
    const auto has_all = [&](const raced_entry& each) {
        return each.time.count >= race.entries.front().samples_ns.size();
    };
    const auto fastest = std::ranges::min_element(
        equals, {}, [&](const raced_entry& each) { return std::pair(!has_all(each), each.time.median); });
    if (fastest == equals.end()) return equals;
    std::iter_swap(equals.begin(), fastest);
    const sample_summary best = equals.front().time;
    std::erase_if(equals, [&](const raced_entry& each) { return is_slower(each.time, best); });
    return equals;
}

// The noise, if it kept the race from telling its best apart.
std::optional<sample_noise> noise_of(const std::vector<raced_entry>& equals)
{
    if (equals.empty()) return std::nullopt;
    std::vector<sample_summary> others;
    for (std::size_t i = 1; i < equals.size(); ++i) others.push_back(equals[i].time);
    return noise_of(equals.front().time, others);
}

// Among those that a race could not tell apart, the tie rule chooses, with the present baseline.
verdict decided_by_race(const std::vector<stored_result>& results, const race_result_info& race,
                        const std::vector<raced_entry>& equals, const places_by_name& places, const ranking& among)
{
    const race_entry* winner = &race.entries.front();
    verdict decided{.raced = true};
    std::vector<tied_candidate> tied_with;
    for (const auto& [time, entry] : equals) {
        const std::optional<std::size_t> place = place_of(places, entry->parameters);
        if (!place || !among.candidates[*place].may_win) continue;
        const ranked_candidate& candidate = among.candidates[*place];
        tied_with.push_back(tied(results[candidate.result], time, candidate.is_baseline));
        decided.equals.push_back(*place);
        decided.equal_within = std::max(decided.equal_within, difference(equals.front().time, time));
    }
    if (!tied_with.empty()) decided.tie = choose_among_equals(tied_with);
    decided.winner =
        tied_with.empty() ? place_of(places, winner->parameters).value() : decided.equals[decided.tie.chosen];
    decided.equal = decided.equals.size() > 1;
    if (!decided.equal) decided.equal_within = 0;
    if (race.verdict == "equal") decided.equal_within = race.equal_within;
    for (const race_entry& entry : race.entries)
        if (place_of(places, entry.parameters) == decided.winner) winner = &entry;
    // Adds equals that had no room in the race.
    const auto best = std::ranges::find_if(among.candidates, &ranked_candidate::may_win);
    for (std::size_t i = 0; i < among.candidates.size(); ++i) {
        const ranked_candidate& each = among.candidates[i];
        if (each.may_win && !each.raced && !each.same_as && !is_slower(each.time, best->time) &&
            each.time.median <= best->time.median * (1 + race_rules{}.margin))
            decided.equals.push_back(i);
    }
    if (!among.baseline || winner->samples_ns.empty()) return decided;
    for (const race_entry& entry : race.entries)
        if (place_of(places, entry.parameters) == among.baseline && !entry.samples_ns.empty())
            decided.over_baseline = gain_of(summarise(entry.samples_ns), summarise(winner->samples_ns));
    return decided;
}

// The last race that still holds decides.
void decide_by_race(const std::vector<stored_result>& results, const races_held& races, const places_by_name& places,
                    ranking& into)
{
    for (std::size_t i = races.size(); i-- > 0;) {
        const auto& [number, race] = races[i];
        if (std::optional<outdated_race> why = why_outdated(results, *race, places, into)) {
            if (!into.outdated) into.outdated = std::move(why);
            continue;
        }
        settle_by_race(*race, places, into);
        const std::vector<raced_entry> equals = equals_of(*race);
        into.noise = noise_of(equals);
        if (!into.noise) into.decided = decided_by_race(results, *race, equals, places, into);
        into.race = number;
        into.outdated.reset();
        return;
    }
}

void decide_by_samples(const std::vector<stored_result>& results, ranking& among)
{
    const auto& candidates = among.candidates;
    const auto best = std::find_if(candidates.begin(), candidates.end(),
                                   [](const ranked_candidate& candidate) { return candidate.may_win; });
    if (best == candidates.end()) return;
    std::vector<std::size_t> places{static_cast<std::size_t>(best - candidates.begin())};
    std::vector<tied_candidate> equals{tied(results[best->result], best->time, best->is_baseline)};
    std::vector<sample_summary> others;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const ranked_candidate& candidate = candidates[i];
        // The baseline may have the same code as another candidate.
        if (&candidate == &*best || !candidate.may_win || (candidate.same_as && !candidate.is_baseline)) continue;
        if (candidate.equals_best && !candidate.same_as) others.push_back(candidate.time);
        if (is_slower(candidate.time, best->time)) continue;
        places.push_back(i);
        equals.push_back(tied(results[candidate.result], candidate.time, candidate.is_baseline));
    }
    among.noise = noise_of(best->time, others);
    if (among.noise) return;
    const tie_choice tie = choose_among_equals(equals);
    verdict decided{.winner = places[tie.chosen], .tie = tie, .equals = places};
    // If the baseline stays, only how far it may be behind matters.
    const bool stays = decided.winner != places.front() && candidates[decided.winner].is_baseline;
    for (const ranked_candidate& candidate : candidates) {
        if (&candidate == &*best || !candidate.may_win || is_slower(candidate.time, best->time)) continue;
        if (stays ? !candidate.is_baseline : candidate.same_as == places.front()) continue;
        decided.equal = true;
        decided.equal_within = std::max(decided.equal_within, difference(best->time, candidate.time));
    }
    among.decided = decided;
}

void rank_one(const std::vector<stored_result>& results, const std::vector<std::size_t>& members,
              const races_held& races, const std::optional<assignment>& baseline, ranking& into)
{
    add_candidates(results, members, baseline, into);
    const places_by_name places = places_of(results, into);
    compare_candidates(results, places, into);
    decide_by_race(results, races, places, into);
    if (!into.race) decide_by_samples(results, into);

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
