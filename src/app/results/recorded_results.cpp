// SPDX-License-Identifier: Apache-2.0
#include "app/results/recorded_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "support/text/terminal.hpp"
#include "tune/emit/emit_tables.hpp"
#include "tune/emit/row_use.hpp"
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
    if (names.empty()) return "there are none";
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names) {
        if (++count > 8) return text + fmt::format(" and {} more", names.size() - 8);
        text += (text.empty() ? "there are: " : "; ") + escape_for_terminal(name);
    }
    return text;
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

std::vector<landscape_source> sources_of(const results_report& found)
{
    std::vector<landscape_source> sources;
    for (const shown_run& shown : found.runs) sources.push_back({&shown.run, shown.file});
    return sources;
}

// A GPU, or any GPU of an architecture if its figures are not given.
struct asked_gpu {
    std::string name;
    compute_capability architecture;
    std::optional<detail::gpu_properties> says = {};
};

bool is_same(const asked_gpu& one, const asked_gpu& other)
{
    return one.name == other.name && one.architecture == other.architecture && one.says->sms == other.says->sms &&
           one.says->memory_bytes == other.says->memory_bytes;
}

asked_gpu asked(const gpu_device& gpu)
{
    detail::gpu_properties says{.sms = gpu.sms, .memory_bytes = gpu.memory_bytes};
    says.l2_bytes = gpu.hardware.l2_bytes.value_or(0);
    says.memory_gb_per_second = static_cast<std::int64_t>(memory_gb_per_second(gpu.hardware).value_or(0));
    return {gpu.name, gpu.capability, says};
}

void add(std::vector<asked_gpu>& all, asked_gpu one)
{
    if (std::ranges::none_of(all, [&](const asked_gpu& known) { return is_same(known, one); }))
        all.push_back(std::move(one));
}

std::vector<used_row> uses_in(const emitted_table& made, const std::vector<asked_gpu>& all)
{
    std::vector<used_row> uses;
    for (const asked_gpu& one : all) {
        used_row& use = uses.emplace_back(used_row{.gpu = one.name, .architecture = one.architecture});
        const std::optional<std::size_t> place = place_of_row(made.table, one.architecture, one.says);
        if (!place) continue;
        use.parameters = made.values[*place];
        use.origin = origin_of_row(made.table, *place, one.architecture, one.says);
    }
    return uses;
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

landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit)
{
    sort_by_calls(found);
    landscape drawn = landscape_of(sources_of(found), request);
    landscape_report report{.found = std::move(found), .drawn = std::move(drawn), .unit = unit};
    check_unit(report);
    return report;
}

portability_report find_portable_rows(results_report found, double within)
{
    std::map<std::string, std::size_t> places;
    for (const landscape_source& source : sources_of(found)) places.emplace(machine_name(source), places.size());
    sort_by_calls(found);
    std::ranges::stable_sort(found.runs, {}, [&](const shown_run& shown) {
        return places.at(machine_name({&shown.run, shown.file}));
    });
    portability rows = portability_of(sources_of(found));
    return {.found = std::move(found), .rows = std::move(rows), .within = within};
}

void add_used_rows(results_report& report, const std::vector<compute_capability>& architectures,
                   const std::vector<gpu_device>& gpus)
{
    std::vector<std::string> tunables;
    for (const shown_run& shown : report.runs)
        if (std::ranges::find(tunables, shown.run.info.name) == tunables.end()) tunables.push_back(shown.run.info.name);
    for (const std::string& tunable : tunables) {
        emit_records records;
        std::vector<asked_gpu> all;
        for (const shown_run& shown : report.runs) {
            const run_info& info = shown.run.info;
            const auto code = parse_compute_capability(info.environment.architecture);
            if (info.name != tunable || !code) continue;  // without a GPU, there is no row for it
            records.all.push_back({shown.file, {}, shown.run});
            add(all, {info.environment.gpu, *code, properties_of(info.environment, shown.run.devices)});
        }
        if (records.all.empty() || (all.size() < 2 && architectures.empty() && gpus.empty())) continue;
        for (const gpu_device& gpu : gpus) add(all, asked(gpu));
        for (const compute_capability& architecture : architectures) all.push_back({{}, architecture});
        try {
            if (tunable.starts_with("cub."))
                throw error("rows of CUB's own algorithms are for one architecture each", "emit --format cub has them");
            run_filter wishes;
            wishes.name = tunable;
            const emit_records chosen = chosen_runs(records, wishes);
            const emit_settings settings{.box = identifier_of(tunable) + "_tuning"};
            for (const emitted_table& made : emit_tables(chosen.all, settings, {}).tables)
                report.rows.push_back({tunable, made.table.text, uses_in(made, all), {}});
        } catch (const error& failure) {
            report.rows.push_back({tunable, {}, {}, failure.what()});
        }
    }
}

}  // namespace launchbox
