// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/confirm_rows.hpp"

#include <fmt/format.h>

#include <launchbox/detail/launch_box/row_origin.hpp>

#include <algorithm>
#include <span>
#include <utility>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"
#include "tune/emit/tuned_parts.hpp"
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

bool has_same_code(const shown_run& shown, const ranking& on, const assignment& candidate)
{
    return std::ranges::any_of(shown.run.results, [&](const stored_result& result) {
        return result.workload == on.workload && result.same_as &&
               identity_of(result.parameters) == identity_of(candidate);
    });
}

}  // namespace

row_confirmation::row_confirmation(std::string header, const tune_spec& spec) : header_(std::move(header)), spec_(spec)
{
    if (!spec.baseline) throw error(spec.file + " has no baseline to compare a row with", "add [baseline] to the spec");
    const std::vector<header_table> all = parse_tuning_header(utf8_text(read_input(header_)), header_);
    std::string names;
    for (const header_table& table : all) {
        const std::string of = table.text.substr(0, table.text.find(", "));
        if (names.find(of) == std::string::npos) names += (names.empty() ? "" : ", ") + of;
        if (of != escape_for_terminal(spec.name)) continue;
        const table_part part = part_of_text(table.text, {});
        if (std::ranges::any_of(spec.workloads, [&](const workload& one) { return part.holds(one.values); }))
            tables_.push_back(table);
    }
    if (tables_.empty())
        throw error(fmt::format("{} has no table of {} for these workloads", header_, escape_for_terminal(spec.name)),
                    names.empty() ? "name a header that launchbox emit wrote" : "its tables are of " + names);
}

row_confirmation::used_row row_confirmation::row_on(const header_table& table, const environment_info& where,
                                                    const std::vector<device_record>& devices) const
{
    const auto code = parse_compute_capability(where.architecture);
    if (!code) throw error("--confirm needs a GPU, and this spec is measured without one", "leave --confirm out");
    detail::gpu_properties says{.sms = where.sms, .memory_bytes = where.memory_bytes};
    for (const device_record& device : devices)
        if (device.hardware && device.hardware->l2_bytes) says.l2_bytes = *device.hardware->l2_bytes;
    std::vector<compute_capability> architectures;
    std::vector<std::span<const gpu_range>> gpus;
    for (const header_row& row : table.rows) {
        architectures.push_back(row.architecture);
        gpus.emplace_back(row.gpus);
    }
    const detail::row_places places{architectures, gpus};
    const int place = detail::select_row(places, *code, detail::select_variant(places, *code, says));
    if (place < 0)
        throw error(fmt::format("{}: table {} has no row for {}, and code for it does not compile", header_, table.name,
                                where.architecture),
                    "add a row for it");
    std::vector<measured_gpu> measured;
    for (const header_gpu& gpu : table.measured)
        measured.push_back(
            {gpu.name.c_str(), gpu.architecture, static_cast<int>(gpu.sms), gpu.memory_bytes, gpu.l2_bytes});
    const header_row& row = table.rows[static_cast<std::size_t>(place)];
    const std::optional<assignment> candidate = candidate_of(row, spec_.parameters);
    if (!candidate)
        throw error(fmt::format("{}:{}: {} has a value that {} does not list", header_, row.line, row_text(row.values),
                                spec_.file),
                    "the row's members are the spec's parameters, in their order");
    std::string text = fmt::format("{}, the row of {}", row_text(row.values), place_text(row));
    if (!measured.empty()) text += ", " + detail::measured_text(measured, places, place, *code, says);
    return {*candidate, text};
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
    std::string text = fmt::format("{} on {}: {}: ", table.name, shown.run.info.environment.gpu, row.text);
    if (identity_of(row.candidate) == identity_of(*spec_.baseline)) return {text + "it is the baseline", true};
    bool is_confirmed = true;
    std::string lines;
    std::size_t workloads = 0;
    for (const ranking& on : shown.rankings) {
        if (!part.holds(on.workload)) continue;
        ++workloads;
        std::string line;
        const ranked_candidate* mine = ranked(shown, on, row.candidate);
        if (mine != nullptr && mine->same_as) mine = &on.candidates[*mine->same_as];
        const bool is_judged = mine != nullptr && on.baseline && mine->may_win;
        if (has_same_code(shown, on, row.candidate)) {
            line = "the same code as the baseline";
        } else if (!is_judged) {
            line = mine == nullptr ? failure_of(shown, on, row.candidate) : "its outputs were not compared";
            is_confirmed = false;
        } else {
            const sample_summary &here = mine->settled, &baseline = on.candidates[*on.baseline].settled;
            const gain over = gain_of(baseline, here), under = gain_of(here, baseline);
            line =
                fmt::format("{:.3f} times as fast as the baseline ({:.3f} to {:.3f})", over.times, over.low, over.high);
            if (on.noise) {
                line += ", but " + noise_text(*on.noise);
                is_confirmed = false;
            } else if (under.times >= 1.01 && under.low > 1) {
                line += ", worse";
                is_confirmed = false;
            }
        }
        lines += fmt::format("\n  {}{}", on.workload.values.empty() ? "" : parameter_text(on.workload) + ": ", line);
    }
    if (workloads == 0) return {text + "nothing was measured", false};
    return {text + (is_confirmed ? "confirmed" : "not confirmed") + lines, is_confirmed};
}

std::vector<row_confirmation::verdict> row_confirmation::verdicts(const results_report& measured) const
{
    std::vector<verdict> all;
    for (const shown_run& shown : measured.runs)
        for (const header_table& table : tables_) all.push_back(verdict_of(table, shown));
    return all;
}

}  // namespace launchbox
