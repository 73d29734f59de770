// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/kernels_json.hpp"

#include <fmt/format.h>

#include "report/core/json.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/lines_report.hpp"
#include "report/kernels/skipped_report.hpp"
#include "report/occupancy/occupancy_report.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json inputs_with_diagnoses_json(const std::vector<inspected_input>& inputs);

ordered_json selection_json(const inspection& found);

ordered_json kernel_json(const inspected_kernel& kernel, const kernel_account& account);

}  // namespace

kernels_json_writer::kernels_json_writer(const inspection& found, std::ostream& out) : json_(out)
{
    json_.member("schema", "launchbox.kernels/2");
    json_.member("inputs", inputs_with_diagnoses_json(found.inputs));
    json_.member("selection", selection_json(found));
    json_.begin_array("kernels");
}

void kernels_json_writer::add(std::string_view kernel)
{
    json_.element_text(kernel);
}

void kernels_json_writer::finish()
{
    json_.end_array();
    json_.finish();
}

std::string kernel_json_text(const inspected_kernel& kernel, const kernel_account& account)
{
    return json_element_text(kernel_json(kernel, account));
}

std::string kernels_json_first_line(const inspection& found)
{
    const ordered_json head{{"schema", "launchbox.kernels/2"},
                            {"inputs", inputs_with_diagnoses_json(found.inputs)},
                            {"selection", selection_json(found)}};
    return head.dump() + '\n';
}

std::string kernel_json_line(const inspected_kernel& kernel, const kernel_account& account)
{
    return kernel_json(kernel, account).dump() + '\n';
}

namespace {

// Each column with its title. Not built from the JSON, which is many times as large.
std::vector<std::pair<const char*, std::string>> columns_of(const inspected_kernel& kernel,
                                                            const kernel_account& account)
{
    const auto text = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
    const kernel_info& info = kernel.info;
    const kernel_figures& figures = info.figures;
    const std::optional<spill_range> range = spill_range_of(info);
    std::int64_t constants = 0;
    for (const constant_bank& bank : figures.constant_banks) constants += bank.bytes;
    std::string limiters, ids;
    for (const diagnosis& finding : account.diagnoses) ids += (ids.empty() ? "" : " ") + finding.id;
    const occupancy_account* occupancy = account.occupancy ? &*account.occupancy : nullptr;
    if (occupancy != nullptr)
        for (const limit_account& limit : occupancy->limits)
            if (limit.limiting) limiters += (limiters.empty() ? "" : " ") + limit.name;
    const auto of_launch = [&](auto get) { return occupancy != nullptr ? get(*occupancy) : std::string(); };
    return {
        {"file", escape_for_terminal(info.source.file)},
        {"name", escape_for_terminal(info.name)},
        {"demangled", escape_for_terminal(info.demangled)},
        {"architecture", escape_for_terminal(info.architecture)},
        {"registers", text(figures.registers)},
        {"spill_store_bytes", text(figures.spill_store_bytes)},
        {"spill_load_bytes", text(figures.spill_load_bytes)},
        {"stack_frame_bytes", text(figures.stack_frame_bytes)},
        {"cumulative_stack_bytes", text(figures.cumulative_stack_bytes)},
        {"static_shared_bytes", text(figures.static_shared_bytes)},
        {"constant_bytes", figures.constant_banks.empty() ? "" : std::to_string(constants)},
        {"parameter_bytes", text(figures.parameter_bytes)},
        {"barriers", text(figures.barriers)},
        {"max_threads", text(bound_threads(info))},
        {"min_blocks", text(info.bounds.min_blocks)},
        {"register_cap", text(info.bounds.register_cap)},
        {"code_bytes", text(figures.code_bytes)},
        {"threads", of_launch([](const auto& of) { return std::to_string(of.question.shape.threads); })},
        {"resident_blocks", of_launch([](const auto& of) { return std::to_string(of.result.resident_blocks); })},
        {"occupancy", of_launch([](const auto& of) { return fmt::format("{:.6g}", of.result.occupancy()); })},
        {"limiters", limiters},
        {"next_step", of_launch([](const auto& of) { return of.next ? of.next->text : std::string(); })},
        {"diagnoses", ids},
        {"min_spill_store_bytes", range ? std::to_string(range->min_stores) : ""},
        {"min_spill_load_bytes", range ? std::to_string(range->min_loads) : ""},
        {"dynamic_shared_bytes", text(info.launches.dynamic_shared_bytes)},
        {"at_most", of_launch([](const auto& of) { return std::string(of.question.at_most() ? "true" : "false"); })},
        {"max_cluster_blocks", text(info.bounds.max_cluster_blocks)},
        {"shared_spill_store_bytes", text(figures.shared_spill_store_bytes)},
        {"shared_spill_load_bytes", text(figures.shared_spill_load_bytes)},
        {"runs_on", info.runs_on ? architecture_where_run(info) : ""},
        {"optimisation", std::string(optimisation_name(info.optimisation))}};
}

}  // namespace

