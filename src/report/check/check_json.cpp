// Output of `check` for programs: JSON, and the table for CSV.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "advice/check/baseline_changes.hpp"
#include "image/names/demangle.hpp"
#include "report/check/check_report.hpp"
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/kernels/kernels_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json counts_json(const check_result& result);
ordered_json names_json(const checked_kernel& kernel);
ordered_json findings_json(const check_result& result);
ordered_json changes_json(const check_result& result);

}  // namespace

nlohmann::ordered_json check_json(const check_outcome& outcome)
{
    const check_result& result = outcome.result;
    ordered_json json;
    json["schema"] = "launchbox.check/1";
    json["passed"] = result.passed();
    json["summary"] = summary_of(result);
    json["budget"] = nullptr;
    if (!result.budget_file.empty())
        json["budget"] = {{"file", json_text(result.budget_file)}, {"rules", result.rules}};
    json["baseline"] = nullptr;
    if (!result.baseline_file.empty())
        json["baseline"] = {{"file", json_text(result.baseline_file)}, {"entries", result.baseline_entries}};
    json["inputs"] = inputs_json(outcome.inputs);
    json["counts"] = counts_json(result);
    json["findings"] = findings_json(result);
    json["changes"] = changes_json(result);
    json["unused_rules"] = ordered_json::array();
    for (const unused_rule& rule : result.unused_rules)
        json["unused_rules"].push_back(
            {{"rule", json_text(rule.pattern)}, {"fails", rule.fails}, {"set_by", value_json(rule.place)}});
    json["unchecked"] = ordered_json::array();
    for (const unchecked_part& part : result.unchecked)
        json["unchecked"].push_back({{"file", text_or_null(part.file)},
                                     {"architecture", text_or_null(part.architecture)},
                                     {"kernels", value_json(part.kernels)},
                                     {"reason", json_text(unchecked_text(part))},
                                     {"fails", part.fails}});
    json["older_code"] = ordered_json::array();
    for (const checked_kernel& kernel : result.kernels) {
        if (!kernel.info.runs_on) continue;
        json["older_code"].push_back(names_json(kernel));
        json["older_code"].back()["runs_on"] = architecture_where_run(kernel.info);
    }
    json["new_kernels"] = list_json(result.new_kernels, [&](std::size_t k) { return names_json(result.kernels[k]); });
    json["gone_kernels"] = ordered_json::array();
    for (const gone_kernel& kernel : result.gone)
        json["gone_kernels"].push_back({{"identity", json_text(kernel.identity)},
                                        {"architecture", text_or_null(kernel.architecture)},
                                        {"fails", kernel.fails},
                                        {"reason", kernel.fails ? ordered_json(lost_text(kernel)) : nullptr},
                                        {"set_by", value_json(kernel.place)}});
    return json;
}

table check_table(const check_outcome& outcome)
{
    return json_table({{"identity"},
                       {"name"},
                       {"short_name"},
                       {"architecture"},
                       {"check"},
                       {"status"},
                       {"fails"},
                       {"value", nullptr, 0},
                       {"limit", nullptr, 0},
                       {"message"},
                       {"set_by_file", "/set_by/file"},
                       {"set_by_line", "/set_by/line"},
                       {"input"}},
                      findings_json(outcome.result));
}

nlohmann::ordered_json number_json(double value)
{
    constexpr double exact = 9007199254740992;
    if (value == static_cast<double>(static_cast<std::int64_t>(std::clamp(value, -exact, exact))))
        return static_cast<std::int64_t>(value);
    return value;
}

namespace {

ordered_json counts_json(const check_result& result)
{
    return {{"kernels", result.kernels.size()},
            {"checks", result.checks},
            {"broken", result.count(check_status::broken)},
            {"unknown", result.count(check_status::unknown)},
            {"better", result.count(check_status::better)},
            {"unused_rules", result.unused_rules.size()},
            {"unchecked", result.unchecked.size()},
            {"new_kernels", result.new_kernels.size()},
            {"gone_kernels", result.gone.size()},
            {"ptx_only", result.ptx_only},
            {"unlinked", result.unlinked},
            {"renumbered", result.renumbered},
            {"renamed", result.renamed}};
}

ordered_json names_json(const checked_kernel& kernel)
{
    return {{"identity", json_text(kernel.identity)},
            {"name", json_text(kernel.info.name)},
            {"short_name", json_text(kernel.info.short_form)},
            {"architecture", text_or_null(kernel.info.architecture)}};
}

ordered_json finding_json(const check_finding& finding, const checked_kernel& kernel)
{
    const kernel_info& copy = kernel.copy(finding.copy).info;
    ordered_json json = names_json(kernel);
    json["check"] = finding.check;
    json["status"] = status_name(finding.status);
    json["fails"] = finding.fails;
    json["value"] = finding.value ? number_json(*finding.value) : ordered_json(nullptr);
    json["limit"] = finding.limit ? number_json(*finding.limit) : ordered_json(nullptr);
    json["message"] = json_text(finding.message);
    json["set_by"] = value_json(finding.set_by);
    json["input"] = json_text(copy.source.file);
    json["written_at"] = value_json(copy.analysis.written_at);
    return json;
}

ordered_json findings_json(const check_result& result)
{
    return list_json(result.findings, [&](const check_finding& finding) {
        return finding_json(finding, result.kernels[finding.kernel]);
    });
}

ordered_json changes_json(const check_result& result)
{
    const auto number = [](const std::optional<double>& value) {
        return value ? number_json(*value) : ordered_json(nullptr);
    };
    ordered_json changes = ordered_json::array();
    for (const baseline_change& change : baseline_changes(result)) {
        const std::string& identity =
            change.kernel ? result.kernels[*change.kernel].identity : result.gone[*change.gone].identity;
        ordered_json json{{"change", verdict_name(change.verdict)},
                          {"identity", json_text(identity)},
                          {"short_name", json_text(change.kernel ? result.kernels[*change.kernel].info.short_form
                                                                 : short_name(identity))},
                          {"architecture", text_or_null(change.architecture)},
                          {"figures", ordered_json::array()}};
        for (const changed_figure& figure : change.figures)
            json["figures"].push_back({{"check", figure.check},
                                       {"before", number(figure.before)},
                                       {"after", number(figure.now)},
                                       {"shown_before", json_text(figure.shown_before)},
                                       {"shown_after", json_text(figure.shown_now)}});
        changes.push_back(std::move(json));
    }
    return changes;
}

}  // namespace

}  // namespace launchbox
