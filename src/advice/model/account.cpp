// SPDX-License-Identifier: Apache-2.0
#include "advice/model/account.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advice/model/limit_steps.hpp"
#include "advice/model/occupancy_curves.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::vector<allowance_account> allowances(const occupancy_question& q, const resource_allowance& allowed)
{
    const auto entry = [&](const char* name, std::int64_t now, std::optional<std::int64_t> at_most) {
        return allowance_account{name, now, at_most, allowed.blocks};
    };
    if (allowed.blocks < 1 || allowed.blocks > q.limits->blocks_per_sm) return {};
    std::vector<allowance_account> result;
    result.push_back(entry("threads", q.shape.threads, allowed.threads));
    result.push_back(entry("registers", q.resources.registers, allowed.registers));
    result.push_back(
        entry("shared", q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes, allowed.shared_bytes));
    if (q.limits->barriers_per_sm) result.push_back(entry("barriers", q.resources.barriers, allowed.barriers));
    return result;
}

std::optional<wave_account> waves_of(const occupancy_question& q, const occupancy_result& result)
{
    if (!q.grid || !q.sms || result.resident_blocks == 0) return std::nullopt;
    wave_account waves{.grid = *q.grid, .blocks_per_wave = std::int64_t{result.resident_blocks} * *q.sms};
    waves.full_waves = waves.grid / waves.blocks_per_wave;
    waves.tail_blocks = waves.grid % waves.blocks_per_wave;
    waves.waves = static_cast<double>(waves.grid) / static_cast<double>(waves.blocks_per_wave);
    const std::int64_t held = (waves.full_waves + (waves.tail_blocks > 0 ? 1 : 0)) * waves.blocks_per_wave;
    waves.efficiency = held == 0 ? 0 : static_cast<double>(waves.grid) / static_cast<double>(held);
    return waves;
}

std::optional<cluster_account> clusters_of(const occupancy_question& q, const occupancy_result& result)
{
    const int blocks = q.shape.cluster_blocks;
    if (blocks < 2 || (q.gpcs.empty() && !q.sms)) return std::nullopt;
    if (result.obstacle != launch_obstacle::none || q.settings.mode == model_mode::spreadsheet) return std::nullopt;
    return cluster_account{blocks,
                           q.gpcs.empty() ? estimate_clusters(*q.limits, *q.sms, blocks, result.resident_blocks)
                                          : estimate_clusters(q.gpcs, blocks, result.resident_blocks),
                           !q.gpcs.empty()};
}

std::string grid_obstacle_of(const occupancy_question& q)
{
    if (!q.grid) return "";
    const std::array<int, 3> limits = max_grid_dimensions(q.limits->capability);
    const std::string here =
        std::string("on compute capability ") + std::string(compute_capability_name(q.limits->capability).view());
    for (std::size_t i = 0; i < 3; ++i)
        if (q.grid_dimensions[i] > limits[i])
            return fmt::format("{} blocks in {}: a grid has at most {} there {}", with_commas(q.grid_dimensions[i]),
                               "xyz"[i], with_commas(limits[i]), here);
    const std::int64_t most = std::int64_t{limits[0]} * limits[1] * limits[2];
    if (*q.grid > most)
        return fmt::format("{} blocks: a grid has at most {} × {} × {} {}", with_commas(*q.grid),
                           with_commas(limits[0]), with_commas(limits[1]), with_commas(limits[2]), here);
    if (q.shape.cluster_blocks > 1 && q.settings.mode == model_mode::driver && *q.grid % q.shape.cluster_blocks != 0)
        return fmt::format("{} {}: not a multiple of the {} of a cluster", with_commas(*q.grid),
                           *q.grid == 1 ? "block" : "blocks", q.shape.cluster_blocks);
    return "";
}

// The number of blocks exceeds every single dimension.
std::optional<std::string> grid_note(const occupancy_question& q)
{
    const int in_x = max_grid_dimensions(q.limits->capability)[0];
    if (!q.grid || q.grid_dimensions[0] != 0 || *q.grid <= in_x) return std::nullopt;
    return fmt::format("{} blocks need y or z: a grid has at most {} in x on compute capability {}",
                       with_commas(*q.grid), with_commas(in_x), compute_capability_name(q.limits->capability).view());
}

