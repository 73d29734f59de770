// SPDX-License-Identifier: Apache-2.0
#include "report/tune/build_report.hpp"

#include <algorithm>
#include <map>

#include "report/core/json.hpp"
#include "support/text/terminal.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

std::string figure(const std::optional<int>& value)
{
    return value ? std::to_string(*value) : "?";
}

struct group {
    std::size_t count = 0;
    const built_candidate* example = nullptr;
};

// By status; those that are built first.
std::vector<std::pair<std::string, group>> groups_of(const build_report& report)
{
    std::map<build_status, group> found;
    for (const built_candidate& candidate : report.candidates) {
        group& alike = found[candidate.status];
        ++alike.count;
        if (alike.example == nullptr) alike.example = &candidate;
    }
    std::vector<std::pair<std::string, group>> groups;
    for (const auto& [status, alike] : found) groups.emplace_back(words_of(status), alike);
    return groups;
}

std::string text_of_example(const built_candidate& candidate)
{
    std::string text = parameter_text(joined(candidate.parameters, candidate.workload));
    if (candidate.status != build_status::built) return text + ": " + candidate.reason;
    if (candidate.kernel)
        text +=
            ": " + figure(candidate.kernel->figures.registers) + " registers, " +
            (candidate.kernel->figures.static_shared_bytes ? with_commas(*candidate.kernel->figures.static_shared_bytes)
                                                           : "?") +
            " B shared";
    return text;
}

}  // namespace

document build_document(const std::vector<build_report>& reports)
{
    document page;
    for (const build_report& report : reports) {
        page.heading(report.name + (report.architecture.empty() ? "" : ", " + report.architecture));
        table rows{.columns = {{"outcome"}, {"count", true}, {"for example"}}, .rows = {}};
        for (const auto& [name, group] : groups_of(report))
            rows.rows.push_back({name, with_commas(static_cast<std::int64_t>(group.count)),
                                 escape_for_terminal(text_of_example(*group.example))});
        page.add(std::move(rows));
    }
    return page;
}

nlohmann::ordered_json build_json(const std::vector<build_report>& reports)
{
    nlohmann::ordered_json all{{"schema", "launchbox.builds/1"}, {"candidates", nlohmann::ordered_json::array()}};
    const auto known = [](bool is, const std::string& text) {
        return is ? nlohmann::ordered_json(json_text(text)) : nlohmann::ordered_json();
    };
    for (const build_report& report : reports)
        for (const built_candidate& candidate : report.candidates)
            all["candidates"].push_back(
                {{"tunable", json_text(report.name)},
                 {"architecture", known(!report.architecture.empty(), report.architecture)},
                 {"parameters", json_of(candidate.parameters)},
                 {"workload", json_of(candidate.workload)},
                 {"outcome", name_of(candidate.status)},
                 {"reason", known(!candidate.reason.empty(), candidate.reason)},
                 {"resources", candidate.kernel ? json_of(*candidate.kernel) : nlohmann::ordered_json()},
                 {"from_cache", candidate.from_cache},
                 {"log", known(!candidate.log.empty(), candidate.log)}});
    return all;
}

table build_table(const std::vector<build_report>& reports)
{
    table rows{
        .columns =
            {{"tunable"}, {"architecture"}, {"parameters"}, {"workload"}, {"outcome"}, {"reason"}, {"registers", true}},
        .rows = {}};
    for (const build_report& report : reports)
        for (const built_candidate& candidate : report.candidates)
            rows.rows.push_back({report.name, report.architecture, parameter_text(candidate.parameters),
                                 parameter_text(candidate.workload), std::string(name_of(candidate.status)),
                                 escape_for_terminal(candidate.reason),
                                 candidate.kernel ? figure(candidate.kernel->figures.registers) : ""});
    return rows;
}

}  // namespace launchbox
