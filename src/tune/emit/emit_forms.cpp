// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/emit_forms.hpp"

#include <fmt/format.h>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json gain_json(const std::optional<gain>& over)
{
    if (!over) return nullptr;
    return {{"times", over->times}, {"low", over->low}, {"high", over->high}};
}

ordered_json text_or_null(const std::string& text)
{
    return text.empty() ? ordered_json(nullptr) : ordered_json(escape_for_terminal(text));
}

ordered_json row_json(const emitted_row& row, const emit_record& record)
{
    const run_info& info = record.run.info;
    ordered_json workloads = ordered_json::array();
    for (const workload_gain& workload : row.choice.workloads)
        workloads.push_back({{"workload", json_of(workload.workload)},
                             {"weight", workload.weight},
                             {"gain", gain_json(workload.over)}});
    ordered_json throughput = ordered_json::array();
    for (const workload_rates& on : row.choice.rates) {
        throughput.push_back({{"workload", json_of(on.workload)}});
        for (const work_kind& kind : work_kinds) {
            if (const std::optional<double>& rate = on.per_second.*kind.amount)
                throughput.back()[kind.name_per_second] = *rate;
        }
    }
    return {{"architecture", text_or_null(info.environment.architecture)},
            {"parameters", json_of(row.choice.parameters)},
            {"kept", row.choice.kept},
            {"replaced", text_or_null(row.replaced)},
            {"gain", gain_json(row.choice.over)},
            {"loss", row.loss ? ordered_json(*row.loss) : ordered_json(nullptr)},
            {"workloads", workloads},
            {"throughput", throughput},
            {"verified", row.choice.verified},
            {"gpu", text_or_null(info.environment.gpu)},
            {"processor", text_or_null(info.environment.processor)},
            {"driver", text_or_null(info.environment.driver)},
            {"toolkit", text_or_null(info.environment.toolkit)},
            {"measured", text_or_null(info.started)},
            {"version", text_or_null(info.version)},
            {"record", record.path},
            {"record_hash", record.hash}};
}

void refuse_some_gpus(const header_row& row)
{
    if (!row.gpus.empty())
        throw error(
            fmt::format("the row of {} is for some GPUs only, which a plain table cannot express", place_text(row)),
            "use --format box, or a larger --within");
}

}  // namespace

std::string constexpr_header(const emitted_tables& emitted, const emit_settings& settings)
{
    const std::string type = settings.row_name();
    std::string text = "// Rows of " + settings.box +
                       ", written by launchbox emit --format constexpr: plain C++17, no CUDA needed.\n#pragma once\n\n"
                       "#include <cstdint>\n#include <optional>\n\n";
    if (settings.row_type.empty()) text += row_struct(emitted.fields, type, false) + "\n";
    text += "// clang-format off\n";
    for (const emitted_table& table : emitted.tables) {
        const std::string& name = table.table.name;
        text += "\n// " + table.table.text + "\nstruct " + name +
                "_entry {\n    int architecture;  // 90 for sm_90\n    " + type + " row;\n};\ninline constexpr " +
                name + "_entry " + name + "_rows[] = {\n";
        for (const header_row& row : table.table.rows) {
            if (row.architecture.variant != architecture_variant::plain)
                throw error(fmt::format("{} is only for one chip or family, which a plain number cannot express",
                                        architecture_name(row.architecture).view()),
                            "use --format box");
            refuse_some_gpus(row);
            for (const std::string& comment : row.comments) text += "    " + comment + "\n";
            text += fmt::format("    {{{}, {}{}}},\n", row.architecture.number(), type, row_text(row.values));
        }
        text +=
            "};\n\n// The newest row that is not newer than `architecture` (90 for sm_90); none where all are.\n"
            "constexpr std::optional<" +
            type + "> " + name + "_for(int architecture)\n{\n    const " + name +
            "_entry* found = nullptr;\n    for (const " + name + "_entry& each : " + name +
            "_rows)\n        if (each.architecture <= architecture) found = &each;\n"
            "    if (found == nullptr) return std::nullopt;\n    return found->row;\n}\n";
    }
    return text + "\n// clang-format on\n";
}

std::string define_flags(const emitted_tables& emitted)
{
    std::string text;
    for (const emitted_table& table : emitted.tables)
        for (std::size_t i = 0; i < table.table.rows.size(); ++i) {
            const header_row& row = table.table.rows[i];
            refuse_some_gpus(row);
            text += row.architecture == compute_capability{} ? "cpu" : architecture_name(row.architecture).view();
            for (std::size_t f = 0; f < emitted.fields.size(); ++f) {
                const std::optional<assignment>& values = table.values[i];
                if (!values) continue;
                const row_field& field = emitted.fields[f];
                std::string value = parameter_text(*values->find(field.parameter));
                if (field.what == row_field::kind::enumerator) value = identifier_of(value);
                text += " -D" + in_capitals(table.table.name) + "_" + in_capitals(field.name) + "=" + value;
            }
            text += "\n";
        }
    return text;
}

ordered_json rows_json(const emitted_tables& emitted, const std::vector<emit_record>& records,
                       const emit_settings& settings)
{
    ordered_json tables = ordered_json::array();
    for (const emitted_table& table : emitted.tables) {
        ordered_json rows = ordered_json::array();
        for (const emitted_row& row : table.rows) rows.push_back(row_json(row, records[row.record]));
        ordered_json predicted = ordered_json::array();
        for (const prediction& row : table.predicted)
            predicted.push_back({{"architecture", architecture_name(row.architecture).view()},
                                 {"parameters", json_of(row.parameters)},
                                 {"expected_share", row.share},
                                 {"candidates", row.candidates},
                                 {"verified", row.verified},
                                 {"gpus", row.gpus},
                                 {"records", row.records},
                                 {"compiled", text_or_null(row.compiled)}});
        const table_part& part = table.part;
        tables.push_back({{"name", table.table.name},
                          {"type_name", part.bytes ? text_or_null(part.type) : nullptr},
                          {"element_bytes", part.bytes ? ordered_json(*part.bytes) : nullptr},
                          {"size_name", part.above || part.upto ? text_or_null(part.size) : nullptr},
                          {"above", part.above ? ordered_json(*part.above) : nullptr},
                          {"upto", part.upto ? ordered_json(*part.upto) : nullptr},
                          {"rows", rows},
                          {"predicted", predicted}});
    }
    return {{"schema", "launchbox.rows/1"},
            {"box", settings.box},
            {"name", escape_for_terminal(records.front().run.info.name)},
            {"tables", tables}};
}

}  // namespace launchbox
