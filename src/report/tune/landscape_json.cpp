// Maps of results for programs: JSON and CSV, one cell at a time.
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <ostream>

#include "report/core/json_stream.hpp"
#include "report/core/json_table.hpp"
#include "report/tune/landscape_report.hpp"
#include "report/tune/overall_report.hpp"
#include "report/tune/run_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

const char* name_of(landscape_field::kind of)
{
    return of == landscape_field::kind::parameter  ? "parameters"
           : of == landscape_field::kind::workload ? "workload"
                                                   : "record";
}

ordered_json json_of_value(const parameter_value& value)
{
    return values_json({{{"value", value}}}).front();
}

ordered_json fields_json(const std::vector<landscape_field>& fields)
{
    return list_json(fields, [](const landscape_field& field) -> ordered_json {
        return {{"name", json_text(field.name)}, {"of", name_of(field.of)}};
    });
}

ordered_json candidate_json(const landscape_section& section, const std::optional<std::size_t>& place)
{
    if (!place) return nullptr;
    const landscape_candidate& one = section.candidates[*place];
    return {{"parameters", values_json(one.parameters)},
            {"median_ns", one.time ? ordered_json(one.time->median) : ordered_json(nullptr)},
            {"share", one.share()}};
}

ordered_json section_json(const landscape_section& section)
{
    const std::string verdict = section.overall            ? overall_verdict(*section.overall, section.rankings)
                                : section.rankings.empty() ? "Nothing was measured."
                                                           : verdict_text(section.results, section.rankings.front());
    return {{"at", values_json(section.at)},
            {"workloads", section.rankings.size()},
            {"winner", candidate_json(section, section.winner)},
            {"next", candidate_json(section, section.next)},
            {"noise", noise_json(section.noise)},
            {"incomplete", section.incomplete},
            {"verdict", verdict}};
}

ordered_json map_json(const landscape_report& report, std::size_t place)
{
    const landscape_map& map = report.drawn.maps[place];
    const auto axis_json = [](const std::vector<parameter_value>& values) { return list_json(values, json_of_value); };
    const std::optional<landscape_unit> unit = unit_of(report, map);
    return {{"by", values_json(map.by)},
            {"runs", map.sources},
            {"unit", unit ? ordered_json(launchbox::name_of(*unit)) : ordered_json(nullptr)},
            {"values", list_json(map.values, axis_json)},
            {"sections", list_json(map.sections, section_json)},
            {"cells", map.cells.size()},
            {"unplaced", map.unplaced},
            {"replaced", map.replaced}};
}

const char* const figures[] = {"status",    "median_ns",     "low_ns",     "high_ns",     "share",
                               "share_low", "share_high",    "is_winner",  "equals_best", "noisy",
                               "may_win",   "stopped_early", "candidates", "measured",    "reason"};

ordered_json cell_json(const landscape_report& report, std::size_t place, const landscape_cell& cell)
{
    const landscape_map& map = report.drawn.maps[place];
    const landscape_section& section = map.sections[cell.section];
    const landscape_candidate* best = cell.best ? &section.candidates[*cell.best] : nullptr;
    ordered_json at = ordered_json::object(), failures = ordered_json::object();
    for (std::size_t a = 0; a < cell.at.size(); ++a)
        at[json_text(report.drawn.axes[a].name)] = json_of_value(map.values[a][cell.at[a]]);
    for (const auto& [what, count] : cell.failures) failures[std::string(launchbox::name_of(what))] = count;
    const auto time = [&](double sample_summary::*part) {
        return best != nullptr && best->time ? ordered_json((*best->time).*part) : ordered_json(nullptr);
    };
    const auto share = [&](double sample_summary::*part) {
        return best != nullptr && best->relative.*part > 0 ? ordered_json(1 / best->relative.*part)
                                                           : ordered_json(nullptr);
    };
    ordered_json json{{"map", place}, {"section", cell.section}, {"at", at}};
    json["status"] = best != nullptr ? "measured" : cell.why ? launchbox::name_of(cell.why->first) : "incomplete";
    json["parameters"] = best != nullptr ? values_json(best->parameters) : ordered_json(nullptr);
    json["median_ns"] = time(&sample_summary::median);
    json["low_ns"] = time(&sample_summary::low);
    json["high_ns"] = time(&sample_summary::high);
    json["share"] = share(&sample_summary::median);
    json["share_low"] = share(&sample_summary::high);
    json["share_high"] = share(&sample_summary::low);
    for (const work_kind& kind : work_kinds)
        if (best != nullptr && (best->rates.*kind.amount)) json[kind.name_per_second] = *(best->rates.*kind.amount);
    json["is_winner"] = best != nullptr && best->is_winner;
    json["equals_best"] = best != nullptr && best->equals_best;
    json["noisy"] = best != nullptr && best->noisy();
    json["may_win"] = best != nullptr && best->may_win;
    json["stopped_early"] = best != nullptr && best->stopped_early;
    json["candidates"] = cell.candidates;
    json["measured"] = cell.measured;
    json["failures"] = failures;
    json["reason"] = best == nullptr && cell.why ? ordered_json(json_text(cell.why->second)) : ordered_json(nullptr);
    return json;
}

