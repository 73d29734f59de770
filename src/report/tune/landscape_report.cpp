// The contents of map cells: values, signs, sentences.
// SPDX-License-Identifier: Apache-2.0
#include "report/tune/landscape_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "report/tune/overall_report.hpp"
#include "report/tune/run_cells.hpp"
#include "support/error.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

// Why a cell has no value, indexed by `outcome`; `measured` has no letter.
constexpr std::string_view failure_letters = " rcClahtwmdg";
static_assert(failure_letters.size() == static_cast<std::size_t>(last_of(outcome())) + 1);

std::string failure_letter(outcome what)
{
    return std::string(1, failure_letters[static_cast<std::size_t>(what)]);
}
constexpr const char* incomplete_letter = "i";

struct sign_meaning {
    const char *sign, *meaning;
};
constexpr sign_meaning sign_meanings[] = {
    {"*", "the best"},
    {"=", "not distinguishable from the fastest: the intervals overlap"},
    {"~", "noisy: samples vary by ± 5 % or more"},
    {"<", "stopped early: clearly slower, and timed less often"},
    {"?", "its outputs were not compared, so it cannot win"},
};

bool has_unit(const landscape_map& map, const landscape_unit& unit)
{
    switch (unit.what) {
        case landscape_unit::kind::ms:
            return map.has_times();
        case landscape_unit::kind::rate:
            return map.has_rates(*unit.work);
        case landscape_unit::kind::share:
            break;
    }
    return true;
}

landscape_unit unit_named(const std::string& name)
{
    if (name == "ms") return {landscape_unit::kind::ms};
    for (const work_kind& kind : work_kinds)
        if (name == kind.unit) return {landscape_unit::kind::rate, &kind};
    return {landscape_unit::kind::share};
}

std::optional<double> number_of(const landscape_unit& unit, const landscape_candidate& candidate)
{
    switch (unit.what) {
        case landscape_unit::kind::ms:
            return candidate.time ? std::optional(candidate.time->median / 1e6) : std::nullopt;
        case landscape_unit::kind::rate:
            return candidate.rates.*unit.work->amount;
        case landscape_unit::kind::share:
            break;
    }
    return candidate.relative.median > 0 ? std::optional(100 * candidate.share()) : std::nullopt;
}

std::string value_text(const landscape_unit& unit, double number, double least, double largest)
{
    switch (unit.what) {
        case landscape_unit::kind::ms:
            return milliseconds(number * 1e6, least * 1e6);
        case landscape_unit::kind::rate:
            return rate_text(*unit.work, number, largest);
        case landscape_unit::kind::share:
            break;
    }
    return fmt::format("{:.1f}", number);
}

std::string signs_of(const landscape_section& section, const landscape_candidate& candidate)
{
    std::string signs;
    const bool fastest_of_equals = section.noise && candidate.may_win && candidate.relative.median == 1;
    if (candidate.is_winner)
        signs += "*";
    else if (candidate.equals_best || fastest_of_equals || (candidate.may_win && candidate.relative.median == 1))
        signs += "=";
    if (candidate.stopped_early)
        signs += "<";
    else if (!candidate.may_win)
        signs += "?";
    if (candidate.noisy()) signs += "~";
    return signs;
}

std::string failures_text(const landscape_cell& cell)
{
    std::string text;
    for (const auto& [what, count] : cell.failures)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count_text(count), words_of(what));
    return text;
}

std::string note_of(const landscape_section& section, const landscape_cell& cell)
{
    if (!cell.best) {
        std::string text = failures_text(cell);
        if (text.empty()) return "not measured on all workloads";
        if (cell.why) text += "; for example " + escape_for_terminal(cell.why->second);
        return text;
    }
    const landscape_candidate& one = section.candidates[*cell.best];
    std::string text = names_of(one.parameters);
    if (one.time)
        text += fmt::format(": {} ms ± {:.1f} %", milliseconds(one.time->median, one.time->median),
                            one.time->spread() * 100);
    text += fmt::format("{} {:.1f} % of the best", one.time ? "," : ":", one.share() * 100);
    for (const char sign : signs_of(section, one))
        for (const sign_meaning& known : sign_meanings)
            if (sign == *known.sign) text += std::string("; ") + known.meaning;
    text += fmt::format("; the fastest of {}", counted(cell.measured, "candidate", "candidates"));
    if (!cell.failures.empty()) text += "; not measured: " + failures_text(cell);
    return text;
}

}  // namespace

std::vector<std::string> landscape_unit_names()
{
    std::vector<std::string> names{"ms"};
    for (const work_kind& kind : work_kinds) names.emplace_back(kind.unit);
    names.emplace_back("share");
    return names;
}

