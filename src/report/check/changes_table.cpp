// SPDX-License-Identifier: Apache-2.0
#include "report/check/changes_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "advice/check/baseline_changes.hpp"
#include "image/names/demangle.hpp"
#include "report/check/check_report.hpp"
#include "report/core/short_names.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

// "54 registers, 8x256 resident".
std::string figures_text(const baseline_change& change, std::string changed_figure::*side)
{
    std::string text;
    for (const changed_figure& figure : change.figures)
        if (!(figure.*side).empty()) text += (text.empty() ? "" : ", ") + figure.*side;
    return text.empty() ? "–" : text;
}

// Changes that read the same: of one kernel for several architectures, or of all kernels for an architecture that is
// lost.
struct change_row {
    baseline_verdict verdict = baseline_verdict::worse;
    std::string name, before, now;
    bool of_all = false;  ///< `name` is empty
    std::vector<std::string> architectures;
};

std::string name_of(const baseline_change& change, const check_result& result)
{
    return change.kernel ? title_of(result.kernels[*change.kernel])
                         : escape_for_terminal(short_name(result.gone[*change.gone].identity));
}

std::vector<change_row> rows_of(const check_result& result)
{
    std::vector<change_row> rows;
    for (const auto& [architecture, kernels] : lost_architectures(result))
        rows.push_back({baseline_verdict::worse,
                        fmt::format("all {} that had it", count_text(kernels)),
                        "code for it",
                        "no code that runs there",
                        true,
                        {escape_for_terminal(architecture)}});
    const std::size_t whole = rows.size();
    const auto is_told = [&](const std::string& architecture) {
        return std::any_of(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(whole),
                           [&](const change_row& row) { return row.architectures.front() == architecture; });
    };
    std::map<std::tuple<baseline_verdict, std::string, std::string, std::string>, std::size_t> places;
    for (const baseline_change& change : baseline_changes(result)) {
        const std::string architecture = change.architecture.empty() ? "?" : escape_for_terminal(change.architecture);
        const bool lost = change.gone && result.gone[*change.gone].fails;
        if (lost && is_told(architecture)) continue;
        change_row row{change.verdict,
                       name_of(change, result),
                       figures_text(change, &changed_figure::shown_before),
                       lost ? "no code that runs there" : figures_text(change, &changed_figure::shown_now),
                       false,
                       {}};
        const auto [place, is_new] = places.try_emplace({row.verdict, row.name, row.before, row.now}, rows.size());
        if (is_new) rows.push_back(std::move(row));
        rows[place->second].architectures.push_back(architecture);
    }
    return rows;
}

}  // namespace

void add_changes(const check_result& result, std::size_t max_rows, document& page)
{
    const std::vector<change_row> changes = rows_of(result);
    if (changes.empty()) return;
    constexpr tone looks[] = {tone::bad, tone::bad, tone::plain, tone::good, tone::faint};
    table rows{{{"kernel"}, {"arch"}, {"change"}, {"before"}, {"after"}}, {}};
    std::vector<std::string> names;
    for (const change_row& change : changes) {
        if (rows.rows.size() == max_rows) break;
        names.push_back(change.name);
        std::string architectures;
        for (const std::string& one : change.architectures) architectures += (architectures.empty() ? "" : ", ") + one;
        rows.rows.push_back({{},
                             architectures,
                             {verdict_name(change.verdict), looks[static_cast<std::size_t>(change.verdict)]},
                             change.before,
                             change.now});
    }
    names = shortened_apart(names, widest_check_name);
    for (std::size_t i = 0; i < names.size(); ++i)
        rows.rows[i].front() = changes[i].of_all ? cell(std::move(names[i])) : name_cell(std::move(names[i]));
    page.heading("Compared with the baseline");
    page.add(std::move(rows));
    if (changes.size() > names.size()) add_left_out(changes.size() - names.size(), page);
}

void add_left_out(std::size_t number, document& page)
{
    page.line(fmt::format("  {} more are not shown: --format json and --format csv have them", count_text(number)));
}

}  // namespace launchbox
