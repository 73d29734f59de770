// Output of `occupancy` for programs: JSON, and the table for CSV.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/occupancy/occupancy_report.hpp"
#include "report/occupancy/rules_report.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

ordered_json kernel_json(const occupancy_question& question);
ordered_json limits_json(const std::vector<limit_account>& limits);
ordered_json limiters_json(const std::vector<limit_account>& limits);
ordered_json allowances_json(const std::vector<allowance_account>& allowances);
ordered_json next_step_json(const std::optional<next_step>& next);
ordered_json waves_json(const std::optional<wave_account>& waves);
ordered_json clusters_json(const std::optional<cluster_account>& clusters);
ordered_json curves_json(const std::vector<occupancy_curve>& curves);

}  // namespace

nlohmann::ordered_json occupancy_json(const std::vector<occupancy_account>& accounts)
{
    return {{"schema", "launchbox.occupancy/1"}, {"results", list_json(accounts, account_json)}};
}

nlohmann::ordered_json account_json(const occupancy_account& account)
{
    const occupancy_question& q = account.question;
    const occupancy_result& result = account.result;
    ordered_json json;
    json["architecture"] = architecture_name(q.architecture).view();
    json["gpu"] = text_or_null(q.gpu);
    json["sms"] = or_null(q.sms);
    json["mode"] = q.settings.mode == model_mode::driver ? "driver" : "spreadsheet";
    json["kernel"] = kernel_json(q);
    json["shape"] = {{"threads", q.shape.threads},
                     {"dynamic_shared_bytes",
                      q.dynamic_shared_known ? ordered_json(q.shape.dynamic_shared_bytes) : ordered_json(nullptr)},
                     {"cluster_blocks", q.shape.cluster_blocks}};
    json["at_most"] = q.at_most();
    json["resident_blocks"] = result.resident_blocks;
    json["resident_warps"] = result.resident_warps;
    json["warp_slots"] = result.warp_slots;
    json["occupancy"] = result.occupancy();
    json["obstacle"] = text_or_null(account.obstacle);
    json["limits"] = limits_json(account.limits);
    json["limiters"] = limiters_json(account.limits);
    json["thresholds"] = allowances_json(account.thresholds);
    json["slack"] = allowances_json(account.slack);
    json["next_step"] = next_step_json(account.next);
    json["grid_obstacle"] = text_or_null(account.grid_obstacle);
    json["waves"] = waves_json(account.waves);
    json["clusters"] = clusters_json(account.clusters);
    json["notes"] = account.notes;
    if (!account.curves.empty()) json["curves"] = curves_json(account.curves);
    if (!account.rules.empty()) json["rules"] = rules_json(account.rules);
    return json;
}

table occupancy_table(const std::vector<occupancy_account>& accounts)
{
    ordered_json rows = occupancy_json(accounts)["results"];
    for (ordered_json& row : rows)
        if (row.contains("rules")) row["rules_broken"] = broken_rules_json(row["rules"]);
    table figures = json_table({{"architecture"},
                                {"kernel", "/kernel/name"},
                                {"mode"},
                                {"threads", "/shape/threads"},
                                {"registers", "/kernel/registers"},
                                {"static_shared_bytes", "/kernel/static_shared_bytes"},
                                {"dynamic_shared_bytes", "/shape/dynamic_shared_bytes"},
                                {"barriers", "/kernel/barriers"},
                                {"resident_blocks"},
                                {"resident_warps"},
                                {"warp_slots"},
                                {"occupancy"},
                                {"limit_warps", "/limits/warps/blocks"},
                                {"limit_blocks", "/limits/blocks/blocks"},
                                {"limit_registers", "/limits/registers/blocks"},
                                {"limit_shared", "/limits/shared/blocks"},
                                {"limit_barriers", "/limits/barriers/blocks"},
                                {"limiters"},
                                {"next_step", "/next_step/text"},
                                {"obstacle"},
                                {"at_most"},
                                {"rules_broken"}},
                               rows);
    if (std::none_of(accounts.begin(), accounts.end(),
                     [](const occupancy_account& account) { return !account.rules.empty(); })) {
        figures.columns.pop_back();
        for (std::vector<cell>& row : figures.rows) row.pop_back();
    }
    return figures;
}

