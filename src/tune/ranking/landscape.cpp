// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/landscape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/ranking/landscape_fields.hpp"

namespace launchbox {

namespace {

using value_list = std::vector<std::optional<parameter_value>>;

std::string key_of(const value_list& values)
{
    assignment named;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (values[i]) named.values.emplace_back(std::to_string(i), *values[i]);
    return identity_of(std::move(named));
}

bool stand_before(const value_list& one, const value_list& other)
{
    return std::ranges::lexicographical_compare(one, other, [](const auto& first, const auto& second) {
        // Records without such a value come last.
        if (!first || !second) return first.has_value() && !second.has_value();
        return stands_before(*first, *second);
    });
}

/// One result with its record.
struct placed_result {
    const stored_result* result = nullptr;
    std::size_t source = 0;
};

// Results of one run, which may be in several files: each candidate once, the newest.
struct run_part {
    std::vector<placed_result> results;
    std::map<std::string, std::size_t> places;
    std::set<std::size_t> sources;
};

struct section_part {
    value_list at;
    std::map<std::string, run_part> runs = {};  // by the properties that must not be mixed
};

struct map_part {
    value_list by;
    std::map<std::string, section_part> sections = {};
    std::size_t unplaced = 0, replaced = 0;
};

assignment named_values(const std::vector<landscape_field>& fields, const value_list& values)
{
    assignment named;
    for (std::size_t i = 0; i < fields.size(); ++i)
        if (values[i]) named.values.emplace_back(fields[i].name, *values[i]);
    return named;
}

// Refuses runs on the same kernel, machine and workload that differ otherwise, and names the difference.
void refuse_mixture(const std::vector<landscape_source>& sources, const section_part& section,
                    const landscape_request& request)
{
    if (section.runs.size() < 2) return;
    std::map<std::string, std::size_t> first;
    for (const auto& [key, part] : section.runs)
        for (const placed_result& placed : part.results) {
            const recorded_run& run = *sources[placed.source].run;
            const assignment what = joined({{{"kernel", run.info.name}, {"gpu", machine_of(run.info.environment)}}},
                                           placed.result->workload);
            const auto [at, fresh] = first.emplace(identity_of(what), placed.source);
            const recorded_run& other = *sources[at->second].run;
            if (fresh || at->second == placed.source || run_identity(other) == key) continue;
            const run_info &one = other.info, &two = run.info;
            std::string differ;
            const auto compare = [&](const char* name, const auto& here, const auto& there) {
                if (here != there) differ += (differ.empty() ? "" : ", ") + std::string(name);
            };
            compare("driver", one.environment.driver, two.environment.driver);
            compare("toolkit", one.environment.toolkit, two.environment.toolkit);
            compare("source", one.source_hash, two.source_hash);
            compare("task", one.task_hash, two.task_hash);
            if (differ.empty()) differ = "environment";
            std::string by;
            for (const std::string& name : request.by.value_or(std::vector<std::string>())) by += name + ",";
            throw error(
                fmt::format("{} and {} measured {} and differ in {}: they cannot share a map",
                            run_name(sources[at->second]), run_name(sources[placed.source]),
                            escape_for_terminal(parameter_text(what)), differ),
                fmt::format("write --by {}run, or choose one with --run or by its file", escape_for_terminal(by)));
        }
}

void add_results(const std::vector<landscape_source>& sources, const std::vector<landscape_field>& axes,
                 const std::vector<landscape_field>& by, std::map<std::string, map_part>& parts)
{
    for (std::size_t source = 0; source < sources.size(); ++source) {
        const recorded_run& run = *sources[source].run;
        const std::string identity = run_identity(run);
        for (const stored_result& result : run.results) {
            value_list group, section;
            for (const landscape_field& field : by) group.push_back(value_of(field, sources[source], result));
            map_part& into = parts.try_emplace(key_of(group), map_part{.by = group}).first->second;
            bool placed = true;
            for (const landscape_field& field : axes) {
                std::optional<parameter_value> value = value_of(field, sources[source], result);
                placed = placed && value;
                if (field.of != landscape_field::kind::parameter) section.push_back(std::move(value));
            }
            if (!placed) {
                ++into.unplaced;
                continue;
            }
            section_part& in_section =
                into.sections.try_emplace(key_of(section), section_part{.at = section}).first->second;
            run_part& in_run = in_section.runs[identity];
            in_run.sources.insert(source);
            const auto [at, fresh] = in_run.places.emplace(
                identity_of(result.parameters) + identity_of(result.workload), in_run.results.size());
            if (fresh) {
                in_run.results.push_back({&result, source});
            } else {
                in_run.results[at->second] = {&result, source};
                ++into.replaced;
            }
        }
    }
}

// The races of each record, by workload.
using races_by_workload = std::vector<std::multimap<std::string, const race_result_info*>>;

// Ranks as `rank` does, with the results of all runs of the section appended.
void rank_section(const std::vector<landscape_source>& sources, const races_by_workload& held, const section_part& part,
                  landscape_section& into)
{
    for (const auto& [key, in_run] : part.runs) {
        std::vector<stored_result> results;
        std::set<std::string> workloads;
        for (const placed_result& placed : in_run.results) {
            results.push_back(*placed.result);
            results.back().log.clear();
            workloads.insert(identity_of(placed.result->workload));
        }
        std::vector<race_result_info> races;
        std::optional<assignment> baseline;
        objective goal;
        for (const std::size_t source : in_run.sources) {
            goal = objective_of(sources[source].run->info);
            for (const std::string& workload : workloads)
                for (auto [at, end] = held[source].equal_range(workload); at != end; ++at) races.push_back(*at->second);
            if (sources[source].run->info.baseline) baseline = sources[source].run->info.baseline;
        }
        const std::size_t offset = into.results.size();
        for (ranking& workload : rank(results, races, baseline, goal)) {
            for (ranked_candidate& candidate : workload.candidates) candidate.result += offset;
            for (failure_count& failure : workload.failures)
                for (std::size_t& number : failure.results) number += offset;
            into.rankings.push_back(std::move(workload));
        }
        into.results.insert(into.results.end(), std::make_move_iterator(results.begin()),
                            std::make_move_iterator(results.end()));
    }
    if (into.rankings.size() > 1) into.overall = rank_overall(into.results, into.rankings);
}

sample_summary scaled(sample_summary time, double by)
{
    time.median *= by;
    time.low *= by;
    time.high *= by;
    return time;
}

// With several workloads: all candidates that were measured on each of them. Those that were stopped early cannot win,
// but their times are valid.
void add_candidates_of_several(landscape_section& section)
{
    struct found_times {
        const assignment* parameters = nullptr;
        std::vector<std::size_t> places;  // in the rankings, one per workload
    };
    const std::vector<ranking>& rankings = section.rankings;
    std::vector<found_times> found;
    std::map<std::string, std::size_t> numbers;
    std::vector<double> fastest(rankings.size(), 0);
    double largest = 0;
    for (std::size_t r = 0; r < rankings.size(); ++r) {
        largest = std::max(largest, rankings[r].weight);
        for (std::size_t c = 0; c < rankings[r].candidates.size(); ++c) {
            const ranked_candidate& one = rankings[r].candidates[c];
            const assignment& parameters = section.results[one.result].parameters;
            const auto [at, fresh] = numbers.emplace(identity_of(parameters), found.size());
            if (fresh) found.push_back({&parameters, {}});
            if (found[at->second].places.size() == r) found[at->second].places.push_back(c);
            if (one.may_win && (fastest[r] == 0 || one.settled.median < fastest[r])) fastest[r] = one.settled.median;
        }
    }
    std::map<std::vector<std::size_t>, std::size_t> codes;
    for (const found_times& times : found) {
        if (times.places.size() < rankings.size()) {
            ++section.incomplete;
            continue;
        }
        landscape_candidate made{.parameters = *times.parameters, .may_win = true};
        std::vector<std::size_t> code;
        double weights = 0;
        sample_summary logs;
        bool known = true;
        for (std::size_t r = 0; r < rankings.size(); ++r) {
            const ranked_candidate& one = rankings[r].candidates[times.places[r]];
            code.push_back(one.same_as.value_or(times.places[r]));
            made.may_win = made.may_win && one.may_win;
            made.stopped_early = made.stopped_early || section.results[one.result].measured.stopped_early;
            // A time of 0 means that the clock is too coarse, and without a candidate that may win there is nothing to
            // compare with: the values are unknown.
            known = known && one.settled.low > 0 && fastest[r] > 0;
            if (!known) continue;
            const double weight = rankings[r].weight / largest;
            weights += weight;
            logs.median += weight * std::log(one.settled.median / fastest[r]);
            logs.low += weight * std::log(one.settled.low / fastest[r]);
            logs.high += weight * std::log(one.settled.high / fastest[r]);
            logs.count = r == 0 ? one.settled.count : std::min(logs.count, one.settled.count);
        }
        if (known && weights > 0)
            made.relative = {logs.count, std::exp(logs.median / weights), std::exp(logs.low / weights),
                             std::exp(logs.high / weights)};
        if (const auto [first, fresh] = codes.emplace(std::move(code), section.candidates.size()); !fresh)
            made.same_as = first->second;
        section.candidates.push_back(std::move(made));
    }
    const overall_ranking& overall = *section.overall;
    section.noise = overall.noise;
    if (!overall.winner) return;
    const std::string winner = identity_of(overall.candidates[*overall.winner].parameters);
    for (std::size_t i = 0; i < section.candidates.size(); ++i)
        if (identity_of(section.candidates[i].parameters) == winner) section.winner = i;
}

void add_candidates(landscape_section& section)
{
    std::vector<landscape_candidate>& candidates = section.candidates;
    if (section.overall) {
        add_candidates_of_several(section);
    } else if (!section.rankings.empty()) {
        const ranking& only = section.rankings.front();
        const bool by_time = only.goal.is_time();
        for (const ranked_candidate& one : only.candidates) {
            const stored_result& result = section.results[one.result];
            candidates.push_back({.parameters = result.parameters,
                                  .time = by_time ? std::optional(one.time) : std::nullopt,
                                  .relative = by_time || one.cost ? one.settled : sample_summary{},
                                  .rates = per_second(only.work, one.time.median),
                                  .may_win = one.may_win,
                                  .stopped_early = result.measured.stopped_early,
                                  .same_as = one.same_as});
        }
        if (only.decided) section.winner = only.decided->winner;
        section.noise = only.noise;
    }
    const landscape_candidate* fastest = nullptr;
    for (const landscape_candidate& one : candidates)
        if (one.may_win && one.relative.median > 0 &&
            (fastest == nullptr || one.relative.median < fastest->relative.median))
            fastest = &one;
    const double least = fastest != nullptr ? fastest->relative.median : 0;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        landscape_candidate& one = candidates[i];
        if (fastest != nullptr)
            one.equals_best = one.may_win && &one != fastest && !differs(one.relative, fastest->relative);
        one.is_winner = section.winner == i;
    }
    for (landscape_candidate& one : candidates)
        one.relative = least > 0 ? scaled(one.relative, 1 / least) : sample_summary();
    if (!section.winner) return;
    const std::size_t winner = *section.winner;
    for (std::size_t i = 0; i < candidates.size(); ++i) {
        const bool same = i == winner || candidates[i].same_as == winner || candidates[winner].same_as == i ||
                          (candidates[i].same_as && candidates[i].same_as == candidates[winner].same_as);
        if (!candidates[i].may_win || same) continue;
        if (!section.next || candidates[i].relative.median < candidates[*section.next].relative.median)
            section.next = i;
    }
}

using cell_places = std::map<std::vector<std::size_t>, std::size_t>;

// Finds the cell of a candidate of a section. `places` has one number for each value of each axis.
class cell_finder {
public:
    cell_finder(const std::vector<landscape_field>& axes, landscape_map& into) : axes_(axes), into_(into)
    {
        std::vector<std::map<std::string, parameter_value>> all(axes.size());
        for (const landscape_section& section : into.sections)
            for (std::size_t a = 0; a < axes.size(); ++a) {
                if (axes[a].of != landscape_field::kind::parameter) {
                    const parameter_value& value = *section.at.find(axes[a].name);
                    all[a].emplace(key_of({value}), value);
                } else {
                    for (const stored_result& result : section.results) {
                        const parameter_value& value = *result.parameters.find(axes[a].name);
                        all[a].emplace(key_of({value}), value);
                    }
                }
            }
        places_.resize(axes.size());
        for (std::size_t a = 0; a < axes.size(); ++a) {
            std::vector<parameter_value>& values = into.values.emplace_back();
            for (const auto& [key, value] : all[a]) values.push_back(value);
            std::ranges::sort(values, stands_before);
            for (std::size_t i = 0; i < values.size(); ++i) places_[a].emplace(key_of({values[i]}), i);
        }
    }

