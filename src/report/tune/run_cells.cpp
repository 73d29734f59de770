// SPDX-License-Identifier: Apache-2.0
#include "report/tune/run_cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "support/text/counted.hpp"
#include "support/text/rounded_number.hpp"

namespace launchbox {

namespace {

constexpr double ns_per_ms = 1e6;
// With this many parameters, there is no room for those with a single value.
constexpr std::size_t max_constant_columns = 4;

// Numbers of four digits and more have commas, as everywhere.
std::string workload_text(const assignment& values)
{
    std::string text;
    for (const auto& [name, value] : values.values) {
        const auto* integer = std::get_if<std::int64_t>(&value);
        text += (text.empty() ? "" : ", ") + name + " = " +
                (integer != nullptr ? with_commas(*integer) : parameter_text(value));
    }
    return escape_for_terminal(text);
}

}  // namespace

std::string names_of(const assignment& values)
{
    return escape_for_terminal(parameter_text(values));
}

std::string workload_name(const assignment& values)
{
    const std::string text = workload_text(values);
    return text.empty() ? "the workload" : text;
}

std::vector<std::string> workload_names(const std::vector<assignment>& workloads)
{
    std::vector<std::string> names;
    for (const assignment& workload : workloads) {
        assignment different;
        for (const auto& [name, value] : workload.values) {
            const bool same = std::all_of(workloads.begin(), workloads.end(),
                                          [&, &name = name, &value = value](const assignment& other) {
                                              const parameter_value* there = other.find(name);
                                              return there != nullptr && *there == value;
                                          });
            if (!same || workloads.size() == 1) different.values.emplace_back(name, value);
        }
        names.push_back(workload_name(different));
    }
    return names;
}

std::string percent_text(double part)
{
    return fmt::format("{:.{}f} %", part * 100, part < 0.1 ? 1 : 0);
}

std::string equality_text(double within)
{
    if (within < largest_equality) return "equal within " + percent_text(within);
    return "no measurable difference (up to " + percent_text(within) + ")";
}

std::string no_winner_text(const sample_noise& noise, const std::string& fastest, const std::string& baseline)
{
    return fmt::format(
        "No winner: {}, and the fastest, {}, is ahead of the next by {}. Measure again on an idle "
        "machine{}.",
        noise_text(noise), fastest, percent_text(noise.gap),
        baseline.empty() || baseline == fastest ? "" : "; until then keep the baseline, " + baseline);
}

std::string milliseconds(double nanoseconds, double smallest)
{
    const double min_ms = std::max(1e-9, smallest / ns_per_ms);
    const int decimals = static_cast<int>(std::clamp(3 - std::floor(std::log10(min_ms)), 0.0, 6.0));  // four digits
    return fmt::format("{:.{}f}", nanoseconds / ns_per_ms, decimals);
}

std::string quantity_text(double value)
{
    const double digits = value > 0 ? std::floor(std::log10(value)) : 0;
    if (digits < -4 || digits > 8) return fmt::format("{:.3e}", value);
    return digits >= 3 ? rounded_with_commas(value) : fmt::format("{:.{}f}", value, static_cast<int>(3 - digits));
}

std::string seconds_text(double seconds)
{
    if (seconds >= 999.5) return rounded_with_commas(seconds);
    return fmt::format("{:.{}f}", seconds, seconds < 9.95 ? 2 : seconds < 99.95 ? 1 : 0);
}

std::string run_title(const run_info& info)
{
    const std::string& machine = machine_of(info.environment);
    return escape_for_terminal(info.name + (machine.empty() ? "" : " on " + machine));
}

std::string run_line(const shown_run& shown)
{
    const run_info& info = shown.run.info;
    const environment_info& where = info.environment;
    std::string line;
    const auto add = [&](const std::string& text) { line += (line.empty() || text.empty() ? "" : ", ") + text; };
    add(where.architecture);
    if (where.sms > 0) add(counted(static_cast<std::size_t>(where.sms), "SM", "SMs"));
    if (!where.driver.empty()) add("driver " + where.driver);
    add(where.toolkit);
    add(info.started.substr(0, info.started.find('T')));
    add(fmt::format("run {} of {}", shown.run.number, shown.file));
    return escape_for_terminal(line);
}

parameter_columns columns_of(const std::vector<const assignment*>& candidates, std::size_t room)
{
    parameter_columns columns;
    std::vector<std::pair<std::string, std::set<std::string>>> values;
    for (const assignment* candidate : candidates)
        for (const auto& [name, value] : candidate->values) {
            auto found = std::find_if(values.begin(), values.end(),
                                      [&, &wanted = name](const auto& known) { return known.first == wanted; });
            if (found == values.end()) found = values.insert(values.end(), {name, {}});
            found->second.insert(parameter_text(value));
        }
    for (const auto& [name, different] : values) {
        if (values.size() > max_constant_columns && different.size() == 1 && candidates.size() > 1)
            columns.constant += (columns.constant.empty() ? "" : " ") + name + "=" + *different.begin();
        else
            columns.names.push_back(name);
    }
    if (columns.names.size() > room) columns.in_last.swap(columns.names);
    return columns;
}

void add_columns(const parameter_columns& columns, table& rows)
{
    for (const std::string& name : columns.names) rows.columns.push_back({escape_for_terminal(name), true});
}

void add_cells(const parameter_columns& columns, const assignment& candidate, std::vector<cell>& row)
{
    for (const std::string& name : columns.names) {
        const parameter_value* value = candidate.find(name);
        row.emplace_back(value == nullptr ? "–" : escape_for_terminal(parameter_text(*value)));
    }
}

void add_last_column(const parameter_columns& columns, const std::string& title, table& rows)
{
    if (columns.in_last.empty() && title.empty()) return;
    std::string whole = columns.in_last.empty() ? "" : "candidate";
    if (!title.empty()) whole += (whole.empty() ? "" : "; ") + title;
    rows.columns.push_back({whole});
}

void add_last_cell(const parameter_columns& columns, const assignment& candidate, const cell& note,
                   std::vector<cell>& row)
{
    std::string text;
    for (const std::string& name : columns.in_last)
        if (const parameter_value* value = candidate.find(name))
            text += (text.empty() ? "" : " ") + escape_for_terminal(name + "=" + parameter_text(*value));
    if (!note.text.empty()) text += (text.empty() ? "" : "; ") + note.text;
    row.emplace_back(text, note.look);
}

void add_diagnostics(const std::vector<std::string>& diagnostics, document& page)
{
    if (diagnostics.empty()) return;
    page.line("");
    for (std::size_t i = 0; i < std::min<std::size_t>(diagnostics.size(), 3); ++i)
        page.line("  note: " + escape_for_terminal(diagnostics[i]), tone::warning);
    if (diagnostics.size() > 3)
        page.line(fmt::format("  and {} more such notes: --format json", diagnostics.size() - 3), tone::warning);
}

}  // namespace launchbox
