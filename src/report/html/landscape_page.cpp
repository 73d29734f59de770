// SPDX-License-Identifier: Apache-2.0
#include "report/html/landscape_page.hpp"

#include <fmt/format.h>

#include "report/charts/landscape_charts.hpp"
#include "report/html/html_page.hpp"
#include "report/tune/run_cells.hpp"

namespace launchbox {

std::string landscape_page(const landscape_report& report)
{
    check_size(report);
    std::string title = report.drawn.axes.empty() ? "The best" : "Landscape";
    for (std::size_t a = 0; a < report.drawn.axes.size(); ++a)
        title += (a == 0 ? " over " : " and ") + escape_for_terminal(report.drawn.axes[a].name);
    for (std::size_t i = 0; i < report.drawn.by.size(); ++i)
        title += (i == 0 ? " by " : ", ") + escape_for_terminal(report.drawn.by[i].name);
    html_page page(title);
    for (const std::string& note : report.found.diagnostics) page.line("note: " + note, tone::warning);
    for (const shown_run& run : report.found.runs)
        page.line(run_title(run.run.info) + ": " + run_line(run), tone::faint);
    if (report.drawn.axes.empty()) {
        page.add(landscape_document(report, {.width = 100}));
        return page.text();
    }
    for (std::size_t m = 0; m < report.drawn.maps.size(); ++m) {
        const landscape_map& map = report.drawn.maps[m];
        const std::string id = fmt::format("map{}", m + 1), by = map_title(report, map);
        page.section(id, by.empty() ? title : by);
        for (const std::string& verdict : map_verdicts(report, map)) page.line(verdict, tone::strong);
        const std::optional<chart> drawn = landscape_chart(report, map, id);
        if (drawn)
            page.add(chart_group{.id = "chart", .title = drawn->title, .text = "", .charts = {*drawn}}, id + "-");
        else
            page.line("There is nothing to draw.", tone::warning);
        if (report.drawn.axes.size() == 1) page.add(values_table(report, map));
    }
    return page.text();
}

}  // namespace launchbox