    landscape_cell& cell(std::size_t section, const assignment& parameters)
    {
        std::vector<std::size_t> at;
        for (std::size_t a = 0; a < axes_.size(); ++a) {
            const assignment& from =
                axes_[a].of == landscape_field::kind::parameter ? parameters : into_.sections[section].at;
            at.push_back(places_[a].at(key_of({*from.find(axes_[a].name)})));
        }
        const auto [found, fresh] = cells_.emplace(at, into_.cells.size());
        if (fresh) into_.cells.push_back({.at = at, .section = section});
        return into_.cells[found->second];
    }

private:
    const std::vector<landscape_field>& axes_;
    landscape_map& into_;
    std::vector<std::map<std::string, std::size_t>> places_;
    cell_places cells_;
};

void add_cells(const std::vector<landscape_field>& axes, landscape_map& into)
{
    cell_finder finder(axes, into);
    for (std::size_t s = 0; s < into.sections.size(); ++s) {
        const landscape_section& section = into.sections[s];
        std::set<std::string> tried;
        for (const stored_result& result : section.results) {
            landscape_cell& cell = finder.cell(s, result.parameters);
            if (tried.insert(identity_of(result.parameters)).second) ++cell.candidates;
            const measurement& measured = result.measured;
            if (measured.status == outcome::measured) continue;
            const std::size_t count = ++cell.failures[measured.status];
            if (!cell.why || count > cell.failures[cell.why->first])
                cell.why = {measured.status, parameter_text(result.parameters) + (measured.reason.empty() ? "" : ": ") +
                                                 measured.reason};
        }
        for (std::size_t c = 0; c < section.candidates.size(); ++c) {
            const landscape_candidate& candidate = section.candidates[c];
            landscape_cell& cell = finder.cell(s, candidate.parameters);
            ++cell.measured;
            const auto order = [&](std::size_t place) {
                const landscape_candidate& one = section.candidates[place];
                return std::tuple(!one.is_winner, !one.may_win, one.relative.median, one.same_as.has_value());
            };
            if (!cell.best || order(c) < order(*cell.best)) cell.best = c;
        }
    }
    // Row by row: the second axis points down.
    std::ranges::sort(into.cells, [](const landscape_cell& one, const landscape_cell& other) {
        return std::ranges::lexicographical_compare(one.at.rbegin(), one.at.rend(), other.at.rbegin(), other.at.rend());
    });
}

std::optional<landscape_everywhere> everywhere_of(const std::vector<landscape_map>& maps)
{
    struct totals {
        const landscape_candidate* candidate = nullptr;
        std::vector<double> relatives;
        double logs = 0;
        int wins = 0;
    };
    std::map<std::string, totals> all;
    for (std::size_t m = 0; m < maps.size(); ++m)
        for (const landscape_section& section : maps[m].sections)
            for (const landscape_candidate& one : section.candidates) {
                if (!one.may_win || one.relative.median <= 0) continue;
                totals& sum = all[identity_of(one.parameters)];
                if (sum.relatives.size() != m) continue;  // missing in an earlier map, or repeated in this one
                sum.candidate = &one;
                sum.relatives.push_back(one.relative.median);
                sum.logs += std::log(one.relative.median);
                sum.wins += one.is_winner ? 1 : 0;
            }
    const totals* best = nullptr;
    // Of several names of the same code, the one that wins elsewhere, too.
    for (const auto& [key, sum] : all)
        if (sum.relatives.size() == maps.size() &&
            (best == nullptr || std::pair(sum.logs, -sum.wins) < std::pair(best->logs, -best->wins)))
            best = &sum;
    if (best == nullptr) return std::nullopt;
    landscape_everywhere found{.parameters = best->candidate->parameters};
    for (const double relative : best->relatives) found.losses.push_back(relative - 1);
    found.mean = std::exp(best->logs / static_cast<double>(maps.size())) - 1;
    found.worst = static_cast<std::size_t>(std::ranges::max_element(found.losses) - found.losses.begin());
    return found;
}

}  // namespace

