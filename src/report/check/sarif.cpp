// SPDX-License-Identifier: Apache-2.0
#include "report/check/sarif.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "image/names/demangle.hpp"
#include "report/check/check_location.hpp"
#include "report/core/json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr std::pair<std::string_view, std::string_view> rules[] = {
    {"max_registers", "A kernel uses more registers than its budget allows."},
    {"max_spill_bytes", "A kernel spills more than its budget allows."},
    {"max_shared_spill_bytes", "A kernel spills more to shared memory than its budget allows."},
    {"max_stack_bytes", "A kernel's stack frame is larger than its budget allows."},
    {"max_stack_reserve", "A kernel's stack takes more GPU memory than is allowed."},
    {"max_image_bytes", "The images of a kernel's file are larger than allowed."},
    {"max_static_shared", "A kernel uses more static shared memory than its budget allows."},
    {"max_code_bytes", "A kernel's machine code is larger than its budget allows."},
    {"min_blocks_per_sm", "Fewer blocks of a kernel are resident than its budget requires."},
    {"min_occupancy", "A kernel's occupancy is lower than its budget requires."},
    {"require_launch_bounds", "A kernel has no launch bounds."},
    {"baseline_registers", "A kernel uses more registers than in the baseline."},
    {"baseline_build", "A kernel is a debug build and its baseline is not, or vice versa."},
    {"baseline_spill_bytes", "A kernel spills more than in the baseline."},
    {"baseline_shared_spill_bytes", "A kernel spills more to shared memory than in the baseline."},
    {"baseline_stack_bytes", "A kernel's stack frame is larger than in the baseline."},
    {"baseline_static_shared", "A kernel uses more static shared memory than in the baseline."},
    {"baseline_resident_threads", "Fewer threads of a kernel are resident than in the baseline."},
    {"baseline_launch_bounds", "A kernel has lost launch bounds of the baseline, or the compiler ignores them."},
    {"baseline_architecture", "A kernel of the baseline no longer has code that runs on one of its architectures."},
    {"unchecked", "An input, an architecture of --arch, a budget or a baseline for which nothing was checked."},
    {"unused_rule", "A rule of the budget matches no kernel."},
};

std::size_t index_of(std::string_view id)
{
    for (std::size_t i = 0; i < std::size(rules); ++i)
        if (rules[i].first == id) return i;
    return std::size(rules);
}

ordered_json physical_location(const file_line& place)
{
    return {{"artifactLocation", {{"uri", uri_of(place.file)}}}, {"region", {{"startLine", std::max(1, place.line)}}}};
}

ordered_json result_of(std::string_view id, const char* level, const std::string& message)
{
    ordered_json result;
    result["ruleId"] = id;
    result["ruleIndex"] = index_of(id);
    result["level"] = level;
    result["message"] = {{"text", json_text(message)}};
    return result;
}

void add_location(ordered_json& result, const file_line& place)
{
    result["locations"] = ordered_json::array();
    result["locations"].push_back({{"physicalLocation", physical_location(place)}});
}

ordered_json finding_result(const check_finding& finding, const check_outcome& outcome)
{
    const checked_kernel& kernel = outcome.result.kernels[finding.kernel];
    ordered_json result = result_of(finding.check, finding.fails ? "error" : "warning",
                                    title_of(kernel) + " on " + architecture_of(kernel) + ": " + finding.message +
                                        " (set in " + place_text(finding.set_by) + ")");
    add_location(result, location_of(finding, outcome));
    result["locations"][0]["logicalLocations"] =
        ordered_json::array({{{"name", json_text(kernel.info.short_form)},
                              {"fullyQualifiedName", json_text(kernel.identity)},
                              {"decoratedName", json_text(kernel.info.name)},
                              {"kind", "function"}}});
    result["relatedLocations"] = ordered_json::array();
    if (finding.set_by.line > 0)
        result["relatedLocations"].push_back(
            {{"physicalLocation",
              physical_location({relative_path(finding.set_by.file, outcome.directory), finding.set_by.line})},
             {"message", {{"text", "the limit"}}}});
    // GitHub recognises a result only by primaryLocationLineHash.
    const std::string fingerprint = fingerprint_of(finding, kernel);
    result["partialFingerprints"] = {{"launchboxCheck/v1", fingerprint},
                                     {"primaryLocationLineHash", fingerprint + ":1"}};
    result["properties"] = {{"architecture", json_text(kernel.info.architecture)},
                            {"value", finding.value ? number_json(*finding.value) : ordered_json(nullptr)},
                            {"limit", finding.limit ? number_json(*finding.limit) : ordered_json(nullptr)}};
    return result;
}