// A cluster larger than the portable size.
std::string non_portable_cluster_text(const sm_limits& limits, int blocks)
{
    std::string text = fmt::format(
        "a cluster of {} blocks, more than the {} that are portable, needs cudaFuncSetAttribute(kernel, "
        "cudaFuncAttributeNonPortableClusterSizeAllowed, 1), also with __cluster_dims__; ",
        with_commas(blocks), limits.portable_cluster.value_or(0));
    if (limits.non_portable_cluster) return text + "a GPU may support fewer: call cudaOccupancyMaxPotentialClusterSize";
    return text +
           fmt::format(
               "the maximum of compute capability {} is not published: call cudaOccupancyMaxPotentialClusterSize",
               compute_capability_name(limits.capability).view());
}

std::vector<std::string> notes_of(const occupancy_question& q, const occupancy_result& result)
{
    std::vector<std::string> notes = launch_needs(q, result);
    if (q.resources.static_shared_bytes > q.limits->shared_per_block)
        notes.push_back(
            fmt::format("a program with {} B of static shared memory cannot be linked: more than {} B must be dynamic",
                        with_commas(q.resources.static_shared_bytes), with_commas(q.limits->shared_per_block)));
    if (!q.registers_known) notes.push_back("registers are not known and not counted as a limit");
    if (!q.shared_known)
        notes.push_back("static shared memory is not known and not counted: the figures are upper limits");
    if (!q.dynamic_shared_known)
        notes.push_back(
            "it uses dynamic shared memory of unknown size, which is not counted: the figures are upper limits; give "
            "the size with --dynamic-shared");
    if (!q.barriers_known && q.limits->barriers_per_sm)
        notes.push_back("barriers are not known and not counted as a limit");
    if (q.shape.cluster_blocks > 1 && q.settings.mode == model_mode::spreadsheet)
        notes.push_back("the spreadsheet has no clusters: they are not counted");
    if (std::optional<std::string> note = grid_note(q)) notes.push_back(std::move(*note));
    for (std::string& difference : spreadsheet_differences(q, result)) notes.push_back(std::move(difference));
    return notes;
}

}  // namespace

std::optional<std::int64_t> dynamic_shared_with(const occupancy_question& q, int threads)
{
    if (!q.dynamic_shared_of) return q.shape.dynamic_shared_bytes;
    return q.dynamic_shared_of(threads);
}

occupancy_account explain(const occupancy_question& question)
{
    return explain(question, occupancy(*question.limits, question.resources, question.shape, question.settings));
}

occupancy_account explain(const occupancy_question& question, const occupancy_result& result)
{
    occupancy_account account;
    account.question = question;
    account.result = result;
    account.obstacle = obstacle_text(question, result);
    account.clusters = clusters_of(question, account.result);
    account.limits = limit_accounts(question, account.result, account.clusters);
    const auto allowed = [&](int blocks) {
        return allowance(*question.limits, question.resources, question.shape, blocks, question.settings);
    };
    account.thresholds = allowances(question, allowed(account.result.resident_blocks + 1));
    account.slack = allowances(question, allowed(account.result.resident_blocks));
    // The step to one more block depends on all limits.
    if (!question.at_most()) account.next = cheapest_next_step(question, account.result);
    account.grid_obstacle = grid_obstacle_of(question);
    if (account.grid_obstacle.empty()) account.waves = waves_of(question, account.result);
    if (question.curves) account.curves = curves_of(question);
    if (question.rules)
        account.rules =
            check_rules(*question.limits, question.resources,
                        {.threads = question.shape.threads,
                         .dynamic_shared_bytes = question.shape.dynamic_shared_bytes,
                         .resident_blocks = result.resident_blocks},
                        question.settings, {.registers = question.registers_known, .shared = !question.at_most()});
    account.notes = notes_of(question, account.result);
    return account;
}

