// SPDX-License-Identifier: Apache-2.0
#include "report/capture/launches_report.hpp"
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/occupancy/limiter_ids.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json waves_json(const observed_launches& launches)
{
    if (!launches.account || !launches.account->waves) return nullptr;
    const wave_account& waves = *launches.account->waves;
    return {{"waves", waves.waves},
            {"blocks_per_wave", waves.blocks_per_wave},
            {"tail_blocks", waves.tail_blocks},
            {"efficiency", waves.efficiency}};
}

ordered_json occupancy_of(const observed_launches& launches)
{
    if (!launches.account) return nullptr;
    const occupancy_result& result = launches.account->result;
    return {{"resident_blocks", result.resident_blocks},
            {"resident_warps", result.resident_warps},
            {"occupancy", result.occupancy()},
            {"limiters", limiter_ids(result)}};
}

ordered_json findings_json(const observed_launches& launches)
{
    return list_json(launches.findings, [](const launch_finding& finding) -> ordered_json {
        return {{"id", finding.id},
                {"text", finding.text},
                {"verb", finding.verb},
                {"step", json_text(finding.step)},
                {"max_gain_ns", finding.max_gain_ns > 0 ? ordered_json(finding.max_gain_ns) : ordered_json()}};
    });
}

ordered_json launches_object(const observed_launches& of)
{
    using record::cooperative_state;
    const kernel_info& kernel = of.kernel;
    const bool is_clustered =
        of.key.cluster != decltype(of.key.cluster){} && of.key.cluster != decltype(of.key.cluster){1, 1, 1};
    const bool is_known = of.key.cooperative != cooperative_state::unknown;
    ordered_json object{
        {"name", json_text(of.name)},
        {"demangled", json_text(of.demangled)},
        {"gpu", or_null(of.gpu)},
        {"grid", of.key.grid},
        {"block", of.key.block},
        {"cluster", is_clustered ? ordered_json(of.key.cluster) : ordered_json()},
        {"dynamic_shared_bytes", of.key.dynamic_shared_bytes},
        {"carveout_percent", of.key.carveout_percent < 0 ? ordered_json() : ordered_json(of.key.carveout_percent)},
        {"cooperative", is_known ? ordered_json(of.key.cooperative == cooperative_state::yes) : ordered_json()},
        {"extended", of.key.extended != 0},
        {"in_graph", of.key.in_graph != 0}};
    add_members(object, of, fields_of(of));
    object["from_image"] = of.image_unknown.empty();
    object["image_unknown"] = text_or_null(of.image_unknown);
    object["architecture"] = text_or_null(kernel.architecture);
    add_members(object, kernel, launched_figures(kernel));
    object["occupancy"] = occupancy_of(of);
    object["waves"] = waves_json(of);
    object["sms_used"] = or_null(of.sms_used);
    object["findings"] = findings_json(of);
    return object;
}

}  // namespace

table launches_table(const observed_run& run)
{
    ordered_json rows = ordered_json::array();
    for (const observed_launches& of : run.launches) {
        ordered_json row = launches_object(of);
        row["findings"] = list_json(of.findings, [](const launch_finding& finding) { return finding.id; });
        row["cluster"] = of.key.cluster;
        if (row["cooperative"].is_boolean())
            row["cooperative"] = of.key.cooperative == record::cooperative_state::yes ? "yes" : "no";
        row["extended"] = of.key.extended != 0 ? "yes" : "no";
        row["in_graph"] = of.key.in_graph != 0 ? "yes" : "no";
        rows.push_back(std::move(row));
    }
    constexpr int digits_of_times = 9;
    return json_table({{"kernel", "/demangled"},
                       {"gpu"},
                       {"grid_x", "/grid/0"},
                       {"grid_y", "/grid/1"},
                       {"grid_z", "/grid/2"},
                       {"block_x", "/block/0"},
                       {"block_y", "/block/1"},
                       {"block_z", "/block/2"},
                       {"cluster_x", "/cluster/0"},
                       {"cluster_y", "/cluster/1"},
                       {"cluster_z", "/cluster/2"},
                       {"static_shared_bytes"},
                       {"dynamic_shared_bytes"},
                       {"carveout_percent"},
                       {"cooperative"},
                       {"extended"},
                       {"in_graph"},
                       {"processes"},
                       {"launches"},
                       {"total_ns", nullptr, digits_of_times},
                       {"median_ns", nullptr, digits_of_times},
                       {"min_ns", nullptr, digits_of_times},
                       {"max_ns", nullptr, digits_of_times},
                       {"registers"},
                       {"spill_store_bytes"},
                       {"spill_load_bytes"},
                       {"stack_frame_bytes"},
                       {"resident_blocks", "/occupancy/resident_blocks"},
                       {"occupancy", "/occupancy/occupancy"},
                       {"limiters", "/occupancy/limiters"},
                       {"waves", "/waves/waves"},
                       {"sms_used"},
                       {"findings"},
                       {"shared_spill_store_bytes"},
                       {"shared_spill_load_bytes"}},
                      rows);
}

ordered_json launches_json(const observed_run& run)
{
    ordered_json json;
    json["schema"] = "launchbox.launches/1";
    json["command"] = value_json(run.command);
    json["status"] = run.ending.status;
    json["signal"] = run.ending.signal == 0 ? ordered_json() : ordered_json(run.ending.signal);
    json["seconds"] = run.ending.seconds;
    json["cupti_version"] = or_null(run.cupti_version);
    json["driver_version"] = or_null(run.driver_version);
    json["gpus"] = ordered_json::array();
    for (const observed_gpu& gpu : run.gpus)
        json["gpus"].push_back({{"name", json_text(gpu.name)},
                                {"architecture", architecture_name(gpu.capability).view()},
                                {"sms", gpu.sms}});
    json["processes"] = ordered_json::array();
    for (const observed_process& process : run.processes)
        add_members(json["processes"].emplace_back(), process, fields_of(process));
    add_members(json, run, fields_of(run));
    json["kernels"] = list_json(run.launches, launches_object);
    json["warnings"] = value_json(run.warnings);
    return json;
}

}  // namespace launchbox
