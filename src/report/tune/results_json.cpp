// Output of `results` for programs: JSON, and the table for CSV.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>

#include "report/core/json.hpp"
#include "report/core/json_stream.hpp"
#include "report/core/json_table.hpp"
#include "report/tune/overall_report.hpp"
#include "report/tune/results_report.hpp"
#include "report/tune/run_json.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

/// The position of each result: the ranking of its workload, and its place there.
struct placed {
    const ranking* workload = nullptr;
    std::optional<std::size_t> place = {};
};

std::vector<placed> places_in(const shown_run& shown)
{
    std::vector<placed> places(shown.run.results.size());
    for (const ranking& workload_ranking : shown.rankings)
        for (std::size_t place = 0; place < workload_ranking.candidates.size(); ++place)
            places[workload_ranking.candidates[place].result] = {&workload_ranking, place};
    return places;
}

// Only for the work that the spec names.
void add_rates(ordered_json& json, const work_amounts& work, const ranked_candidate* measured)
{
    const work_amounts rates = measured == nullptr ? work_amounts() : per_second(work, measured->time.median);
    for (const work_kind& kind : work_kinds) {
        if (!(work.*kind.amount)) continue;
        const std::optional<double>& rate = rates.*kind.amount;
        json[kind.name_per_second] = or_null(rate);
    }
}

void add_rates_per_joule(ordered_json& json, const stored_result& result)
{
    const std::optional<sample_summary> energy = quantity_of(result.measured, energy_quantity);
    if (!energy) return;
    const work_amounts rates = per_joule(result.work, energy->median);
    for (const work_kind& kind : work_kinds)
        if (rates.*kind.amount) json[kind.name_per_joule] = *(rates.*kind.amount);
}

ordered_json candidate_json(const stored_result& result, std::size_t run, const placed& where, bool whole)
{
    const measurement& measured = result.measured;
    const ranked_candidate* ranked = where.place ? &where.workload->candidates[*where.place] : nullptr;
    const auto figure = [&](auto get) {
        return ranked != nullptr ? ordered_json(get(*ranked)) : ordered_json(nullptr);
    };
    ordered_json json;
    json["run"] = run;
    json["parameters"] = values_json(result.parameters);
    json["workload"] = values_json(result.workload);
    json["weight"] = result.weight;
    for (const work_kind& kind : work_kinds)
        if (const std::optional<double>& amount = result.work.*kind.amount) json[kind.name] = *amount;
    json["status"] = name_of(measured.status);
    json["reason"] = text_or_null(measured.reason);
    json["rank"] = where.place ? ordered_json(*where.place + 1) : ordered_json(nullptr);
    json["median_ns"] = figure([](const ranked_candidate& candidate) { return candidate.time.median; });
    json["low_ns"] = figure([](const ranked_candidate& candidate) { return candidate.time.low; });
    json["high_ns"] = figure([](const ranked_candidate& candidate) { return candidate.time.high; });
    add_rates(json, result.work, ranked);
    if (!measured.quantities.empty()) json["quantities"] = safe_json(json_of(measured.quantities));
    add_rates_per_joule(json, result);
    if (where.workload != nullptr && !where.workload->goal.is_plain()) {
        json["cost"] = ranked->cost ? ordered_json(ranked->cost->median) : ordered_json(nullptr);
        json["allowed"] = ranked->allowed;
        json["on_front"] = ranked->on_front;
    }
    json["samples"] = measured.samples_ns.size();
    json["dropped"] = measured.dropped;
    add_gain(json, "speed_up", ranked != nullptr ? ranked->over_baseline : std::nullopt);
    json["is_baseline"] = ranked != nullptr && ranked->is_baseline;
    json["is_equal"] =
        where.place && where.workload->decided &&
        std::ranges::find(where.workload->decided->equals, *where.place) != where.workload->decided->equals.end();
    json["is_winner"] = where.place && where.workload->decided && where.workload->decided->winner == *where.place;
    json["verified"] = measured.verified;
    json["stopped_early"] = measured.stopped_early;
    json["same_as"] = optional_values_json(result.same_as);
    json["resources"] = result.kernel ? safe_json(json_of(*result.kernel)) : ordered_json(nullptr);
    json["deaths"] = result.deaths;
    json["seconds"] = measured.seconds;
    if (measured.phases) json["phase_seconds"] = json_of(*measured.phases);
    json["compile_seconds"] = result.compile_seconds;
    json["from_cache"] = result.from_cache;
    json["finished"] = text_or_null(result.finished);
    json["device"] = measured.device ? safe_json(json_of(*measured.device)) : ordered_json(nullptr);
    if (!whole) return json;
    json["samples_ns"] = measured.samples_ns;
    json["checksum"] = json_text(measured.checksum);
    json["sticky"] = measured.sticky;
    json["code"] = json_text(result.code);
    json["log"] = lines_json(result.log);
    return json;
}