std::string name_of(const landscape_unit& unit)
{
    return unit.what == landscape_unit::kind::ms     ? "ms"
           : unit.what == landscape_unit::kind::rate ? unit.work->unit
                                                     : "share";
}

std::optional<landscape_unit> unit_of(const landscape_report& report, const landscape_map& map)
{
    if (!report.unit.empty()) {
        const landscape_unit unit = unit_named(report.unit);
        return has_unit(map, unit) ? std::optional(unit) : std::nullopt;
    }
    // Times of different workloads cannot be compared with each other.
    const bool one = map.sections.size() < 2 || report.drawn.axes.empty();
    return landscape_unit{map.has_times() && one ? landscape_unit::kind::ms : landscape_unit::kind::share};
}

void check_unit(const landscape_report& report)
{
    const std::vector<landscape_map>& maps = report.drawn.maps;
    if (report.unit.empty() || maps.empty()) return;
    const landscape_unit unit = unit_named(report.unit);
    if (std::ranges::any_of(maps, [&](const landscape_map& map) { return has_unit(map, unit); })) return;
    if (std::ranges::none_of(maps, &landscape_map::has_times))
        throw error("--unit " + report.unit +
                        ": several workloads together, and objectives other than time, have no time and no rate",
                    "divide them with --by (the names of the workload, gpu, kernel), or write --unit share");
    throw error("--unit " + report.unit + ": the records do not contain the work of a workload",
                "give the work in the spec (docs/tune_spec.md), or choose ms or share");
}

void check_size(const landscape_report& report)
{
    const std::string whole = "--format json and --format csv have all of it";
    if (report.drawn.maps.size() > max_maps)
        throw error(
            fmt::format("--by makes {} maps, and {} can be shown", count_text(report.drawn.maps.size()), max_maps),
            whole + "; or select with --workload, --gpu or --run");
    for (const landscape_map& map : report.drawn.maps)
        for (std::size_t a = 0; a < map.values.size(); ++a)
            if (map.values[a].size() > max_map_side)
                throw error(fmt::format("'{}' has {} values, and a map can show {}",
                                        escape_for_terminal(report.drawn.axes[a].name),
                                        count_text(map.values[a].size()), max_map_side),
                            whole);
}

std::vector<landscape_cell_text> cell_texts(const landscape_report& report, const landscape_map& map)
{
    const std::optional<landscape_unit> unit = unit_of(report, map);
    const auto best_of = [&](const landscape_cell& cell) -> const landscape_candidate* {
        return cell.best ? &map.sections[cell.section].candidates[*cell.best] : nullptr;
    };
    double least = std::numeric_limits<double>::infinity(), largest = 0;
    for (const landscape_cell& cell : map.cells)
        if (const landscape_candidate* best = best_of(cell); best != nullptr && unit)
            if (const std::optional<double> number = number_of(*unit, *best)) {
                least = std::min(least, *number);
                largest = std::max(largest, *number);
            }
    std::vector<landscape_cell_text> texts;
    for (const landscape_cell& cell : map.cells) {
        const landscape_section& section = map.sections[cell.section];
        landscape_cell_text& text = texts.emplace_back();
        text.note = note_of(section, cell);
        const landscape_candidate* best = best_of(cell);
        if (best == nullptr) {
            text.sign = cell.why ? failure_letter(cell.why->first) : incomplete_letter;
            continue;
        }
        text.sign = signs_of(section, *best);
        if (unit) text.number = number_of(*unit, *best);
        if (text.number) text.value = value_text(*unit, *text.number, least, largest);
    }
    return texts;
}

std::vector<std::string> sign_legend(const std::vector<std::vector<landscape_cell_text>>& maps)
{
    std::vector<std::string> lines;
    const auto example_of = [&](const std::string& sign, bool with_value) -> const landscape_cell_text* {
        for (const auto& texts : maps)
            for (const landscape_cell_text& text : texts)
                if (text.value.empty() != with_value && text.sign.find(sign) != std::string::npos) return &text;
        return nullptr;
    };
    for (const sign_meaning& known : sign_meanings)
        if (example_of(known.sign, true) != nullptr) lines.push_back(std::string(known.sign) + "  " + known.meaning);
    for (std::size_t what = 1; what < failure_letters.size(); ++what) {
        const std::string letter = failure_letter(static_cast<outcome>(what));
        const landscape_cell_text* example = example_of(letter, false);
        if (example == nullptr) continue;
        const std::size_t at = example->note.find("for example ");
        lines.push_back(fmt::format("{}  {}{}", letter, words_of(static_cast<outcome>(what)),
                                    at == std::string::npos ? "" : ", " + example->note.substr(at)));
    }
    if (example_of(incomplete_letter, false) != nullptr)
        lines.push_back(std::string(incomplete_letter) + "  measured on some of the workloads, not on all");
    return lines;
}

