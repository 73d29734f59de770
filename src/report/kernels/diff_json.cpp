// `inspect --diff` for programs: JSON and CSV, one kernel at a time.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <ostream>

#include "report/core/json.hpp"
#include "report/core/json_stream.hpp"
#include "report/kernels/diff_report.hpp"
#include "report/kernels/kernels_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr const char* figure_names[] = {"occupancy", "spills",   "shared_spills", "registers", "stack",
                                        "shared",    "barriers", "bounds",        "code"};
constexpr const char* verdict_names[] = {"worse", "better", "changed"};

ordered_json counts_json(const kernel_diff& diff);
ordered_json kernel_json(const inspected_kernel& kernel);
ordered_json figures_json(const inspected_kernel& kernel);
ordered_json change_json(const kernel_change& change);
std::vector<const kernel_change*> all_of(const shown_diff& shown);

}  // namespace

void write_diff_json(const diff_inputs& inputs, const kernel_diff& diff, std::optional<std::size_t> top,
                     std::ostream& out)
{
    const shown_diff shown = shown_of(diff, top);
    json_object_stream json(out);
    json.member("schema", "launchbox.diff/1");
    json.member("before", inputs_json(inputs.before));
    json.member("after", inputs_json(inputs.after));
    json.member("counts", counts_json(diff));
    json.member("not_shown", shown.not_shown);
    json.begin_array("changes");
    for (const kernel_change* change : all_of(shown)) json.element(change_json(*change));
    json.end_array();
    for (const auto& [name, kernels] :
         {std::pair("appeared", &shown.appeared), std::pair("vanished", &shown.vanished)}) {
        json.begin_array(name);
        for (const inspected_kernel* kernel : *kernels) {
            ordered_json object = kernel_json(*kernel);
            object["figures"] = figures_json(*kernel);
            json.element(object);
        }
        json.end_array();
    }
    json.finish();
}

void write_diff_csv(const kernel_diff& diff, std::optional<std::size_t> top, std::ostream& out)
{
    const ordered_json names = figures_json({});
    std::vector<cell> header{"verdict", "decided_by", "copies", "name", "demangled", "architecture"};
    for (const auto& [name, value] : names.items()) {
        header.emplace_back(name + "_before");
        header.emplace_back(name + "_after");
    }
    out << csv_line(header);
    const auto text = [](const ordered_json& value) {
        return value.is_null() ? std::string() : value.is_string() ? value.get<std::string>() : value.dump();
    };
    const auto put = [&](const char* verdict, const char* decided_by, std::size_t copies,
                         const inspected_kernel* before, const inspected_kernel* after) {
        const inspected_kernel& any = after != nullptr ? *after : *before;
        std::vector<cell> row{verdict,
                              decided_by,
                              std::to_string(copies),
                              escape_for_terminal(any.info.name),
                              escape_for_terminal(any.info.demangled),
                              escape_for_terminal(any.info.architecture)};
        const ordered_json a = before != nullptr ? figures_json(*before) : names;
        const ordered_json b = after != nullptr ? figures_json(*after) : names;
        for (const auto& [name, value] : names.items()) {
            row.emplace_back(text(a[name]));
            row.emplace_back(text(b[name]));
        }
        out << csv_line(row);
    };
    const shown_diff shown = shown_of(diff, top);
    for (const kernel_change* change : all_of(shown))
        put(verdict_names[static_cast<int>(change->verdict)], figure_names[static_cast<int>(change->decided_by)],
            change->copies, change->before, change->after);
    for (const inspected_kernel* kernel : shown.appeared) put("new", "", 1, nullptr, kernel);
    for (const inspected_kernel* kernel : shown.vanished) put("gone", "", 1, kernel, nullptr);
}

namespace {

ordered_json counts_json(const kernel_diff& diff)
{
    std::size_t counts[3] = {};
    for (const kernel_change& change : diff.changes) counts[static_cast<std::size_t>(change.verdict)] += change.copies;
    return {{"compared", diff.compared},
            {"worse", counts[0]},
            {"better", counts[1]},
            {"changed", counts[2]},
            {"unchanged", diff.unchanged},
            {"unchanged_with_other_code", diff.code_changed},
            {"unchanged_with_unknown_code", diff.code_unknown},
            {"not_comparable", diff.not_comparable},
            {"appeared", diff.appeared.size()},
            {"vanished", diff.vanished.size()},
            {"renamed", diff.renamed},
            {"renumbered", diff.renumbered},
            {"copies_appeared", diff.copies_appeared},
            {"copies_vanished", diff.copies_vanished}};
}

ordered_json kernel_json(const inspected_kernel& kernel)
{
    const kernel_info& info = kernel.info;
    return {{"name", json_text(info.name)},
            {"demangled", json_text(kernel.info.demangled)},
            {"short_name", json_text(kernel.info.short_form)},
            {"architecture", text_or_null(info.architecture)}};
}

ordered_json figures_json(const inspected_kernel& kernel)
{
    const kernel_info& info = kernel.info;
    const auto& residency = kernel.residency;
    const bool known = residency && !residency->at_most;
    ordered_json json;
    json["threads"] = residency ? ordered_json(residency->threads) : ordered_json(nullptr);
    json["resident_blocks"] = known ? ordered_json(residency->result.resident_blocks) : ordered_json(nullptr);
    json["occupancy"] = known ? ordered_json(residency->result.occupancy()) : ordered_json(nullptr);
    json["registers"] = or_null(info.figures.registers);
    json["spill_store_bytes"] = or_null(info.figures.spill_store_bytes);
    json["spill_load_bytes"] = or_null(info.figures.spill_load_bytes);
    const std::optional<spill_range> range = spill_range_of(info);
    json["min_spill_bytes"] = range ? ordered_json(range->min_bytes()) : ordered_json(nullptr);
    json["shared_spill_store_bytes"] = or_null(info.figures.shared_spill_store_bytes);
    json["shared_spill_load_bytes"] = or_null(info.figures.shared_spill_load_bytes);
    json["stack_frame_bytes"] = or_null(info.figures.stack_frame_bytes);
    json["cumulative_stack_bytes"] = or_null(info.figures.cumulative_stack_bytes);
    json["static_shared_bytes"] = or_null(info.figures.static_shared_bytes);
    json["barriers"] = or_null(info.figures.barriers);
    json["bound_threads"] = or_null(bound_threads(info));
    json["min_blocks"] = or_null(info.bounds.min_blocks);
    json["code_bytes"] = or_null(info.figures.code_bytes);
    json["code_hash"] =
        info.figures.code_hash ? ordered_json(fmt::format("{:016x}", *info.figures.code_hash)) : ordered_json(nullptr);
    return json;
}

ordered_json change_json(const kernel_change& change)
{
    ordered_json json{{"verdict", verdict_names[static_cast<int>(change.verdict)]},
                      {"decided_by", figure_names[static_cast<int>(change.decided_by)]},
                      {"copies", change.copies}};
    json.update(kernel_json(*change.after));
    json["before"] = figures_json(*change.before);
    json["after"] = figures_json(*change.after);
    return json;
}

std::vector<const kernel_change*> all_of(const shown_diff& shown)
{
    std::vector<const kernel_change*> all = shown.worse;
    all.insert(all.end(), shown.better.begin(), shown.better.end());
    all.insert(all.end(), shown.changed.begin(), shown.changed.end());
    return all;
}

}  // namespace

}  // namespace launchbox