bool landscape_map::has_times() const
{
    return std::ranges::all_of(sections, [](const landscape_section& one) {
        return one.rankings.empty() || (one.rankings.size() == 1 && one.rankings.front().goal.is_time());
    });
}

bool landscape_map::has_rates(const work_kind& kind) const
{
    return has_times() && std::ranges::all_of(sections, [&](const landscape_section& one) {
               return one.rankings.empty() || (one.rankings.front().work.*kind.amount).has_value();
           });
}

landscape landscape_of(const std::vector<landscape_source>& sources, const landscape_request& request)
{
    landscape found;
    found.axes = fields_named(sources, request.axes, "--map");
    found.by = request.by ? fields_named(sources, *request.by, "--by") : fields_that_differ(sources, found.axes);
    for (const landscape_field& axis : found.axes)
        for (const landscape_field& field : found.by)
            if (axis.name == field.name && axis.of == field.of)
                throw error(fmt::format("'{}' is an axis of the map: it has all of its values in each map",
                                        escape_for_terminal(axis.name)),
                            "leave it out of --by or of --map");

    races_by_workload races(sources.size());
    for (std::size_t source = 0; source < sources.size(); ++source)
        for (const race_result_info& race : sources[source].run->races)
            races[source].emplace(identity_of(race.workload), &race);
    std::map<std::string, map_part> parts;
    add_results(sources, found.axes, found.by, parts);
    std::vector<const map_part*> order;
    for (const auto& [key, part] : parts) order.push_back(&part);
    std::ranges::sort(order,
                      [](const map_part* one, const map_part* other) { return stand_before(one->by, other->by); });
    std::vector<landscape_field> sections;
    for (const landscape_field& axis : found.axes)
        if (axis.of != landscape_field::kind::parameter) sections.push_back(axis);
    for (const map_part* part : order) {
        landscape_map& into = found.maps.emplace_back();
        into.by = named_values(found.by, part->by);
        into.unplaced = part->unplaced;
        into.replaced = part->replaced;
        std::set<std::size_t> used;
        for (const auto& [key, section] : part->sections) {
            refuse_mixture(sources, section, request);
            landscape_section& made = into.sections.emplace_back();
            made.at = named_values(sections, section.at);
            rank_section(sources, races, section, made);
            add_candidates(made);
            for (const auto& [identity, run] : section.runs) used.insert(run.sources.begin(), run.sources.end());
        }
        into.sources.assign(used.begin(), used.end());
        add_cells(found.axes, into);
    }
    const bool same_candidates = std::ranges::none_of(
        found.by, [](const landscape_field& one) { return one.of == landscape_field::kind::parameter; });
    if (found.axes.empty() && found.maps.size() > 1 && same_candidates) found.everywhere = everywhere_of(found.maps);
    return found;
}

bool stands_before(const parameter_value& one, const parameter_value& other)
{
    const auto number = [](const parameter_value& value) -> std::optional<double> {
        if (const auto* integer = std::get_if<std::int64_t>(&value)) return static_cast<double>(*integer);
        if (const auto* fraction = std::get_if<double>(&value)) return *fraction;
        return std::nullopt;
    };
    const std::optional<double> first = number(one), second = number(other);
    if (first && second && *first != *second) return *first < *second;
    if (first.has_value() != second.has_value()) return first.has_value();
    return parameter_text(one) < parameter_text(other);
}

}  // namespace launchbox
