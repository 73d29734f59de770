// SPDX-License-Identifier: Apache-2.0
#include "report/capture/launches_report.hpp"
#include "report/core/json.hpp"
#include "report/kernels/limiter_ids.hpp"

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
    ordered_json all = ordered_json::array();
    for (const launch_finding& finding : launches.findings)
        all.push_back({{"id", finding.id},
                       {"text", finding.text},
                       {"verb", finding.verb},
                       {"step", json_text(finding.step)},
                       {"max_gain_ns", finding.max_gain_ns > 0 ? ordered_json(finding.max_gain_ns) : ordered_json()}});
    return all;
}

ordered_json launches_object(const observed_launches& of)
{
    const kernel_info& kernel = of.kernel;
    const bool is_clustered =
        of.key.cluster != decltype(of.key.cluster){} && of.key.cluster != decltype(of.key.cluster){1, 1, 1};
    ordered_json object{
        {"name", json_text(of.name)},
        {"demangled", json_text(of.demangled)},
        {"gpu", or_null(of.gpu)},
        {"grid", of.key.grid},
        {"block", of.key.block},
        {"cluster", is_clustered ? ordered_json(of.key.cluster) : ordered_json()},
        {"dynamic_shared_bytes", of.key.dynamic_shared_bytes},
        {"carveout_percent", of.key.carveout_percent < 0 ? ordered_json() : ordered_json(of.key.carveout_percent)},
        {"extended", of.key.extended != 0},
        {"in_graph", of.key.in_graph != 0},
        {"processes", of.processes},
        {"launches", of.count},
        {"total_ns", of.total_ns},
        {"median_ns", of.median_ns},
        {"median_of_sample", of.median_of_sample},
        {"min_ns", of.min_ns},
        {"max_ns", of.max_ns}};
    object["from_image"] = of.image_unknown.empty();
    object["image_unknown"] = text_or_null(of.image_unknown);
    object["architecture"] = text_or_null(kernel.architecture);
    object["registers"] = or_null(kernel.registers);
    object["spill_store_bytes"] = or_null(kernel.spill_store_bytes);
    object["spill_load_bytes"] = or_null(kernel.spill_load_bytes);
    object["shared_spill_store_bytes"] = or_null(kernel.shared_spill_store_bytes);
    object["shared_spill_load_bytes"] = or_null(kernel.shared_spill_load_bytes);
    object["optimisation"] = kernel.optimisation == code_optimisation::unknown
                                 ? ordered_json(nullptr)
                                 : ordered_json(optimisation_name(kernel.optimisation));
    object["stack_frame_bytes"] = or_null(kernel.stack_frame_bytes);
    object["static_shared_bytes"] = or_null(kernel.static_shared_bytes);
    object["barriers"] = or_null(kernel.barriers);
    object["max_threads"] = or_null(kernel.max_threads);
    object["min_blocks"] = or_null(kernel.min_blocks);
    object["occupancy"] = occupancy_of(of);
    object["waves"] = waves_json(of);
    object["sms_used"] = or_null(of.sms_used);
    object["findings"] = findings_json(of);
    return object;
}

ordered_json words_json(const std::vector<std::string>& words)
{
    ordered_json all = ordered_json::array();
    for (const std::string& word : words) all.push_back(json_text(word));
    return all;
}

}  // namespace

ordered_json launches_json(const observed_run& run)
{
    ordered_json json;
    json["schema"] = "launchbox.launches/1";
    json["command"] = words_json(run.command);
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
        json["processes"].push_back({{"process", process.process},
                                     {"command", words_json(process.command)},
                                     {"ended", process.ended},
                                     {"launches", process.launches},
                                     {"kernel_ns", process.kernel_ns}});
    json["unobserved_processes"] = run.unobserved;
    json["launches"] = run.count;
    json["unfinished_launches"] = run.untimed;
    json["kernel_ns"] = run.kernel_ns;
    json["span_ns"] = run.span_ns;
    json["kernels"] = ordered_json::array();
    for (const observed_launches& launches : run.launches) json["kernels"].push_back(launches_object(launches));
    json["warnings"] = words_json(run.warnings);
    return json;
}

}  // namespace launchbox
