// `inspect --summary` for programs: JSON and CSV.
// SPDX-License-Identifier: Apache-2.0

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/kernels_json.hpp"
#include "report/kernels/summary_report.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

// A sum is unknown if none of its kernels has a value; PTX never has one.
struct known_sums {
    std::optional<std::int64_t> code_bytes, spill_store_bytes, spill_load_bytes, shared_spill_store_bytes,
        shared_spill_load_bytes;
    std::optional<std::size_t> spilling;
};

known_sums sums_of(const architecture_summary& sum)
{
    known_sums known;
    if (sum.kind == "PTX" || sum.kernels == 0) return known;
    if (sum.code_unknown < sum.kernels) known.code_bytes = sum.code_bytes;
    if (sum.spills_unknown < sum.kernels) {
        known.spilling = sum.spilling;
        known.spill_store_bytes = sum.spill_store_bytes;
        known.spill_load_bytes = sum.spill_load_bytes;
        known.shared_spill_store_bytes = sum.shared_spill_store_bytes;
        known.shared_spill_load_bytes = sum.shared_spill_load_bytes;
    }
    return known;
}

ordered_json architecture_json(const architecture_summary& sum)
{
    const known_sums known = sums_of(sum);
    const bool binary = !sum.kind.empty();
    return {{"architecture", text_or_null(sum.architecture)},
            {"image", text_or_null(sum.kind)},
            {"relocatable", sum.relocatable},
            {"linked", sum.linked},
            {"images", binary ? ordered_json(sum.images) : ordered_json(nullptr)},
            {"stored_bytes", binary ? ordered_json(sum.stored_bytes) : ordered_json(nullptr)},
            {"bytes", binary ? ordered_json(sum.bytes) : ordered_json(nullptr)},
            {"kernels", sum.kernels},
            {"unique_kernels", sum.unique_kernels},
            {"code_bytes", or_null(known.code_bytes)},
            {"code_unknown", sum.code_unknown},
            {"spilling", or_null(known.spilling)},
            {"spills_unknown", sum.spills_unknown},
            {"spills_at_least", sum.spills_at_least},
            {"spill_store_bytes", or_null(known.spill_store_bytes)},
            {"spill_load_bytes", or_null(known.spill_load_bytes)},
            {"largest_registers", or_null(sum.largest_registers)},
            {"shared_spill_store_bytes", or_null(known.shared_spill_store_bytes)},
            {"shared_spill_load_bytes", or_null(known.shared_spill_load_bytes)}};
}

ordered_json repeated_json(const std::vector<repeated_kernel>& kernels, const char* times, bool with_bytes)
{
    ordered_json list = ordered_json::array();
    for (const repeated_kernel& kernel : kernels) {
        ordered_json entry{{"short_name", json_text(kernel.short_form)},
                           {"architecture", text_or_null(kernel.architecture)},
                           {times, kernel.times}};
        if (with_bytes) entry["extra_code_bytes"] = or_null(kernel.bytes);
        list.push_back(std::move(entry));
    }
    return list;
}

}  // namespace

nlohmann::ordered_json summary_json(const std::vector<summarized_input>& inputs)
{
    ordered_json json;
    json["schema"] = "launchbox.summary/1";
    json["inputs"] = ordered_json::array();
    for (const auto& [input, summary] : inputs) {
        ordered_json object = inputs_json({input})[0];
        object["kernels"] = summary.kernels;
        object["unique_kernels"] = summary.unique_kernels;
        object["only_ptx"] = summary.only_ptx;
        object["architectures"] = list_json(summary.architectures, architecture_json);
        object["toolkits"] = ordered_json::array();
        for (const auto& [version, kernels] : summary.toolkits)
            object["toolkits"].push_back({{"toolkit", toolkit_name(version)}, {"kernels", kernels}});
        object["toolkit_unknown"] = summary.toolkit_unknown;
        object["copies"] = repeated_json(summary.copies, "copies", true);
        object["differing"] = repeated_json(summary.differing, "codes", false);
        object["code_not_compared"] = summary.code_not_compared;
        object["ptx"] = list_json(summary.ptx, [](const ptx_summary& ptx) { return json_text(ptx.architecture); });
        object["runs_on"] = nullptr;
        if (!summary.gpus.empty()) {
            ordered_json gpus = ordered_json::array();
            for (const gpu_support& gpu : summary.gpus)
                gpus.push_back({{"compute_capability", compute_capability_name(gpu.gpu).view()},
                                {"by_cubin", gpu.by_cubin},
                                {"by_ptx", gpu.by_ptx}});
            object["runs_on"] = {
                {"kernels", summary.runnable}, {"gpus", std::move(gpus)}, {"later_gpus_by_ptx", summary.on_later_gpus}};
        }
        json["inputs"].push_back(std::move(object));
    }
    return json;
}

table summary_table(const std::vector<summarized_input>& inputs)
{
    table rows{{{"file"}, {"kind"}}, {}};
    const ordered_json names = architecture_json({});
    for (const auto& [name, value] : names.items()) rows.columns.push_back({name});
    for (const auto& [input, summary] : inputs)
        for (const architecture_summary& sum : summary.architectures) {
            // The JSON values as cells, with nothing for null.
            std::vector<cell> row{escape_for_terminal(input.file), input.kind};
            for (const auto& value : architecture_json(sum)) row.emplace_back(json_cell(value));
            rows.rows.push_back(std::move(row));
        }
    return rows;
}

}  // namespace launchbox