template <class Is>
bool some_result(const results_report& found, const Is& is)
{
    return std::ranges::any_of(found.runs,
                               [&](const shown_run& shown) { return std::ranges::any_of(shown.run.results, is); });
}

ordered_json race_json(const race_result_info& race, std::size_t run, bool counts, bool whole)
{
    ordered_json entries = ordered_json::array();
    for (const race_entry& entry : race.entries) {
        entries.push_back({{"parameters", values_json(entry.parameters)},
                           {"median_ns", summarise(entry.samples_ns).median},
                           {"samples", entry.samples_ns.size()},
                           {"result_median_ns", or_null(entry.result_median_ns)}});
        if (whole) entries.back()["samples_ns"] = entry.samples_ns;
    }
    return {{"run", run},
            {"workload", values_json(race.workload)},
            {"verdict", json_text(race.verdict)},
            {"equal_within", race.equal_within},
            {"counts", counts},
            {"entries", entries}};
}

ordered_json best_json(const shown_run& shown, std::size_t run, const ranking& workload)
{
    ordered_json json{{"run", run}, {"workload", values_json(workload.workload)}, {"weight", workload.weight}};
    const verdict* decided = workload.decided ? &*workload.decided : nullptr;
    const ranked_candidate* winner = decided != nullptr ? &workload.candidates[decided->winner] : nullptr;
    json["parameters"] =
        winner != nullptr ? values_json(shown.run.results[winner->result].parameters) : ordered_json(nullptr);
    json["median_ns"] = winner != nullptr ? ordered_json(winner->time.median) : ordered_json(nullptr);
    add_rates(json, workload.work, winner);
    const std::optional<gain> over = winner == nullptr        ? std::nullopt
                                     : decided->over_baseline ? decided->over_baseline
                                                              : winner->over_baseline;
    add_gain(json, "speed_up", over);
    json["is_baseline"] = winner != nullptr && winner->is_baseline;
    json["raced"] = decided != nullptr && decided->raced;
    json["equal_within"] = decided != nullptr && decided->equal ? ordered_json(decided->equal_within) : nullptr;
    const tie_choice tie = decided != nullptr ? decided->tie : tie_choice{};
    json["chosen_among"] = tie.among;
    json["chosen_by"] = tie.why ? ordered_json(name_of(*tie.why)) : ordered_json(nullptr);
    json["noise"] = noise_json(workload.noise);
    json["verdict"] = verdict_text(shown.run.results, workload);
    json["measured"] = workload.candidates.size();
    json["failures"] = ordered_json::object();
    for (const failure_count& failure : workload.failures)
        json["failures"][std::string(name_of(failure.status))] = failure.results.size();
    return json;
}

ordered_json used_json(const used_rows& rows, const used_row& use)
{
    return {{"name", json_text(rows.tunable)},
            {"table", json_text(rows.table)},
            {"gpu", text_or_null(use.gpu)},
            {"architecture", architecture_name(use.architecture).view()},
            {"parameters", optional_values_json(use.parameters)},
            {"origin", text_or_null(use.origin)}};
}

ordered_json device_json(const device_record& device, std::size_t run)
{
    ordered_json json{{"run", run}};
    each_field(device, [&](const char* name, const auto& member) { json[name] = member_json(member); });
    return json;
}

}  // namespace

