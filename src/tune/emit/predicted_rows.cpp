// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/predicted_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/row_comments.hpp"
#include "tune/emit/tuned_rows.hpp"
#include "tune/ranking/gpu_prediction.hpp"

namespace launchbox {

namespace {

constexpr std::string_view predicted_start = "// predicted, not measured: ", compiled_start = "// compiled: ";

std::string name_of_gpu(const portable_gpu& gpu)
{
    return gpu.architecture.empty() ? gpu.name : fmt::format("{} ({})", gpu.name, gpu.architecture);
}

bool is_compared(const std::vector<recorded_run>& runs, const assignment& candidate)
{
    return std::ranges::all_of(runs, [&](const recorded_run& run) {
        return std::ranges::all_of(run.results, [&](const stored_result& result) {
            return result.parameters != candidate || result.measured.status != outcome::measured ||
                   result.measured.verified;
        });
    });
}

}  // namespace

prediction predict_row(const std::vector<emit_record>& records, const table_part& part, const prediction_wish& wish,
                       const std::optional<assignment>& only)
{
    const std::string where(architecture_name(wish.architecture).view());
    std::vector<recorded_run> runs;
    std::vector<landscape_source> sources;
    prediction made{.architecture = wish.architecture};
    runs.reserve(records.size());
    for (const emit_record& record : records) {
        runs.push_back(part_of(record.run, [&](const assignment& workload) { return part.holds(workload); }));
        if (runs.back().results.empty()) {
            runs.pop_back();
            continue;
        }
        sources.push_back({&runs.back(), record.path});
        made.records.push_back(record.path + " " + record.hash);
    }
    const portability known = portability_of(sources);
    std::vector<double> weights;
    for (const portable_gpu& gpu : known.gpus) {
        const auto architecture = parse_compute_capability(gpu.architecture);
        if (architecture && architecture->number() == wish.architecture.number())
            throw error(fmt::format("{} was measured, on {}: it needs no predicted row", where, gpu.name),
                        "leave --predict " + where + " out, or choose other records");
        weights.push_back(record_weight(architecture, wish.architecture));
        made.gpus.push_back(name_of_gpu(gpu));
    }
    const std::vector<predicted_row> expected = predict_rows(known, weights);
    made.candidates = expected.size();
    for (const predicted_row& row : expected) {
        const assignment& candidate = known.rows[row.row].parameters;
        if (only && candidate != *only) continue;
        if (const std::string why = wish.why_not && !only ? wish.why_not(candidate) : ""; !why.empty()) {
            if (made.rejected.empty()) made.rejected = parameter_text(candidate) + ": " + why;
            continue;
        }
        made.parameters = candidate;
        made.share = row.share;
        made.verified = is_compared(runs, candidate);
        if (wish.compiled) made.compiled = wish.compiled(candidate);
        return made;
    }
    throw error(only ? fmt::format("{} was not measured on the GPUs that count for {}", parameter_text(*only), where)
                     : fmt::format("no candidate of the records can run on {}{}", where,
                                   made.rejected.empty() ? "" : "; " + escape_for_terminal(made.rejected)),
                "tune on a GPU of that architecture");
}

std::vector<std::string> comments_of(const prediction& row)
{
    std::vector<std::string> lines{in_comment(
        fmt::format("{}{:.1f} % of the best of {} candidates expected, from {}{}", predicted_start, row.share * 100,
                    row.candidates, fmt::join(row.gpus, ", "), row.verified ? "" : "; outputs not verified"))};
    if (!row.compiled.empty())
        lines.push_back(in_comment(
            fmt::format("{}for {}, {}", compiled_start, architecture_name(row.architecture).view(), row.compiled)));
    for (const std::string& record : row.records) lines.push_back("// record: " + record);
    return lines;
}

bool is_predicted(const header_row& row)
{
    return !row.comments.empty() && row.comments.front().starts_with(predicted_start);
}

std::string prediction_difference(const std::vector<emit_record>& records, const header_table& table,
                                  const header_row& row, const split_names& names)
{
    std::vector<const recorded_run*> runs;
    for (const emit_record& record : records) runs.push_back(&record.run);
    const std::vector<row_field> fields = row_fields(runs);
    std::optional<assignment> candidate;
    for (const recorded_run* run : runs)
        if (!candidate) candidate = candidate_with(*run, fields, row.values, table.row_type);
    if (!candidate) return "its records have no candidate " + row_text(row.values);
    const std::vector<std::string> again = comments_of(
        predict_row(records, part_of_text(table.text, names), {.architecture = row.architecture}, candidate));
    std::vector<std::string> here = row.comments;
    std::erase_if(here, [](const std::string& comment) { return comment.starts_with(compiled_start); });
    for (std::size_t i = 0; i < std::max(again.size(), here.size()); ++i)
        if (i >= again.size() || i >= here.size() || again[i] != here[i])
            return fmt::format("'{}' instead of '{}'", i < here.size() ? here[i] : "",
                               i < again.size() ? again[i] : "");
    return {};
}

}  // namespace launchbox
