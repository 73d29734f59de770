// SPDX-License-Identifier: Apache-2.0
#include "app/results/recorded_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "support/text/terminal.hpp"
#include "tune/exchange/call_order.hpp"
#include "tune/exchange/result_file.hpp"

namespace launchbox {

namespace {

// A bad file is reported, and the others are shown.
void read_files(const results_request& request, recorded_results& result, const listener& news)
{
    if (std::count(request.files.begin(), request.files.end(), "-") > 1)
        throw error("standard input can be read only once", "name - once");
    results_report& report = result.report;
    std::size_t read_well = 0;
    for (const std::string& path : request.files) try {
            result_file read = read_result_file(path);
            ++read_well;
            for (recorded_run& run : read.runs)
                report.runs.push_back({path == "-" ? "standard input" : path, std::move(run), {}});
            report.diagnostics.insert(report.diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
        } catch (const error& failure) {
            if (request.files.size() == 1) throw;
            news.say(failure.what());
            result.status = failure.status();
        }
    if (read_well == 0) throw error("none of the files can be read", "name stores of launchbox tune");
}

// The valid names, for an error about another.
std::string known(const std::set<std::string>& names)
{
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (++count > 8) return text + fmt::format(" and {} more", names.size() - 8);
        text += (text.empty() ? "" : "; ") + escape_for_terminal(name);
    }
    return text.empty() ? "there are none" : "there are: " + text;
}

void keep_runs(const results_request& request, std::vector<shown_run>& runs)
{
    std::set<std::string> machines, numbers;
    std::erase_if(runs, [&](const shown_run& run) {
        const environment_info& where = run.run.info.environment;
        machines.insert(machine_of(where));
        return !names_machine(where.gpu, request.gpu) && !names_machine(where.processor, request.gpu);
    });
    if (runs.empty() && !request.gpu.empty())
        throw error("no run was on '" + escape_for_terminal(request.gpu) + "'", known(machines));
    if (request.run == 0) return;
    std::erase_if(runs, [&](const shown_run& run) {
        numbers.insert(std::to_string(run.run.number));
        return run.run.number != request.run;
    });
    if (runs.empty()) throw error(fmt::format("there is no run {}", request.run), known(numbers));
}

// Removes runs without a wanted result; without a filter all stay.
void keep_results(std::vector<shown_run>& runs, const value_filter& filter, assignment stored_result::*part)
{
    if (filter.wanted.empty()) return;
    std::set<std::string> names;
    for (shown_run& run : runs) {
        std::erase_if(run.run.results, [&](const stored_result& result) {
            names.insert(parameter_text(result.*part));
            return !filter.matches(result.*part);
        });
        if (part == &stored_result::workload)
            std::erase_if(run.run.races, [&](const race_result_info& race) { return !filter.matches(race.workload); });
    }
    std::erase_if(runs, [](const shown_run& run) { return run.run.results.empty(); });
    if (!runs.empty()) return;
    std::string asked;
    for (const auto& [name, values] : filter.wanted)
        asked += fmt::format("{}{}={}", asked.empty() ? "" : " ", name, fmt::join(values, ","));
    throw error("nothing has " + escape_for_terminal(asked), known(names));
}

}  // namespace

recorded_results read_results(const results_request& request, const listener& news)
{
    recorded_results result;
    std::vector<shown_run>& runs = result.report.runs;
    read_files(request, result, news);
    keep_runs(request, runs);
    keep_results(runs, request.workloads, &stored_result::workload);
    keep_results(runs, request.parameters, &stored_result::parameters);
    for (shown_run& run : runs) {
        if (!request.objective.empty()) run.run.info.objective = objective(request.objective).text();
        run.rankings = rank(run.run);
    }
    return result;
}

void sort_by_calls(results_report& found)
{
    std::vector<const run_info*> runs;
    std::vector<std::string> files;
    for (const shown_run& shown : found.runs) {
        runs.push_back(&shown.run.info);
        files.push_back(shown.file);
    }
    std::vector<shown_run> sorted;
    for (const std::size_t place : in_order_of_calls(runs, files)) sorted.push_back(std::move(found.runs[place]));
    found.runs = std::move(sorted);
}

}  // namespace launchbox