namespace {

ordered_json kernel_json(const occupancy_question& q)
{
    return {
        {"name", text_or_null(q.kernel)},
        {"registers", q.registers_known ? ordered_json(q.resources.registers) : ordered_json(nullptr)},
        {"static_shared_bytes", q.shared_known ? ordered_json(q.resources.static_shared_bytes) : ordered_json(nullptr)},
        {"local_bytes", q.resources.local_bytes},
        {"barriers", q.barriers_known ? ordered_json(q.resources.barriers) : ordered_json(nullptr)},
        {"max_threads", q.resources.max_threads}};
}

ordered_json limits_json(const std::vector<limit_account>& limits)
{
    ordered_json json = ordered_json::object();
    for (const limit_account& limit : limits) {
        ordered_json steps = ordered_json::array();
        for (const account_step& step : limit.steps)
            steps.push_back({{"name", step.name}, {"value", step.value}, {"lost", step.lost}, {"text", step.how}});
        json[limit.name] = {{"blocks", or_null(limit.blocks)}, {"steps", std::move(steps)}};
    }
    if (!json.contains("clusters")) json["clusters"] = {{"blocks", nullptr}, {"steps", ordered_json::array()}};
    return json;
}

ordered_json limiters_json(const std::vector<limit_account>& limits)
{
    ordered_json json = ordered_json::array();
    for (const limit_account& limit : limits)
        if (limit.limiting) json.push_back(limit.name);
    return json;
}

ordered_json allowances_json(const std::vector<allowance_account>& allowances)
{
    ordered_json json = ordered_json::array();
    for (const allowance_account& allowance : allowances)
        json.push_back({{"resource", allowance.name},
                        {"now", allowance.now},
                        {"at_most", or_null(allowance.at_most)},
                        {"blocks", allowance.blocks},
                        {"satisfied", allowance.satisfied()}});
    return json;
}

ordered_json next_step_json(const std::optional<next_step>& next)
{
    if (!next) return nullptr;
    ordered_json changes = ordered_json::array();
    for (const resource_change& change : next->changes)
        changes.push_back({{"resource", change.name}, {"from", change.from}, {"to", change.to}});
    return {{"text", next->text},
            {"changes", std::move(changes)},
            {"resident_blocks", next->blocks},
            {"occupancy", next->occupancy}};
}

ordered_json waves_json(const std::optional<wave_account>& waves)
{
    if (!waves) return nullptr;
    return {{"grid", waves->grid},
            {"blocks_per_wave", waves->blocks_per_wave},
            {"waves", waves->waves},
            {"full_waves", waves->full_waves},
            {"tail_blocks", waves->tail_blocks},
            {"efficiency", waves->efficiency}};
}

ordered_json clusters_json(const std::optional<cluster_account>& clusters)
{
    if (!clusters) return nullptr;
    return {{"cluster_blocks", clusters->cluster_blocks},
            {"estimate", or_null(clusters->clusters.expected)},
            {"low", clusters->clusters.low},
            {"high", clusters->clusters.high},
            {"gpcs_known", clusters->gpcs_known},
            {"settled_by", "cudaOccupancyMaxActiveClusters"}};
}

ordered_json curves_json(const std::vector<occupancy_curve>& curves)
{
    ordered_json json = ordered_json::object();
    for (const occupancy_curve& curve : curves) {
        ordered_json points = ordered_json::array();
        for (const auto& point : curve.points) points.push_back({point.value, point.warps});
        json[curve.name] = std::move(points);
    }
    return json;
}

}  // namespace

}  // namespace launchbox