std::string obstacle_text(const occupancy_question& q, const occupancy_result& result)
{
    const sm_limits& limits = *q.limits;
    switch (result.obstacle) {
        case launch_obstacle::none:
            return "";
        case launch_obstacle::negative_input:
            return "a size is negative, or there are no threads";
        case launch_obstacle::over_1024_threads:
            return fmt::format("{} threads: a block has at most 1,024", with_commas(q.shape.threads));
        case launch_obstacle::over_launch_bound:
            return fmt::format("{} the launch bound of {}: cudaErrorInvalidValue",
                               counted(q.shape.threads, "thread exceeds", "threads exceed"),
                               with_commas(q.resources.max_threads));
        case launch_obstacle::registers_per_thread:
            return fmt::format("{} registers per thread: a launch takes at most {}", with_commas(q.resources.registers),
                               limits.launchable_registers);
        case launch_obstacle::registers_per_block:
            return fmt::format("the block needs {} registers: a block has at most {}",
                               with_commas(result.registers.per_block), with_commas(limits.registers_per_block));
        case launch_obstacle::register_rounding: {
            const int partitions = detail::launch_check_partitions(limits);
            const int counted_warps = detail::align_up(result.warps.warps_per_block, partitions);
            return fmt::format(
                "its {} registers fit, but the launch check counts {} as {} (a multiple of {} "
                "sub-partitions): {} of {} registers",
                with_commas(result.registers.per_block), counted(result.warps.warps_per_block, "warp", "warps"),
                counted_warps, partitions, with_commas(std::int64_t{result.registers.per_warp} * counted_warps),
                with_commas(limits.registers_per_block));
        }
        case launch_obstacle::register_partition:
            return "its warps do not fit the registers of the sub-partitions";
        case launch_obstacle::dynamic_shared_limit:
            return fmt::format("{} B of dynamic shared memory: cudaFuncSetAttribute allowed {} B",
                               with_commas(q.shape.dynamic_shared_bytes),
                               with_commas(*q.settings.max_dynamic_shared_bytes));
        case launch_obstacle::shared_per_block:
            return fmt::format("{} B of shared memory{}: a block has at most {} B",
                               with_commas(result.shared.allocated),
                               result.shared.reserved_bytes > 0
                                   ? fmt::format(" with the {} B reserved", with_commas(result.shared.reserved_bytes))
                                   : "",
                               with_commas(result.shared.per_block_maximum));
        case launch_obstacle::barriers_per_block:
            return fmt::format(
                "{} named barriers: a block has at most {}", q.resources.barriers,
                std::min(max_barriers_per_block, limits.barriers_per_sm.value_or(max_barriers_per_block)));
        case launch_obstacle::virtual_resources:
            return "too many virtual resources";
        case launch_obstacle::cluster_blocks:
            if (limits.portable_cluster == 0)
                return fmt::format("a cluster of {} blocks: compute capability {} has no clusters",
                                   with_commas(q.shape.cluster_blocks),
                                   compute_capability_name(limits.capability).view());
            return fmt::format("a cluster of {} blocks: compute capability {} has at most {}",
                               with_commas(q.shape.cluster_blocks), compute_capability_name(limits.capability).view(),
                               limits.non_portable_cluster.value_or(0));
        case launch_obstacle::non_portable_cluster:
            return fmt::format(
                "a cluster of {} blocks: without cudaFuncAttributeNonPortableClusterSizeAllowed it has "
                "at most {}",
                with_commas(q.shape.cluster_blocks), limits.portable_cluster.value_or(0));
    }
    return "";
}

std::vector<std::string> launch_needs(const occupancy_question& q, const occupancy_result& result)
{
    std::vector<std::string> needs;
    if (result.obstacle != launch_obstacle::none || q.settings.mode != model_mode::driver) return needs;
    if (q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes > q.limits->shared_per_block)
        needs.push_back(
            fmt::format("more than {} B of shared memory needs cudaFuncSetAttribute(kernel, "
                        "cudaFuncAttributeMaxDynamicSharedMemorySize, {})",
                        with_commas(q.limits->shared_per_block), q.shape.dynamic_shared_bytes));
    if (q.shape.cluster_blocks > 1 && q.shape.cluster_blocks > q.limits->portable_cluster.value_or(1))
        needs.push_back(non_portable_cluster_text(*q.limits, q.shape.cluster_blocks));
    return needs;
}

std::string limiter_names(const occupancy_result& result)
{
    static constexpr const char* names[] = {"warps",         "blocks",   "registers",
                                            "shared memory", "barriers", "virtual resources"};
    std::vector<std::string> found;
    for (int i = 0; i < resource_count; ++i)
        if (result.limiters.contains(static_cast<resource>(i))) found.emplace_back(names[i]);
    if (found.empty()) return "nothing";
    std::string text = found.front();
    for (std::size_t i = 1; i < found.size(); ++i) text += (i + 1 == found.size() ? " and " : ", ") + found[i];
    return text;
}

}  // namespace launchbox
