// Output of `bounds` for programs: JSON, and the table for CSV.
// SPDX-License-Identifier: Apache-2.0
#include "report/bounds/bounds_report.hpp"
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/kernels/kernels_json.hpp"
#include "report/occupancy/limiter_ids.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json row_json(int threads, const bounds_row& row);
ordered_json kernel_json(const bounds_answer& answer, const std::optional<portable_bounds>& portable);

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
    json["whole"] = found.whole;
    json["measured"] = nullptr;
    if (found.measured) {
        json["measured"] = {{"command", text_or_null(found.measured->command)},
                            {"build", text_or_null(found.measured->build)},
                            {"runs", found.measured->runs},
                            {"architecture", architecture_name(found.measured->architecture).view()},
                            {"gpu", text_or_null(found.measured->gpu)},
                            {"driver", text_or_null(found.measured->driver)},
                            {"date", text_or_null(found.measured->date)}};
    }
    json["inputs"] = inputs_json(found.inputs);
    json["kernels"] = ordered_json::array();
    for (const kernel_bounds& kernel : found.overview.kernels)
        for (std::size_t i = 0; i < kernel.count; ++i)
            json["kernels"].push_back(kernel_json(found.answers[kernel.first + i], kernel.portable));
    json["conflicts"] = value_json(found.overview.conflicts);
    return json;
}

table bounds_table(const bounds_report& found)
{
    ordered_json rows = ordered_json::array();
    for (const bounds_answer& answer : found.answers)
        for (const block_size_answer& size : answer.block_sizes)
            for (const bounds_row& row : size.rows) {
                rows.push_back(row_json(size.threads, row));
                rows.back().update({{"name", json_text(answer.name)},
                                    {"demangled", json_text(answer.demangled)},
                                    {"architecture", json_text(answer.architecture)},
                                    {"also", also_text(row)}});
            }
    return json_table({{"name"},
                       {"demangled"},
                       {"architecture"},
                       {"threads"},
                       {"attribute"},
                       {"also"},
                       {"registers"},
                       {"spill_store_bytes"},
                       {"spill_load_bytes"},
                       {"code_bytes"},
                       {"resident_blocks"},
                       {"occupancy"},
                       {"limiters"},
                       {"obstacle"},
                       {"pareto"},
                       {"recommended"},
                       {"as_written"},
                       {"from_ptx"},
                       {"time_median_ns", "/time_ns/median"},
                       {"time_low_ns", "/time_ns/low"},
                       {"time_high_ns", "/time_ns/high"},
                       {"time_count", "/time_ns/count"},
                       {"failure"},
                       {"shared_spill_store_bytes"},
                       {"shared_spill_load_bytes"}},
                      rows);
}

namespace {

ordered_json row_json(int threads, const bounds_row& row)
{
    ordered_json also = ordered_json::array();
    for (std::size_t i = 1; i < row.attributes.size(); ++i) also.push_back(attribute_source(row.attributes[i]));
    ordered_json json{{"threads", threads},
                      {"attribute", attribute_source(row.attributes.front())},
                      {"also", std::move(also)},
                      {"registers", or_null(row.kernel.figures.registers)},
                      {"spill_store_bytes", or_null(row.kernel.figures.spill_store_bytes)},
                      {"spill_load_bytes", or_null(row.kernel.figures.spill_load_bytes)},
                      {"shared_spill_store_bytes", or_null(row.kernel.figures.shared_spill_store_bytes)},
                      {"shared_spill_load_bytes", or_null(row.kernel.figures.shared_spill_load_bytes)},
                      {"code_bytes", or_null(row.kernel.figures.code_bytes)}};
    json["resident_blocks"] = row.residency ? ordered_json(row.residency->resident_blocks) : ordered_json(nullptr);
    json["occupancy"] = row.residency ? ordered_json(row.residency->occupancy()) : ordered_json(nullptr);
    json["limiters"] = row.residency ? limiter_ids(*row.residency) : std::vector<std::string>();
    json["obstacle"] = text_or_null(row.obstacle);
    json["pareto"] = row.pareto;
    json["pareto_of_all"] = row.pareto_of_all;
    json["recommended"] = row.recommended;
    json["as_written"] = row.as_written;
    json["from_ptx"] = row.from_ptx;
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
            {"findings", value_json(size.findings)}};
}

ordered_json kernel_json(const bounds_answer& answer, const std::optional<portable_bounds>& portable)
{
    ordered_json json;
    json["name"] = json_text(answer.name);
    json["demangled"] = json_text(answer.demangled);
    json["short_name"] = json_text(answer.short_form);
    json["architecture"] = json_text(answer.architecture);
    json["declared_at"] = value_json(answer.declared_at);
    json["written"] = attribute_source(answer.written);
    json["relocatable"] = answer.relocatable;
    json["dynamic_shared_bytes"] = nullptr;
    if (answer.launch.dynamic_shared_known) json["dynamic_shared_bytes"] = answer.launch.dynamic_shared_bytes;
    json["dynamic_shared_bytes_per_warp"] = answer.launch.dynamic_shared_per_warp;
    json["threads_assumed"] = answer.threads_assumed;
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
    json["findings"] = value_json(answer.findings);
    json["not_swept"] = text_or_null(answer.not_swept);
    json["errors"] = value_json(answer.errors);
    return json;
}

}  // namespace

}  // namespace launchbox