std::vector<std::string> axis_names(const landscape_map& map, std::size_t axis)
{
    std::vector<std::string> names;
    for (const parameter_value& value : map.values[axis]) {
        const auto* integer = std::get_if<std::int64_t>(&value);
        names.push_back(integer != nullptr ? with_commas(*integer) : escape_for_terminal(parameter_text(value)));
    }
    return names;
}

std::string map_title(const landscape_report& report, const landscape_map& map)
{
    if (report.drawn.by.empty()) return {};
    assignment shown;
    std::string missing;
    for (const landscape_field& field : report.drawn.by) {
        const parameter_value* value = map.by.find(field.name);
        if (value != nullptr)
            shown.values.emplace_back(field.name, *value);
        else
            missing += ", without " + escape_for_terminal(field.name);
    }
    return shown.values.empty() ? missing.substr(std::min<std::size_t>(2, missing.size()))
                                : workload_name(shown) + missing;
}

namespace {

// The objective by which its candidates are compared.
objective goal_of(const landscape_map& map)
{
    for (const landscape_section& section : map.sections)
        if (!section.rankings.empty()) return section.rankings.front().goal;
    return {};
}

}  // namespace

std::string map_text(const landscape_report& report, const landscape_map& map, bool transposed)
{
    const std::optional<landscape_unit> unit = unit_of(report, map);
    const objective goal = goal_of(map);
    const std::string best = goal.is_time() ? "the fastest" : "the best";
    std::string text = best + " candidate of each " + (report.drawn.axes.size() == 1 ? "value" : "cell");
    const std::string share = goal.is_time() ? ", in % of the best speed" : ", in % of the best by " + goal.wanted();
    if (unit) text += unit->what == landscape_unit::kind::share ? share : ", in " + name_of(*unit);
    std::size_t most = 0;
    for (const landscape_section& section : map.sections) most = std::max(most, section.rankings.size());
    if (most > 1) text += fmt::format(", a geometric mean over {} workloads", most);
    if (map.sections.size() > 1) text += fmt::format(", for each of {} workloads", map.sections.size());
    if (report.drawn.axes.size() == 2)
        text += fmt::format("; {} across, {} down", escape_for_terminal(report.drawn.axes[transposed ? 1 : 0].name),
                            escape_for_terminal(report.drawn.axes[transposed ? 0 : 1].name));
    return text;
}

std::vector<std::string> map_verdicts(const landscape_report& report, const landscape_map& map)
{
    std::vector<std::string> lines;
    const std::optional<landscape_unit> unit = unit_of(report, map);
    if (!unit && !map.has_times())
        lines.push_back(report.unit + " is not available: several workloads together have no time and no rate");
    else if (!unit)
        lines.push_back(report.unit + " is not available: the record does not contain the work of a workload");
    std::size_t incomplete = 0;
    for (const landscape_section& section : map.sections) {
        incomplete += section.incomplete;
        std::string text = section.at.values.empty() ? "" : workload_name(section.at) + ": ";
        if (section.overall)
            text += overall_verdict(*section.overall, section.rankings);
        else if (!section.rankings.empty())
            text += verdict_text(section.results, section.rankings.front());
        lines.push_back(std::move(text));
    }
    if (incomplete > 0)
        lines.push_back("Left out: " + counted(incomplete, "candidate", "candidates") +
                        " not measured completely on all workloads.");
    if (map.unplaced > 0)
        lines.push_back("Left out: " + counted(map.unplaced, "result", "results") + " without a value for an axis.");
    if (map.replaced > 0)
        lines.push_back(
            "Measured again later, and only the newest counts: " + counted(map.replaced, "result", "results") + ".");
    return lines;
}

bool reads_better_transposed(const landscape_map& map, std::size_t columns)
{
    return map.values.size() == 2 && map.values[0].size() > columns && map.values[1].size() <= columns;
}

std::string everywhere_text(const landscape_report& report)
{
    const std::optional<landscape_everywhere>& everywhere = report.drawn.everywhere;
    if (!everywhere) return {};
    const std::string name = names_of(everywhere->parameters);
    const double worst = everywhere->losses[everywhere->worst];
    if (worst <= 0) return name + " is the best everywhere.";
    return fmt::format("{} everywhere takes {} longer than the best of each line on average, and {} at most ({}).",
                       name, percent_text(std::max(0.0, everywhere->mean)), percent_text(worst),
                       map_title(report, report.drawn.maps[everywhere->worst]));
}

}  // namespace launchbox