// Standard input has no location, so the file with the requirement is used.
file_line location_of(const unchecked_part& part, const check_outcome& outcome)
{
    std::string file = part.file == "-" ? "" : part.file;
    for (const inspected_input& input : outcome.inputs)
        if (file.empty() && part.file.empty() && input.file != "-") file = input.file;
    if (file.empty()) file = outcome.result.budget_file;
    if (file.empty() || file == "-") file = outcome.result.baseline_file;
    return {relative_path(file.empty() ? "-" : file, outcome.directory), 1};
}

}  // namespace

ordered_json check_sarif(const check_outcome& outcome)
{
    ordered_json driver;
    driver["name"] = "launchbox";
    driver["version"] = outcome.version;
    driver["semanticVersion"] = outcome.version;
    driver["rules"] = ordered_json::array();
    for (const auto& [id, text] : rules)
        driver["rules"].push_back({{"id", id}, {"name", id}, {"shortDescription", {{"text", text}}}});

    ordered_json run;
    run["tool"] = {{"driver", std::move(driver)}};
    ordered_json notifications = ordered_json::array();
    for (const inspected_input& input : outcome.inputs)
        for (const std::string& error : input.errors)
            notifications.push_back(
                {{"level", "error"}, {"message", {{"text", json_text(input.file + ": " + error)}}}});
    const bool whole = notifications.empty();
    run["invocations"] = ordered_json::array();
    run["invocations"].push_back(
        {{"executionSuccessful", whole}, {"toolExecutionNotifications", std::move(notifications)}});
    run["results"] = ordered_json::array();
    for (const check_finding& finding : outcome.result.findings)
        if (finding.status != check_status::better) run["results"].push_back(finding_result(finding, outcome));
    for (const unchecked_part& part : outcome.result.unchecked) {
        ordered_json result = result_of("unchecked", part.fails ? "error" : "warning", unchecked_text(part));
        add_location(result, location_of(part, outcome));
        run["results"].push_back(std::move(result));
    }
    for (const gone_kernel& gone : outcome.result.gone) {
        if (!gone.fails) continue;
        ordered_json result =
            result_of("baseline_architecture", "error", short_name(gone.identity) + ": " + lost_text(gone));
        add_location(result, {relative_path(gone.place.file, outcome.directory), gone.place.line});
        run["results"].push_back(std::move(result));
    }
    for (const unused_rule& rule : outcome.result.unused_rules) {
        ordered_json result =
            result_of("unused_rule", rule.fails ? "error" : "warning", "no kernel matches " + rule.pattern);
        add_location(result, {relative_path(rule.place.file, outcome.directory), rule.place.line});
        run["results"].push_back(std::move(result));
    }

    ordered_json sarif;
    sarif["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
    sarif["version"] = "2.1.0";
    sarif["runs"] = ordered_json::array();
    sarif["runs"].push_back(std::move(run));
    return sarif;
}

std::string uri_of(const std::string& path)
{
    static constexpr char digits[] = "0123456789ABCDEF";
    std::string uri = path.starts_with('/') ? "file://" : "";
    for (char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           std::string_view("-._~/").find(c) != std::string_view::npos;
        if (plain)
            uri += c;
        else
            uri.append({'%', digits[byte >> 4], digits[byte & 15]});
    }
    return uri;
}

}  // namespace launchbox
