// Output of `results --compare` for programs: JSON, and the table for CSV.
// SPDX-License-Identifier: Apache-2.0
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/tune/comparison_report.hpp"
#include "report/tune/run_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::optional<gain> ratio_of(const std::optional<time_move>& move)
{
    return move ? std::optional(move->ratio) : std::nullopt;
}

ordered_json winner_json(const std::optional<compared_winner>& winner, const compared_workload& on)
{
    if (!winner) return nullptr;
    ordered_json json{{"parameters", values_json(winner->parameters)},
                      {"median_ns_a", or_null(winner->a_ns)},
                      {"median_ns_b", or_null(winner->b_ns)}};
    add_gain(json, "over_best", winner->over_best);
    json["elsewhere"] = winner->elsewhere ? ordered_json(name_of(*winner->elsewhere)) : ordered_json(nullptr);
    for (const auto& [work, ns, side] :
         {std::tuple(&on.work_a, &winner->a_ns, "_a"), {&on.work_b, &winner->b_ns, "_b"}}) {
        const work_amounts rates = per_second(*work, ns->value_or(0));
        for (const work_kind& kind : work_kinds)
            if (work->*kind.amount) json[std::string(kind.name_per_second) + side] = or_null(rates.*kind.amount);
    }
    return json;
}

ordered_json texts_or_null(const run_difference& difference)
{
    return {{"what", difference.what}, {"a", text_or_null(difference.a)}, {"b", text_or_null(difference.b)}};
}

ordered_json pair_json(const run_comparison& found, std::size_t other)
{
    ordered_json workloads = ordered_json::array();
    for (const compared_workload& workload : found.workloads) {
        ordered_json json{
            {"workload", values_json(workload.workload)},
            {"winner_a", winner_json(workload.winner_a, workload)},
            {"winner_b", winner_json(workload.winner_b, workload)},
            {"winner_move", workload.best ? ordered_json(name_of(workload.best->moved)) : ordered_json(nullptr)}};
        add_gain(json, "ratio", ratio_of(workload.best));
        json["in_both"] = workload.candidates.size();
        json["only_in_a"] = workload.only_a;
        json["only_in_b"] = workload.only_b;
        json["faster"] = workload.faster;
        json["slower"] = workload.slower;
        json["equal"] = workload.equal;
        json["unclear"] = workload.unclear;
        json["shared"] = workload.shared;
        json["expected_by_chance"] = workload.expected_by_chance;
        json["median_ratio"] = or_null(workload.median_ratio);
        workloads.push_back(std::move(json));
    }
    return {{"a", 0},
            {"b", other},
            {"same_task", found.same_task},
            {"same_machine", found.same_machine},
            {"differences", list_json(found.differences, texts_or_null)},
            {"workloads_only_in_a", list_json(found.only_a, values_json)},
            {"workloads_only_in_b", list_json(found.only_b, values_json)},
            {"workloads", workloads}};
}

ordered_json spills_json(const stored_result& result)
{
    return !result.kernel || !result.kernel->figures.spill_store_bytes || !result.kernel->figures.spill_load_bytes
               ? ordered_json(nullptr)
               : ordered_json(static_cast<std::uint64_t>(*result.kernel->figures.spill_store_bytes) +
                              static_cast<std::uint64_t>(*result.kernel->figures.spill_load_bytes));
}

ordered_json candidate_json(const compared_candidate& candidate, const stored_result& a, const stored_result& b)
{
    const auto median = [](const stored_result& result) {
        return result.measured.status == outcome::measured ? ordered_json(summarise(result.measured.samples_ns).median)
                                                           : ordered_json(nullptr);
    };
    const auto registers = [](const stored_result& result) {
        return result.kernel ? or_null(result.kernel->figures.registers) : ordered_json(nullptr);
    };
    ordered_json json{{"parameters", values_json(a.parameters)},
                      {"status_a", name_of(a.measured.status)},
                      {"status_b", name_of(b.measured.status)},
                      {"move", candidate.time ? ordered_json(name_of(candidate.time->moved)) : ordered_json(nullptr)},
                      {"median_ns_a", median(a)},
                      {"median_ns_b", median(b)}};
    add_gain(json, "ratio", ratio_of(candidate.time));
    json["registers_a"] = registers(a);
    json["registers_b"] = registers(b);
    json["spill_bytes_a"] = spills_json(a);
    json["spill_bytes_b"] = spills_json(b);
    json["shared"] = candidate.shared;
    return json;
}

}  // namespace

ordered_json comparison_json(const comparison_report& report)
{
    const std::vector<shown_run>& shown = report.found.runs;
    const auto [environments, runs] = runs_json(shown);
    ordered_json pairs = ordered_json::array(), candidates = ordered_json::array();
    for (std::size_t i = 0; i < report.others.size(); ++i) {
        pairs.push_back(pair_json(report.others[i], i + 1));
        for (const compared_workload& workload : report.others[i].workloads)
            for (const compared_candidate& candidate : workload.candidates) {
                ordered_json json{{"a", 0}, {"b", i + 1}, {"workload", values_json(workload.workload)}};
                json.update(candidate_json(candidate, shown[0].run.results[candidate.a],
                                           shown[i + 1].run.results[candidate.b]));
                candidates.push_back(std::move(json));
            }
    }
    return {{"schema", "launchbox.comparison/1"},
            {"environments", environments},
            {"runs", runs},
            {"comparisons", pairs},
            {"candidates", candidates},
            {"problems", value_json(report.found.diagnostics)}};
}

table comparison_table(const comparison_report& report)
{
    const std::vector<shown_run>& shown = report.found.runs;
    const auto row_of = [](std::size_t other, const shown_run& a, const shown_run& b, const assignment& workload,
                           const compared_candidate& candidate, const stored_result& in_a, const stored_result& in_b) {
        ordered_json row{{"a", 0},
                         {"b", other},
                         {"file_a", json_text(a.file)},
                         {"file_b", json_text(b.file)},
                         {"number_a", a.run.number},
                         {"number_b", b.run.number},
                         {"workload", texts_json(workload)}};
        row.update(candidate_json(candidate, in_a, in_b));
        row["parameters"] = texts_json(in_a.parameters);
        return row;
    };
    ordered_json rows = ordered_json::array();
    for (std::size_t i = 0; i < report.others.size(); ++i)
        for (const compared_workload& workload : report.others[i].workloads)
            for (const compared_candidate& candidate : workload.candidates)
                rows.push_back(row_of(i + 1, shown[0], shown[i + 1], workload.workload, candidate,
                                      shown[0].run.results[candidate.a], shown[i + 1].run.results[candidate.b]));
    return flat_table(rows, row_of(0, {}, {}, {}, {}, {}, {}));
}

}  // namespace launchbox
