// The forms of `bounds` for programs: JSON and the table behind CSV.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "report/bounds/bounds_report.hpp"
#include "report/core/json.hpp"
#include "report/kernels/kernels_json.hpp"
#include "report/kernels/limiter_ids.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json kernel_json(const bounds_answer& answer, const std::optional<portable_bounds>& portable);

ordered_json texts(const std::vector<std::string>& all)
{
    ordered_json json = ordered_json::array();
    for (const std::string& sentence : all) json.push_back(json_text(sentence));
    return json;
}

std::string also_text(const bounds_row& row)
{
    std::string text;
    for (std::size_t i = 1; i < row.attributes.size(); ++i)
        text += (text.empty() ? "" : "; ") + attribute_source(row.attributes[i]);
    return text;
}

}  // namespace

nlohmann::ordered_json bounds_json(const bounds_report& found)
{
    ordered_json json;
    json["schema"] = "launchbox.bounds/1";
    json["compiler"] = json_text(found.compiler);
    json["compiles"] = found.compiles;
    json["from_cache"] = found.from_cache;
    json["measured"] = nullptr;
    if (found.measured) {
        const auto text = [](const std::string& value) {
            return value.empty() ? ordered_json(nullptr) : ordered_json(json_text(value));
        };
        json["measured"] = {{"command", text(found.measured->command)},
                            {"build", text(found.measured->build)},
                            {"runs", found.measured->runs},
                            {"architecture", architecture_name(found.measured->architecture).view()},
                            {"gpu", text(found.measured->gpu)},
                            {"driver", text(found.measured->driver)},
                            {"date", text(found.measured->date)}};
    }
    json["inputs"] = inputs_json(found.inputs);
    json["kernels"] = ordered_json::array();
    for (const kernel_bounds& kernel : found.overview.kernels)
        for (std::size_t i = 0; i < kernel.count; ++i)
            json["kernels"].push_back(kernel_json(found.answers[kernel.first + i], kernel.portable));
    json["conflicts"] = texts(found.overview.conflicts);
    return json;
}

table bounds_table(const bounds_report& found)
{
    table rows;
    for (const char* title : {"name",
                              "demangled",
                              "architecture",
                              "threads",
                              "attribute",
                              "also",
                              "registers",
                              "spill_store_bytes",
                              "spill_load_bytes",
                              "code_bytes",
                              "resident_blocks",
                              "occupancy",
                              "limiters",
                              "obstacle",
                              "pareto",
                              "recommended",
                              "as_written",
                              "time_median_ns",
                              "time_low_ns",
                              "time_high_ns",
                              "time_count",
                              "failure",
                              "shared_spill_store_bytes",
                              "shared_spill_load_bytes"})
        rows.columns.push_back({title});
    const auto text = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
    const auto flag = [](bool value) { return value ? "true" : "false"; };
    for (const bounds_answer& answer : found.answers)
        for (const block_size_answer& size : answer.block_sizes)
            for (const bounds_row& row : size.rows) {
                const bool timed = row.has_time();
                const auto time = [&](double value) { return timed ? fmt::format("{:.6g}", value) : std::string(); };
                const sample_summary summary = timed ? row.measured->time : sample_summary{};
                rows.rows.push_back({escape_for_terminal(answer.name),
                                     escape_for_terminal(answer.demangled),
                                     escape_for_terminal(answer.architecture),
                                     std::to_string(size.threads),
                                     attribute_source(row.attributes.front()),
                                     also_text(row),
                                     text(row.kernel.registers),
                                     text(row.kernel.spill_store_bytes),
                                     text(row.kernel.spill_load_bytes),
                                     text(row.kernel.code_bytes),
                                     row.residency ? std::to_string(row.residency->resident_blocks) : "",
                                     row.residency ? fmt::format("{:.6g}", row.residency->occupancy()) : "",
                                     row.residency ? limiter_ids_text(*row.residency) : "",
                                     row.obstacle,
                                     flag(row.pareto),
                                     flag(row.recommended),
                                     flag(row.as_written),
                                     time(summary.median),
                                     time(summary.low),
                                     time(summary.high),
                                     timed ? std::to_string(summary.count) : "",
                                     row.measured ? escape_for_terminal(row.measured->failure) : "",
                                     text(row.kernel.shared_spill_store_bytes),
                                     text(row.kernel.shared_spill_load_bytes)});
            }
    return rows;
}

