// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/emit_records.hpp"

#include <fmt/format.h>

#include <launchbox/detail/launch_box/row_rules.hpp>

#include <algorithm>
#include <map>
#include <set>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/tuned_rows.hpp"
#include "tune/emit/tuning_header.hpp"
#include "tune/exchange/call_order.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/ranking/ranking.hpp"
#include "tune/space/search_space.hpp"
#include "tune/space/task_hash.hpp"
#include "tune/store/result_filter.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

std::string path_in_header(const std::string& path, const std::filesystem::path& root)
{
    std::filesystem::path shown = std::filesystem::path(path).lexically_normal();
    if (shown.is_absolute()) {
        const std::filesystem::path below =
            shown.lexically_relative(std::filesystem::absolute(root).lexically_normal());
        if (!below.empty() && *below.begin() != "..") shown = below;
    }
    std::string text = shown.generic_string();
    for (const char letter : text)
        if (static_cast<unsigned char>(letter) <= ' ' || letter == '\\' || letter == '\x7f')
            throw error(escape_for_terminal(text) + ": the path in a header cannot contain spaces or backslashes",
                        "rename the file");
    return text;
}

nlohmann::ordered_json canonical(const stored_result& result)
{
    return {json_of(result.parameters),      json_of(result.workload),   result.weight,
            name_of(result.measured.status), result.measured.samples_ns, result.measured.verified,
            result.measured.stopped_early};
}

nlohmann::ordered_json canonical(const race_result_info& race)
{
    nlohmann::ordered_json entries = nlohmann::ordered_json::array();
    for (const race_entry& entry : race.entries) {
        entries.push_back({json_of(entry.parameters), entry.samples_ns});
        if (entry.result_median_ns) entries.back().push_back(*entry.result_median_ns);
    }
    return {json_of(race.workload), entries, race.verdict, race.equal_within};
}

std::string dump(const nlohmann::ordered_json& value)
{
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string described(const emit_record& record)
{
    return escape_for_terminal(fmt::format("{}: run {} of {} on {}", record.path, record.run.number,
                                           record.run.info.started, machine_of(record.run.info.environment)));
}

void choose_tunable(std::vector<emit_record>& records, const std::string& wanted)
{
    std::set<std::string> names;
    for (const emit_record& record : records) names.insert(record.run.info.name);
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + escape_for_terminal(name);
    if (wanted.empty() && names.size() > 1) throw error("there are several tunables: " + all, "choose one with --name");
    if (!wanted.empty())
        std::erase_if(records, [&](const emit_record& record) { return record.run.info.name != wanted; });
    if (records.empty() && !wanted.empty())
        throw error("no run has the name '" + escape_for_terminal(wanted) + "'", "the names are: " + all);
}

void choose_machine(std::vector<emit_record>& records, const std::string& wanted)
{
    if (wanted.empty()) return;
    std::set<std::string> names;
    for (const emit_record& record : records)
        names.insert(escape_for_terminal(machine_of(record.run.info.environment)));
    std::erase_if(records, [&](const emit_record& record) {
        return !names_machine(machine_of(record.run.info.environment), wanted);
    });
    if (records.empty())
        throw error("no run was on '" + escape_for_terminal(wanted) + "'",
                    fmt::format("there are: {}", fmt::join(names, "; ")));
}

std::vector<std::size_t> oldest_first(const std::vector<emit_record>& records)
{
    std::vector<const run_info*> runs;
    std::vector<std::string> from;
    for (const emit_record& record : records) {
        runs.push_back(&record.run.info);
        from.push_back(record.path);
    }
    return in_order_of_calls(runs, from);
}

// Why results of this run are stale for the present spec; empty if they are not.
std::string stale_by(const run_info& info, const run_filter& wishes)
{
    const tune_spec& spec = *wishes.spec;
    const environment_info& where = info.environment;
    if (info.name != spec.name) return "it is of the tunable " + info.name;
    limit_values limits;
    if (const auto code = parse_compute_capability(where.architecture))
        if (const sm_limits* row = find_sm_limits(*code)) {
            gpu_device gpu{.name = where.gpu, .capability = *code};
            gpu.sms = where.sms;
            gpu.memory_bytes = where.memory_bytes;
            limits = limits_for_expressions(*row, &gpu);
        }
    try {
        if (task_hash(spec, search_space(spec, limits)) != info.task_hash) return "the spec's task has changed since";
    } catch (const error& failure) {
        return failure.what();
    }
    return wishes.has_sources_now && !wishes.has_sources_now(info) ? "the sources have changed since" : "";
}

}  // namespace