void write_results_json(const results_report& found, std::ostream& out)
{
    const auto [environments, runs] = runs_json(found.runs, found.with_samples);
    json_object_stream json(out);
    json.member("schema", "launchbox.results/1");
    json.member("environments", environments);
    json.member("runs", runs);
    json.begin_array("best");
    for (std::size_t run = 0; run < found.runs.size(); ++run)
        for (const ranking& workload_ranking : found.runs[run].rankings)
            json.element(best_json(found.runs[run], run, workload_ranking));
    json.end_array();
    json.begin_array("races");
    for (std::size_t run = 0; run < found.runs.size(); ++run)
        for (std::size_t race = 0; race < found.runs[run].run.races.size(); ++race) {
            const bool counts = std::ranges::any_of(found.runs[run].rankings,
                                                    [&](const ranking& workload) { return workload.race == race; });
            json.element(race_json(found.runs[run].run.races[race], run, counts, found.with_samples));
        }
    json.end_array();
    json.begin_array("devices");
    for (std::size_t run = 0; run < found.runs.size(); ++run)
        for (const device_record& device : found.runs[run].run.devices) json.element(device_json(device, run));
    json.end_array();
    json.begin_array("candidates");
    for (std::size_t run = 0; run < found.runs.size(); ++run) {
        const std::vector<placed> places = places_in(found.runs[run]);
        for (std::size_t i = 0; i < places.size(); ++i)
            json.element(candidate_json(found.runs[run].run.results[i], run, places[i], found.with_samples));
    }
    json.end_array();
    json.begin_array("overall");
    for (std::size_t run = 0; run < found.runs.size(); ++run)
        if (found.runs[run].rankings.size() > 1) json.element(overall_json(found.runs[run], run));
    json.end_array();
    json.begin_array("rows");
    for (const used_rows& rows : found.rows)
        for (const used_row& use : rows.uses) json.element(used_json(rows, use));
    json.end_array();
    std::vector<std::string> problems = found.diagnostics;
    for (const used_rows& rows : found.rows)
        if (!rows.refusal.empty()) problems.push_back("no rows of " + rows.tunable + ": " + rows.refusal);
    json.member("problems", value_json(problems));
    json.finish();
}

table results_table(const results_report& found)
{
    constexpr std::array figures{
        "weight",   "status",        "reason",   "rank",         "median_ns",       "low_ns",      "high_ns",
        "samples",  "dropped",       "speed_up", "speed_up_low", "speed_up_high",   "is_baseline", "is_winner",
        "verified", "stopped_early", "deaths",   "seconds",      "compile_seconds", "from_cache",  "finished"};
    constexpr std::array resources{"registers",
                                   "spill_store_bytes",
                                   "spill_load_bytes",
                                   "stack_frame_bytes",
                                   "static_shared_bytes",
                                   "barriers",
                                   "min_blocks",
                                   "register_cap",
                                   "code_bytes",
                                   "shared_spill_store_bytes",
                                   "shared_spill_load_bytes"};
    const auto row_of = [&](const shown_run& shown, std::size_t run, const stored_result& result, const placed& place) {
        const run_info& info = shown.run.info;
        ordered_json row{{"file", json_text(shown.file)},
                         {"number", shown.run.number},
                         {"name", json_text(info.name)},
                         {"gpu", json_text(info.environment.gpu)},
                         {"processor", json_text(info.environment.processor)},
                         {"driver", json_text(info.environment.driver)},
                         {"toolkit", json_text(info.environment.toolkit)},
                         {"run", run},
                         {"workload", texts_json(result.workload)},
                         {"parameters", texts_json(result.parameters)}};
        const ordered_json json = candidate_json(result, run, place, false);
        for (const char* name : figures) row[name] = json[name];
        for (const char* name : resources) row[name] = result.kernel ? json["resources"][name] : ordered_json();
        // At the end, so that readers who find columns by position are not affected.
        for (const work_kind& kind : work_kinds)
            for (const char* name : {kind.name, kind.name_per_second})
                if (json.contains(name)) row[name] = json[name];
        for (const measured_quantity& quantity : result.measured.quantities)
            if (const std::optional<sample_summary> known = quantity_of(result.measured, quantity.name))
                row["quantities"][quantity.name] = known->median;
        return row;
    };
    ordered_json rows = ordered_json::array();
    ordered_json header = row_of({}, 0, {}, {});
    for (const work_kind& kind : work_kinds)
        if (some_result(found, [&](const stored_result& result) { return (result.work.*kind.amount).has_value(); }))
            header.update({{kind.name, nullptr}, {kind.name_per_second, nullptr}});
    header["quantities"] = ordered_json::object();
    for (std::size_t run = 0; run < found.runs.size(); ++run) {
        const std::vector<placed> places = places_in(found.runs[run]);
        for (std::size_t i = 0; i < places.size(); ++i)
            rows.push_back(row_of(found.runs[run], run, found.runs[run].run.results[i], places[i]));
    }
    return flat_table(rows, std::move(header));
}

}  // namespace launchbox
