#include "report/build_report.hpp"

#include <algorithm>
#include <map>

#include "report/json.hpp"
#include "support/text/terminal.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

std::string name_here(const stored_result& result)
{
    return result.measured.what == outcome::measured ? "built" : std::string(words_of(result.measured.what));
}

std::string outcome_of(const stored_result& result)
{
    return result.measured.what == outcome::measured ? "built" : std::string(name_of(result.measured.what));
}

std::string figure(const std::optional<int>& value)
{
    return value ? std::to_string(*value) : "?";
}

struct group {
    std::size_t count = 0;
    const stored_result* example = nullptr;
};

// By outcome; those that are built first.
std::vector<std::pair<std::string, group>> groups_of(const build_report& report)
{
    std::map<outcome, group> found;
    for (const stored_result& result : report.results) {
        group& each = found[result.measured.what];
        ++each.count;
        if (each.example == nullptr) each.example = &result;
    }
    std::vector<std::pair<std::string, group>> groups;
    for (const auto& [what, each] : found) groups.emplace_back(name_here(*each.example), each);
    return groups;
}

std::string text_of_example(const stored_result& result)
{
    std::string text = text_of(joined(result.parameters, result.problem));
    if (result.measured.what != outcome::measured) return text + ": " + result.measured.reason;
    if (result.kernel)
        text += ": " + figure(result.kernel->registers) + " registers, " +
                (result.kernel->static_shared_bytes ? with_commas(*result.kernel->static_shared_bytes) : "?") +
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
        for (const auto& [name, each] : groups_of(report))
            rows.rows.push_back({name, with_commas(static_cast<std::int64_t>(each.count)),
                                 escape_for_terminal(text_of_example(*each.example))});
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
        for (const stored_result& result : report.results)
            all["candidates"].push_back(
                {{"tunable", json_text(report.name)},
                 {"architecture", known(!report.architecture.empty(), report.architecture)},
                 {"parameters", json_of(result.parameters)},
                 {"workload", json_of(result.problem)},
                 {"outcome", outcome_of(result)},
                 {"reason", known(!result.measured.reason.empty(), result.measured.reason)},
                 {"resources", result.kernel ? json_of(*result.kernel) : nlohmann::ordered_json()},
                 {"from_cache", result.from_cache}});
    return all;
}

table build_table(const std::vector<build_report>& reports)
{
    table rows{
        .columns =
            {{"tunable"}, {"architecture"}, {"parameters"}, {"workload"}, {"outcome"}, {"reason"}, {"registers", true}},
        .rows = {}};
    for (const build_report& report : reports)
        for (const stored_result& result : report.results)
            rows.rows.push_back({report.name, report.architecture, text_of(result.parameters), text_of(result.problem),
                                 outcome_of(result), escape_for_terminal(result.measured.reason),
                                 result.kernel ? figure(result.kernel->registers) : ""});
    return rows;
}

}  // namespace launchbox
