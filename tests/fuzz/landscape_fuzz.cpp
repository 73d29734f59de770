// Maps of recorded results, which may come from anybody. The first line selects the map: "threads,items|type|GB/s"; the
// rest is the record.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "report/charts/chart_svg.hpp"
#include "report/charts/landscape_charts.hpp"
#include "report/html/landscape_page.hpp"
#include "report/tune/landscape_report.hpp"
#include "support/error.hpp"
#include "tune/exchange/call_order.hpp"
#include "tune/exchange/result_file.hpp"

using namespace launchbox;

namespace {

std::vector<std::string> parts_of(std::string_view text, char separator)
{
    std::vector<std::string> parts;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(separator), text.size());
        parts.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return parts;
}

landscape_report drawn(result_file read, const landscape_request& request, const std::string& unit)
{
    landscape_report report{.found = {}, .drawn = {}, .unit = unit};
    std::vector<const run_info*> runs;
    for (const recorded_run& run : read.runs) runs.push_back(&run.info);
    for (const std::size_t place : in_order_of_calls(runs, std::vector<std::string>(runs.size(), "fuzz")))
        report.found.runs.push_back({"fuzz", std::move(read.runs[place]), {}});
    std::vector<landscape_source> sources;
    for (const shown_run& shown : report.found.runs) sources.push_back({&shown.run, shown.file});
    report.drawn = landscape_of(sources, request);
    return report;
}

void check_map(const landscape_map& map)
{
    for (const landscape_cell& cell : map.cells) {
        if (cell.section >= map.sections.size() || cell.at.size() != map.values.size()) std::abort();
        for (std::size_t i = 0; i < cell.at.size(); ++i)
            if (cell.at[i] >= map.values[i].size()) std::abort();
        if (!cell.best) continue;
        const landscape_section& section = map.sections[cell.section];
        if (*cell.best >= section.candidates.size() || cell.measured == 0) std::abort();
        if (!std::isfinite(section.candidates[*cell.best].share())) std::abort();
    }
    for (const landscape_section& section : map.sections)
        if (section.winner && !section.candidates.at(*section.winner).may_win) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    const std::size_t line = std::min(input.find('\n'), input.size());
    std::vector<std::string> asked = parts_of(input.substr(0, line), '|');
    asked.resize(3);
    landscape_request request{.axes = parts_of(asked[0], ','), .by = {}};
    if (request.axes.size() > 2) return 0;
    if (!asked[1].empty()) request.by = parts_of(asked[1], ',');
    try {
        const landscape_report report =
            drawn(read_results_json(input.substr(std::min(line + 1, input.size())), "fuzz"), request, asked[2]);
        for (const landscape_map& map : report.drawn.maps) check_map(map);
        std::ostringstream out;
        write_landscape_json(report, out);
        if (!nlohmann::json::accept(out.str())) std::abort();
        (void)render_csv(landscape_table(report));
        check_unit(report);
        check_size(report);
        (void)render_text(landscape_document(report, {}), {});
        for (const chart& each : landscape_charts(report)) (void)svg_of(each, svg_use::file);
        (void)landscape_page(report);
    } catch (const error&) {
    }
    return 0;
}