ordered_json everywhere_json(const landscape_report& report)
{
    const std::optional<landscape_everywhere>& everywhere = report.drawn.everywhere;
    if (!everywhere) return nullptr;
    return {{"parameters", values_json(everywhere->parameters)},
            {"mean_loss", everywhere->mean},
            {"worst_loss", everywhere->losses[everywhere->worst]},
            {"worst_map", everywhere->worst},
            {"losses", everywhere->losses}};
}

std::string title_of(const landscape_field& field)
{
    return std::string(name_of(field.of)) + "." + json_text(field.name);
}

bool is_among(const std::string& name, const std::vector<landscape_field>& fields)
{
    return std::ranges::any_of(fields, [&](const landscape_field& field) {
        return field.of == landscape_field::kind::parameter && field.name == name;
    });
}

}  // namespace

void write_landscape_json(const landscape_report& report, std::ostream& out)
{
    const auto [environments, runs] = runs_json(report.found.runs);
    json_object_stream json(out);
    json.member("schema", "launchbox.map/1");
    json.member("environments", environments);
    json.member("runs", runs);
    json.member("axes", fields_json(report.drawn.axes));
    json.member("by", fields_json(report.drawn.by));
    json.begin_array("maps");
    for (std::size_t m = 0; m < report.drawn.maps.size(); ++m) json.element(map_json(report, m));
    json.end_array();
    json.begin_array("cells");
    for (std::size_t m = 0; m < report.drawn.maps.size(); ++m)
        for (const landscape_cell& cell : report.drawn.maps[m].cells) json.element(cell_json(report, m, cell));
    json.end_array();
    json.member("everywhere", everywhere_json(report));
    json.member("problems", value_json(report.found.diagnostics));
    json.finish();
}

table landscape_table(const landscape_report& report)
{
    const landscape& drawn = report.drawn;
    ordered_json rows = ordered_json::array(), header = ordered_json::object();
    for (const std::vector<landscape_field>* fields : {&drawn.by, &drawn.axes})
        for (const landscape_field& field : *fields) header[title_of(field)] = nullptr;
    const auto other_parameters = [&](const assignment& values) {
        ordered_json texts = texts_json(values);
        for (const auto& [name, value] : values.values)
            if (is_among(name, drawn.axes) || is_among(name, drawn.by)) texts.erase(json_text(name));
        return texts;
    };
    ordered_json& parameters = header["parameters"] = ordered_json::object();
    std::vector<bool> rates(work_kinds.size(), false);
    for (const landscape_map& map : drawn.maps)
        for (const landscape_section& section : map.sections)
            for (const landscape_candidate& one : section.candidates) {
                parameters.update(other_parameters(one.parameters));
                for (std::size_t k = 0; k < work_kinds.size(); ++k)
                    if (one.rates.*work_kinds[k].amount) rates[k] = true;
            }
    for (const char* title : figures) header[title] = nullptr;
    for (std::size_t k = 0; k < work_kinds.size(); ++k)
        if (rates[k]) header[work_kinds[k].name_per_second] = nullptr;
    if (drawn.everywhere) header["everywhere_loss"] = nullptr;
    for (std::size_t m = 0; m < drawn.maps.size(); ++m)
        for (const landscape_cell& from : drawn.maps[m].cells) {
            ordered_json& row = rows.emplace_back(cell_json(report, m, from));
            for (const landscape_field& field : drawn.by)
                if (const parameter_value* value = drawn.maps[m].by.find(field.name))
                    row[title_of(field)] = json_text(parameter_text(*value));
            for (std::size_t a = 0; a < from.at.size(); ++a)
                row[title_of(drawn.axes[a])] = json_text(parameter_text(drawn.maps[m].values[a][from.at[a]]));
            const landscape_section& section = drawn.maps[m].sections[from.section];
            row["parameters"] = other_parameters(from.best ? section.candidates[*from.best].parameters : assignment());
            for (const char* name : {"at", "failures"}) row.erase(name);
            if (drawn.everywhere) row["everywhere_loss"] = drawn.everywhere->losses[m];
        }
    return flat_table(rows, std::move(header));
}

}  // namespace launchbox