std::string content_hash(const std::vector<recorded_run>& runs)
{
    std::vector<std::string> texts;
    for (const recorded_run& run : runs) {
        const run_info& info = run.info;
        const environment_info& where = info.environment;
        std::vector<std::string> lines;
        for (const stored_result& result : run.results) lines.push_back(dump(canonical(result)));
        for (const race_result_info& race : run.races) lines.push_back(dump(canonical(race)));
        std::sort(lines.begin(), lines.end());
        std::string text = dump({info.name, info.task_hash, info.source_hash, info.version, info.started, where.gpu,
                                 where.processor, where.architecture, where.sms, where.memory_bytes, where.driver,
                                 where.toolkit, info.baseline ? json_of(*info.baseline) : nullptr});
        for (const std::string& line : lines) text += "\n" + line;
        texts.push_back(std::move(text));
    }
    std::sort(texts.begin(), texts.end());
    std::string all;
    for (const std::string& text : texts) all += text + "\n\n";
    return fnv1a64(all);
}

emit_records read_emit_records(const std::vector<std::string>& paths, const std::filesystem::path& root)
{
    emit_records read;
    std::set<std::string> seen;
    for (const std::string& path : paths) {
        if (path == "-") throw error("a record must be a file, since the header names it", "write it to one first");
        std::filesystem::path file = path;
        if (file.is_relative() && std::filesystem::exists(root / file)) file = root / file;
        const std::string shown = path_in_header(path, root);
        if (!seen.insert(shown).second) continue;
        const result_file found = read_result_file(file.string());
        // A pipe can be read only once.
        const std::string bytes = std::filesystem::is_regular_file(file) ? read_file(file) : std::string();
        const bool hashes_bytes = !bytes.empty() && !bytes.starts_with("SQLite format 3");
        const std::string hash =
            hashes_bytes ? "fnv1a64:" + fnv1a64(bytes) : "results-fnv1a64:" + content_hash(found.runs);
        for (const recorded_run& run : found.runs) read.all.push_back({shown, hash, run});
        for (const std::string& diagnostic : found.diagnostics) read.notes.push_back(diagnostic);
    }
    if (read.all.empty())
        throw error(fmt::format("{}: there is no run", fmt::join(paths, ", ")), "give stores of launchbox tune");
    return read;
}

emit_records chosen_runs(const emit_records& read, const run_filter& wishes)
{
    emit_records chosen{read.all, {}};
    choose_tunable(chosen.all, wishes.name);
    choose_machine(chosen.all, wishes.gpu);
    const value_filter filter = parse_value_filter(wishes.workload, "--workload");
    std::map<std::pair<int, std::string>, emit_record> newest;
    std::string why_stale;
    for (const std::size_t place : oldest_first(chosen.all)) {
        emit_record& record = chosen.all[place];
        if (wishes.spec != nullptr)
            if (const std::string why = stale_by(record.run.info, wishes); !why.empty()) {
                why_stale = described(record) + " is stale: " + why;
                chosen.notes.push_back(why_stale);
                continue;
            }
        record.run = part_of(record.run, [&](const assignment& workload) { return filter.matches(workload); });
        const std::string& architecture = record.run.info.environment.architecture;
        const auto code = parse_compute_capability(architecture);
        if (!architecture.empty() && !code)
            throw error(described(record) + ": '" + escape_for_terminal(architecture) + "' is not an architecture",
                        "the file was edited: measure again");
        const auto [known, fresh] =
            newest.try_emplace(std::pair(code ? detail::rank_of(*code) : 0,
                                         wishes.of_each_gpu ? machine_of(record.run.info.environment) : std::string()),
                               record);
        if (fresh) continue;
        emit_record& older = known->second;
        const char* why = record.run.info.source_hash != older.run.info.source_hash ||
                                  record.run.info.task_hash != older.run.info.task_hash
                              ? "is stale: the spec or the sources have changed since"
                          : record.run.info.environment.gpu != older.run.info.environment.gpu
                              ? "is on another GPU of the architecture: --gpu chooses"
                              : "is older";
        chosen.notes.push_back(fmt::format("{} {}; {} is used", described(older), why, described(record)));
        older = std::move(record);
    }
    if (newest.empty())
        throw error(why_stale.empty() ? "no run is left" : why_stale, "run launchbox tune with the spec as it is now");
    chosen.all.clear();
    for (auto& [code, item] : newest) {
        for (const ranking& workload : rank(item.run))
            if (const std::string why = outdated_race_text(item.run.results, workload); !why.empty())
                chosen.notes.push_back(fmt::format(
                    "{}{}: {}; the samples decide, and the next launchbox tune repeats the race", described(item),
                    workload.workload.values.empty() ? ""
                                                     : ", " + escape_for_terminal(parameter_text(workload.workload)),
                    why));
        chosen.all.push_back(std::move(item));
    }
    return chosen;
}

}  // namespace launchbox