std::string kernels_csv_header()
{
    std::vector<cell> titles;
    for (const auto& [title, value] : columns_of({}, {})) titles.emplace_back(title);
    return csv_line(titles);
}

std::string kernel_csv_line(const inspected_kernel& kernel, const kernel_account& account)
{
    std::vector<cell> row;
    for (auto& [title, value] : columns_of(kernel, account)) row.emplace_back(std::move(value));
    return csv_line(row);
}

nlohmann::ordered_json inputs_json(const std::vector<inspected_input>& inputs)
{
    ordered_json json = ordered_json::array();
    for (const inspected_input& input : inputs) {
        json.push_back({{"file", json_text(input.file)},
                        {"kind", input.kind},
                        {"kernels", input.kernels},
                        {"skipped_images", skipped_json(input)},
                        {"errors", value_json(input.errors)}});
    }
    return json;
}

namespace {

const char* severity_name(severity level)
{
    return level == severity::error ? "error" : level == severity::warning ? "warning" : "note";
}

ordered_json diagnosis_json(const diagnosis& finding)
{
    return {{"id", finding.id},
            {"severity", severity_name(finding.level)},
            {"message", json_text(finding.message)},
            {"fix", json_text(finding.fix)}};
}

ordered_json inputs_with_diagnoses_json(const std::vector<inspected_input>& inputs)
{
    ordered_json json = inputs_json(inputs);
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        json[i]["diagnoses"] = ordered_json::array();
        for (const diagnosis& finding : inputs[i].diagnoses) {
            ordered_json object = diagnosis_json(finding);
            object["file"] = finding.place ? ordered_json(json_text(finding.place->file)) : ordered_json(nullptr);
            object["line"] = finding.place ? ordered_json(finding.place->line) : ordered_json(nullptr);
            json[i]["diagnoses"].push_back(std::move(object));
        }
        json[i]["missing"] = ordered_json::array();
        for (const missing_kernel& one : inputs[i].missing)
            json[i]["missing"].push_back({{"architecture", architecture_name(one.wanted).view()},
                                          {"name", json_text(one.name)},
                                          {"short_name", json_text(one.short_form)},
                                          {"there", one.there}});
    }
    return json;
}

ordered_json selection_json(const inspection& found)
{
    return {{"spilling", found.wish.spilling},
            {"spills_unknown", found.selection.spills_unknown},
            {"sorted_by", found.selection.sorted_by ? ordered_json(sort_key_name(*found.selection.sorted_by))
                                                    : ordered_json(nullptr)},
            {"not_shown", found.selection.not_shown}};
}

