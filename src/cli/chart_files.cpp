// SPDX-License-Identifier: Apache-2.0
#include "cli/chart_files.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "cli/messages.hpp"
#include "cli/output_file.hpp"
#include "report/charts/chart_svg.hpp"
#include "support/error.hpp"
#include "support/text/counted.hpp"

namespace launchbox::cli {

void write_charts(const std::string& folder, bool overwrite, const std::vector<chart>& charts)
{
    if (charts.empty()) {
        say("there is nothing to draw: no picture was written to " + folder);
        return;
    }
    if (folder == "-")
        throw error("pictures are written into a folder, and - is standard output",
                    "name a folder, such as ./pictures");
    std::error_code failure;
    std::filesystem::create_directories(folder, failure);
    if (!std::filesystem::is_directory(folder))
        throw error("cannot make the folder " + folder + (failure ? ": " + failure.message() : ""),
                    "name a folder that can be written to with --svg");
    std::set<std::string> taken;
    std::vector<output_file> files;
    for (const chart& one : charts) {
        std::string id = one.id;
        for (int number = 2; !taken.insert(id).second; ++number) id = fmt::format("{}-{}", one.id, number);
        files.push_back({(std::filesystem::path(folder) / (id + ".svg")).string(), overwrite});
        check_output(files.back());  // all or none
    }
    for (std::size_t i = 0; i < charts.size(); ++i)
        write_output(files[i], [&](std::ostream& out) { out << svg_of(charts[i], svg_use::file); });
    say(fmt::format("{} in {}", counted(charts.size(), "picture", "pictures"), folder));
}

std::vector<chart> charts_of(const results_report& found)
{
    std::vector<chart> charts;
    const auto add = [&](std::vector<chart_group> groups, const std::string& prefix) {
        for (chart_group& group : groups)
            for (chart& one : group.charts) {
                one.id = prefix + one.id;
                charts.push_back(std::move(one));
            }
    };
    for (std::size_t r = 0; r < found.runs.size(); ++r) {
        const shown_run& run = found.runs[r];
        const std::string of_run = found.runs.size() > 1 ? fmt::format("run{}-", r + 1) : "";
        add(run_charts(run), of_run);
        for (std::size_t w = 0; w < run.rankings.size(); ++w) {
            const std::string of_workload =
                run.rankings.size() > 1 ? chart_id(parameter_text(run.rankings[w].workload)) + "-" : "";
            add(workload_charts(run, w), of_run + of_workload);
        }
    }
    return charts;
}

}  // namespace launchbox::cli
