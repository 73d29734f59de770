#include "report/kernels_json.hpp"

#include <fmt/format.h>

#include "report/json.hpp"
#include "report/kernel_cells.hpp"
#include "report/occupancy_report.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json inputs_with_diagnoses_json(const std::vector<inspected_input>& inputs);

ordered_json selection_json(const inspection& found);

ordered_json kernel_json(const inspected_kernel& kernel, const kernel_account& account);

}  // namespace

kernels_json_writer::kernels_json_writer(const inspection& found, std::ostream& out) : json_(out)
{
    json_.member("schema", "launchbox.kernels/1");
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

std::string kernels_csv_header()
{
    return csv_line({"file",
                     "name",
                     "demangled",
                     "architecture",
                     "registers",
                     "spill_store_bytes",
                     "spill_load_bytes",
                     "stack_frame_bytes",
                     "cumulative_stack_bytes",
                     "static_shared_bytes",
                     "constant_bytes",
                     "parameter_bytes",
                     "barriers",
                     "max_threads",
                     "min_blocks",
                     "register_cap",
                     "code_bytes",
                     "threads",
                     "resident_blocks",
                     "occupancy",
                     "limiters",
                     "next_step",
                     "diagnoses"});
}

std::string kernel_csv_line(const inspected_kernel& kernel, const kernel_account& account)
{
    const auto text = [](const auto& value) { return value ? std::to_string(*value) : std::string(); };
    const kernel_info& info = kernel.info;
    std::int64_t constants = 0;
    for (const constant_bank& bank : info.constant_banks) constants += bank.bytes;
    std::vector<cell> row{escape_for_terminal(info.source.file),
                          escape_for_terminal(info.name),
                          escape_for_terminal(kernel.demangled),
                          escape_for_terminal(info.architecture),
                          text(info.registers),
                          text(info.spill_store_bytes),
                          text(info.spill_load_bytes),
                          text(info.stack_frame_bytes),
                          text(info.cumulative_stack_bytes),
                          text(info.static_shared_bytes),
                          info.constant_banks.empty() ? "" : std::to_string(constants),
                          text(info.parameter_bytes),
                          text(info.barriers),
                          text(bound_threads(info)),
                          text(info.min_blocks),
                          text(info.register_cap),
                          text(info.code_bytes)};
    std::string limiters, ids;
    for (const diagnosis& finding : account.diagnoses) ids += (ids.empty() ? "" : " ") + finding.id;
    if (account.occupancy) {
        for (const limit_account& limit : account.occupancy->limits)
            if (limit.limiting) limiters += (limiters.empty() ? "" : " ") + limit.name;
        row.emplace_back(std::to_string(account.occupancy->question.shape.threads));
        row.emplace_back(std::to_string(account.occupancy->result.resident_blocks));
        row.emplace_back(fmt::format("{:.6g}", account.occupancy->result.occupancy()));
        row.emplace_back(limiters);
        row.emplace_back(account.occupancy->next ? account.occupancy->next->text : "");
    } else {
        for (int i = 0; i < 5; ++i) row.emplace_back("");
    }
    row.emplace_back(ids);
    return csv_line(row);
}

nlohmann::ordered_json inputs_json(const std::vector<inspected_input>& inputs)
{
    ordered_json json = ordered_json::array();
    for (const inspected_input& input : inputs) {
        ordered_json errors = ordered_json::array();
        for (const std::string& each : input.errors) errors.push_back(json_text(each));
        json.push_back({{"file", json_text(input.file)},
                        {"kind", input.kind},
                        {"kernels", input.kernels},
                        {"errors", std::move(errors)}});
    }
    return json;
}

namespace {

const char* severity_name(severity level)
{
    return level == severity::problem ? "problem" : level == severity::warning ? "warning" : "note";
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
            ordered_json each = diagnosis_json(finding);
            each["file"] = finding.place ? ordered_json(json_text(finding.place->file)) : ordered_json(nullptr);
            each["line"] = finding.place ? ordered_json(finding.place->line) : ordered_json(nullptr);
            json[i]["diagnoses"].push_back(std::move(each));
        }
    }
    return json;
}