ordered_json kernel_json(const inspected_kernel& kernel, const kernel_account& account)
{
    const kernel_info& info = kernel.info;
    ordered_json object;
    object["name"] = json_text(info.name);
    object["demangled"] = json_text(kernel.info.demangled);
    object["short_name"] = json_text(kernel.info.short_form);
    object["architecture"] = text_or_null(info.architecture);
    object["runs_on"] = info.runs_on ? ordered_json(architecture_where_run(info)) : ordered_json(nullptr);
    object["source"] = {{"file", json_text(info.source.file)},
                        {"container", json_text(info.source.container)},
                        {"entry", text_or_null(info.source.entry)}};
    object["registers"] = or_null(info.figures.registers);
    object["spill_store_bytes"] = or_null(info.figures.spill_store_bytes);
    object["spill_load_bytes"] = or_null(info.figures.spill_load_bytes);
    object["spills_between"] = nullptr;
    if (const auto& range = info.figures.spills_between)
        object["spills_between"] = {{"store_bytes", {range->min_stores, range->max_stores}},
                                    {"load_bytes", {range->min_loads, range->max_loads}}};
    object["shared_spill_store_bytes"] = or_null(info.figures.shared_spill_store_bytes);
    object["shared_spill_load_bytes"] = or_null(info.figures.shared_spill_load_bytes);
    object["stack_frame_bytes"] = or_null(info.figures.stack_frame_bytes);
    object["cumulative_stack_bytes"] = or_null(info.figures.cumulative_stack_bytes);
    object["static_shared_bytes"] = or_null(info.figures.static_shared_bytes);
    if (!info.figures.shared_variables.empty())
        object["shared_variables"] =
            list_json(info.figures.shared_variables, [](const shared_variable& variable) -> ordered_json {
                return {{"name", json_text(variable.name)}, {"bytes", variable.bytes}};
            });
    object["reserved_shared_bytes"] = or_null(info.figures.reserved_shared_bytes);
    object["uses_dynamic_shared"] = or_null(info.launches.uses_dynamic_shared);
    object["dynamic_shared_bytes"] = or_null(info.launches.dynamic_shared_bytes);
    object["constant_bytes"] = nullptr;
    if (!info.figures.constant_banks.empty()) {
        object["constant_bytes"] = ordered_json::object();
        for (const constant_bank& bank : info.figures.constant_banks)
            object["constant_bytes"][std::to_string(bank.bank)] = bank.bytes;
    }
    object["parameter_bytes"] = or_null(info.figures.parameter_bytes);
    object["barriers"] = or_null(info.figures.barriers);
    object["max_threads"] = or_null(info.bounds.max_threads);
    object["required_threads"] = or_null(info.bounds.required_threads);
    object["min_blocks"] = or_null(info.bounds.min_blocks);
    object["min_blocks_inferred"] = info.bounds.min_blocks_inferred;
    object["register_cap"] = or_null(info.bounds.register_cap);
    object["requested_max_registers"] = or_null(info.bounds.requested_max_registers);
    object["maxrregcount"] = or_null(info.bounds.maxrregcount);
    object["outranks_maxrregcount"] = or_null(info.bounds.outranks_maxrregcount);
    object["cluster"] = or_null(info.bounds.cluster);
    object["max_cluster_blocks"] = or_null(info.bounds.max_cluster_blocks);
    object["code_bytes"] = or_null(info.figures.code_bytes);
    object["code_hash"] =
        info.figures.code_hash ? ordered_json(fmt::format("{:016x}", *info.figures.code_hash)) : ordered_json(nullptr);
    object["toolkit"] =
        info.toolkit_version ? ordered_json(toolkit_name(*info.toolkit_version)) : ordered_json(nullptr);
    object["virtual_architecture"] = text_or_null(info.virtual_architecture);
    object["optimisation"] = info.optimisation == code_optimisation::unknown
                                 ? ordered_json(nullptr)
                                 : ordered_json(optimisation_name(info.optimisation));
    object["features"] = info.analysis.features.names();
    object["written_at"] = value_json(info.analysis.written_at);
    if (info.analysis.lines) object["lines"] = lines_json(kernel);
    if (info.analysis.pressure)
        object["register_pressure"] = pressure_json(kernel, account.occupancy ? account.occupancy->next : std::nullopt);
    if (info.analysis.traffic) object["code"] = traffic_json(kernel);
    object["relocatable"] = info.relocatable;
    object["linked"] = info.linked;
    object["stack_unbounded"] = info.figures.stack_unbounded;
    object["callees"] = ordered_json::array();
    for (const callee_info& callee : info.figures.callees)
        object["callees"].push_back({{"name", json_text(callee.name)},
                                     {"stack_frame_bytes", or_null(callee.stack_frame_bytes)},
                                     {"spill_store_bytes", or_null(callee.spill_store_bytes)},
                                     {"spill_load_bytes", or_null(callee.spill_load_bytes)}});
    object["occupancy"] = account.occupancy ? account_json(*account.occupancy) : ordered_json(nullptr);
    object["diagnoses"] = list_json(account.diagnoses, diagnosis_json);
    object["warnings"] = value_json(info.warnings);
    return object;
}

}  // namespace

}  // namespace launchbox