namespace {

ordered_json row_json(int threads, const bounds_row& row)
{
    ordered_json also = ordered_json::array();
    for (std::size_t i = 1; i < row.attributes.size(); ++i) also.push_back(attribute_source(row.attributes[i]));
    ordered_json json{{"threads", threads},
                      {"attribute", attribute_source(row.attributes.front())},
                      {"also", std::move(also)},
                      {"registers", or_null(row.kernel.registers)},
                      {"spill_store_bytes", or_null(row.kernel.spill_store_bytes)},
                      {"spill_load_bytes", or_null(row.kernel.spill_load_bytes)},
                      {"shared_spill_store_bytes", or_null(row.kernel.shared_spill_store_bytes)},
                      {"shared_spill_load_bytes", or_null(row.kernel.shared_spill_load_bytes)},
                      {"code_bytes", or_null(row.kernel.code_bytes)}};
    json["resident_blocks"] = row.residency ? ordered_json(row.residency->resident_blocks) : ordered_json(nullptr);
    json["occupancy"] = row.residency ? ordered_json(row.residency->occupancy()) : ordered_json(nullptr);
    json["limiters"] = row.residency ? limiter_ids(*row.residency) : std::vector<std::string>();
    json["obstacle"] = row.obstacle.empty() ? ordered_json(nullptr) : ordered_json(row.obstacle);
    json["pareto"] = row.pareto;
    json["pareto_of_all"] = row.pareto_of_all;
    json["recommended"] = row.recommended;
    json["as_written"] = row.as_written;
    json["time_ns"] = nullptr;
    if (row.has_time())
        json["time_ns"] = {{"median", row.measured->time.median},
                           {"low", row.measured->time.low},
                           {"high", row.measured->time.high},
                           {"count", row.measured->time.count}};
    json["failure"] = row.measured && !row.measured->failure.empty() ? ordered_json(json_text(row.measured->failure))
                                                                     : ordered_json(nullptr);
    return json;
}

ordered_json recommendation_json(const block_size_answer& size)
{
    const bounds_recommendation& chosen = size.recommendation;
    return {{"threads", size.threads},
            {"attribute", chosen.row ? ordered_json(attribute_source(chosen.attribute)) : ordered_json(nullptr)},
            {"verdict", verdict_name(chosen.verdict)},
            {"by_time", chosen.by_time},
            {"reason", json_text(chosen.reason)},
            {"gain", chosen.gain},
            {"findings", texts(size.findings)}};
}

ordered_json kernel_json(const bounds_answer& answer, const std::optional<portable_bounds>& portable)
{
    ordered_json json;
    json["name"] = json_text(answer.name);
    json["demangled"] = json_text(answer.demangled);
    json["short_name"] = json_text(answer.short_form);
    json["architecture"] = json_text(answer.architecture);
    json["declared_at"] = nullptr;
    if (answer.declared_at)
        json["declared_at"] = {{"file", json_text(answer.declared_at->file)}, {"line", answer.declared_at->line}};
    json["written"] = attribute_source(answer.written);
    json["relocatable"] = answer.relocatable;
    json["dynamic_shared_bytes"] = answer.launch.dynamic_shared_bytes;
    json["threads"] = ordered_json::array();
    for (const char* list : {"rows", "thresholds", "recommendations"}) json[list] = ordered_json::array();
    for (const block_size_answer& size : answer.block_sizes) {
        json["threads"].push_back(size.threads);
        for (const bounds_row& row : size.rows) json["rows"].push_back(row_json(size.threads, row));
        for (const bounds_threshold& threshold : size.thresholds)
            json["thresholds"].push_back({{"threads", size.threads},
                                          {"blocks", threshold.blocks},
                                          {"registers", or_null(threshold.registers)},
                                          {"shared_bytes", or_null(threshold.shared_bytes)},
                                          {"barriers", or_null(threshold.barriers)}});
        json["recommendations"].push_back(recommendation_json(size));
    }
    json["recommendation"] =
        answer.best ? recommendation_json(answer.block_sizes[*answer.best]) : ordered_json(nullptr);
    json["portable"] = nullptr;
    if (portable)
        json["portable"] = {{"threads", portable->threads},
                            {"attribute", portable->attribute},
                            {"lines", portable->lines},
                            {"rows", portable->rows},
                            {"notes", portable->notes}};
    json["findings"] = texts(answer.findings);
    json["not_swept"] = answer.not_swept.empty() ? ordered_json(nullptr) : ordered_json(json_text(answer.not_swept));
    json["errors"] = texts(answer.errors);
    return json;
}

}  // namespace

}  // namespace launchbox