ordered_json selection_json(const inspection& found)
{
    return {{"spilling", found.wish.spilling},
            {"spills_unknown", found.selection.spills_unknown},
            {"sorted_by", found.wish.sort ? ordered_json(sort_key_name(*found.wish.sort)) : ordered_json(nullptr)},
            {"not_shown", found.selection.not_shown}};
}

ordered_json kernel_json(const inspected_kernel& kernel, const kernel_account& account)
{
    const kernel_info& info = kernel.info;
    ordered_json each;
    each["name"] = json_text(info.name);
    each["demangled"] = json_text(kernel.demangled);
    each["short_name"] = json_text(kernel.short_form);
    each["architecture"] =
        info.architecture.empty() ? ordered_json(nullptr) : ordered_json(json_text(info.architecture));
    each["source"] = {
        {"file", json_text(info.source.file)},
        {"container", json_text(info.source.container)},
        {"entry", info.source.entry.empty() ? ordered_json(nullptr) : ordered_json(json_text(info.source.entry))}};
    each["registers"] = or_null(info.registers);
    each["spill_store_bytes"] = or_null(info.spill_store_bytes);
    each["spill_load_bytes"] = or_null(info.spill_load_bytes);
    each["stack_frame_bytes"] = or_null(info.stack_frame_bytes);
    each["cumulative_stack_bytes"] = or_null(info.cumulative_stack_bytes);
    each["static_shared_bytes"] = or_null(info.static_shared_bytes);
    each["reserved_shared_bytes"] = or_null(info.reserved_shared_bytes);
    each["constant_bytes"] = nullptr;
    if (!info.constant_banks.empty()) {
        each["constant_bytes"] = ordered_json::object();
        for (const constant_bank& bank : info.constant_banks)
            each["constant_bytes"][std::to_string(bank.bank)] = bank.bytes;
    }
    each["parameter_bytes"] = or_null(info.parameter_bytes);
    each["barriers"] = or_null(info.barriers);
    each["max_threads"] = or_null(info.max_threads);
    each["required_threads"] = or_null(info.required_threads);
    each["min_blocks"] = or_null(info.min_blocks);
    each["min_blocks_inferred"] = info.min_blocks_inferred;
    each["register_cap"] = or_null(info.register_cap);
    each["requested_max_registers"] = or_null(info.requested_max_registers);
    each["cluster"] = or_null(info.cluster);
    each["max_cluster_blocks"] = or_null(info.max_cluster_blocks);
    each["code_bytes"] = or_null(info.code_bytes);
    each["code_hash"] = info.code_hash ? ordered_json(fmt::format("{:016x}", *info.code_hash)) : ordered_json(nullptr);
    each["toolkit"] = info.toolkit_version ? ordered_json(toolkit_name(*info.toolkit_version)) : ordered_json(nullptr);
    each["virtual_architecture"] =
        info.virtual_architecture.empty() ? ordered_json(nullptr) : ordered_json(json_text(info.virtual_architecture));
    each["features"] = info.features.names();
    each["written_at"] = nullptr;
    if (info.written_at)
        each["written_at"] = {{"file", json_text(info.written_at->file)}, {"line", info.written_at->line}};
    each["relocatable"] = info.relocatable;
    each["linked"] = info.linked;
    each["stack_unbounded"] = info.stack_unbounded;
    each["callees"] = ordered_json::array();
    for (const callee_info& callee : info.callees)
        each["callees"].push_back({{"name", json_text(callee.name)},
                                   {"stack_frame_bytes", or_null(callee.stack_frame_bytes)},
                                   {"spill_store_bytes", or_null(callee.spill_store_bytes)},
                                   {"spill_load_bytes", or_null(callee.spill_load_bytes)}});
    each["occupancy"] = account.occupancy ? account_json(*account.occupancy) : ordered_json(nullptr);
    each["diagnoses"] = ordered_json::array();
    for (const diagnosis& finding : account.diagnoses) each["diagnoses"].push_back(diagnosis_json(finding));
    each["errors"] = ordered_json::array();
    for (const std::string& warning : info.warnings) each["errors"].push_back(json_text(warning));
    return each;
}

}  // namespace

}  // namespace launchbox
