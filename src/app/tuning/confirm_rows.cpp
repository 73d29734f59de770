// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/confirm_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/emit/emit_tables.hpp"
#include "tune/emit/row_use.hpp"
#include "tune/emit/tuned_parts.hpp"
#include "tune/emit/tuned_rows.hpp"
#include "tune/run/warm_start.hpp"

namespace launchbox {

namespace {

const ranked_candidate* ranked(const shown_run& shown, const ranking& on, const assignment& candidate)
{
    for (const ranked_candidate& one : on.candidates)
        if (identity_of(shown.run.results[one.result].parameters) == identity_of(candidate)) return &one;
    return nullptr;
}

std::string failure_of(const shown_run& shown, const ranking& on, const assignment& candidate)
{
    for (const stored_result& result : shown.run.results)
        if (result.workload == on.workload && identity_of(result.parameters) == identity_of(candidate))
            return fmt::format("{}: {}", words_of(result.measured.status), result.measured.reason);
    return "it was not measured";
}

// What is known of the row and the baseline on one workload.
struct comparison {
    std::string text;
    bool is_good = false;
};

comparison compare(const shown_run& shown, const ranking& on, const assignment& candidate)
{
    const ranked_candidate* mine = ranked(shown, on, candidate);
    if (mine == nullptr || !on.baseline) return {failure_of(shown, on, candidate), false};
    const stored_result& result = shown.run.results[mine->result];
    if (result.same_as) return {"the same code as the baseline", true};
    const bool stopped = result.measured.stopped_early;
    if (!mine->may_win && !stopped) return {"its outputs were not compared", false};
    const ranked_candidate& baseline = on.candidates[*on.baseline];
    const sample_summary &here = stopped ? mine->time : mine->settled,
                         there = stopped ? baseline.time : baseline.settled;
    const gain over = gain_of(there, here), under = gain_of(here, there);
    comparison made{
        fmt::format("{:.3f} times as fast as the baseline ({:.3f} to {:.3f})", over.times, over.low, over.high), true};
    if (on.noise)
        made = {made.text + ", but " + noise_text(*on.noise), false};
    else if (stopped || is_beyond_noise(under))
        made = {made.text + ", worse", false};
    return made;
}

}  // namespace

row_confirmation::row_confirmation(std::string header, const std::string& box, const tune_spec& spec)
    : header_(std::move(header)), spec_(spec)
{
    if (!spec.baseline) throw error(spec.file + " has no baseline to compare a row with", "add [baseline] to the spec");
    std::vector<header_table> all = parse_tuning_header(utf8_text(read_input(header_)), header_);
    std::string names;
    for (const header_table& table : all) names += (names.empty() ? "" : ", ") + table.name;
    if (!box.empty()) all = tables_of_box(all, box);
    for (const header_table& table : all) {
        if (box.empty() && table.text.substr(0, table.text.find(", ")) != escape_for_terminal(spec.name)) continue;
        const table_part part = part_of_text(table.text, {});
        if (std::ranges::any_of(spec.workloads, [&](const workload& one) { return part.holds(one.values); }))
            tables_.push_back(table);
    }
    if (tables_.empty())
        throw error(
            fmt::format("{} has no table {} for these workloads", header_,
                        box.empty() ? "of " + escape_for_terminal(spec.name) : escape_for_terminal(box)),
            names.empty() ? "name a header that launchbox emit wrote" : "choose one with --box; there are: " + names);
}

row_confirmation::used_row row_confirmation::row_on(const header_table& table, const environment_info& where,
                                                    const std::vector<device_record>& devices) const
{
    const auto code = parse_compute_capability(where.architecture);
    if (!code) throw error("--confirm needs a GPU, and this spec is measured without one", "leave --confirm out");
    const detail::gpu_properties says = properties_of(where, devices);
    const std::optional<std::size_t> place = place_of_row(table, *code, says);
    if (!place)
        throw error(fmt::format("{}: table {} has no row for {}, and code for it does not compile", header_, table.name,
                                where.architecture),
                    "add a row for it");
    const header_row& row = table.rows[*place];
    const std::optional<assignment> candidate = candidate_of(row, spec_.parameters);
    if (!candidate)
        throw error(fmt::format("{}:{}: {} has a value that {} does not list", header_, row.line, row_text(row.values),
                                spec_.file),
                    "the row's members are the spec's parameters, in their order");
    return {*candidate, row_text(row.values) + ", " + origin_of_row(table, *place, *code, says)};
}

std::vector<assignment> row_confirmation::candidates_on(const tune_backend& backend) const
{
    std::vector<assignment> all;
    for (const header_table& table : tables_)
        all.push_back(row_on(table, backend.environment, backend.devices).candidate);
    return all;
}

row_confirmation::verdict row_confirmation::verdict_of(const header_table& table, const shown_run& shown) const
{
    const used_row row = row_on(table, shown.run.info.environment, shown.run.devices);
    const table_part part = part_of_text(table.text, {});
    const std::string text = fmt::format("{} on {}: {}: ", table.name, shown.run.info.environment.gpu, row.text);
    if (identity_of(row.candidate) == identity_of(*spec_.baseline)) return {{text + "it is the baseline"}, true};
    verdict made{.lines = {text}, .is_confirmed = true};
    for (const ranking& on : shown.rankings) {
        if (!part.holds(on.workload)) continue;
        const comparison found = compare(shown, on, row.candidate);
        made.is_confirmed = made.is_confirmed && found.is_good;
        made.lines.push_back(
            fmt::format("  {}{}", on.workload.values.empty() ? "" : parameter_text(on.workload) + ": ", found.text));
    }
    if (made.lines.size() == 1) return {{text + "nothing was measured"}, false};
    made.lines.front() += made.is_confirmed ? "confirmed" : "not confirmed";
    return made;
}

std::vector<row_confirmation::verdict> row_confirmation::verdicts(const results_report& measured) const
{
    std::vector<verdict> all;
    for (const shown_run& shown : measured.runs)
        for (const header_table& table : tables_) all.push_back(verdict_of(table, shown));
    return all;
}

}  // namespace launchbox
