// SPDX-License-Identifier: Apache-2.0
#include "advice/model/limit_steps.hpp"

#include <fmt/format.h>

#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::optional<int> limited(int blocks)
{
    return blocks == unlimited ? std::nullopt : std::optional(blocks);
}

limit_account warp_account(const occupancy_question& q, const warp_limit& warps, global_caching caching)
{
    limit_account account{"warps", limited(warps.blocks), false, {}};
    account.steps.push_back({"warps_per_block", warps.warps_per_block,
                             fmt::format("{} / {} per warp = {}", counted(q.shape.threads, "thread", "threads"),
                                         warp_size, counted(warps.warps_per_block, "warp", "warps")),
                             warps.idle_lanes});
    if (q.shape.threads > max_threads_per_block)
        account.steps.push_back({"blocks", 0, "a block has at most 1,024 threads"});
    else if (caching != global_caching::off)
        account.steps.push_back(
            {"blocks", warps.blocks,
             fmt::format("2 halves of the SM × ({} warp slots / {})", warps.warp_slots / 2, warps.warps_per_block)});
    else
        account.steps.push_back(
            {"blocks", warps.blocks,
             fmt::format("{} warp slots / {} = {}", warps.warp_slots, warps.warps_per_block, warps.blocks),
             warps.warp_slots - warps.blocks * warps.warps_per_block});
    return account;
}

limit_account register_account(const occupancy_question& q, const occupancy_result& result)
{
    const register_limit& registers = result.registers;
    const sm_limits& limits = *q.limits;
    const int warps = result.warps.warps_per_block;
    limit_account account{"registers", limited(registers.blocks), false, {}};
    if (registers.per_thread == 0) return account;
    if (registers.per_thread != q.resources.registers) {  // the model caps the value
        account.steps.push_back({"registers_per_thread", q.resources.registers,
                                 fmt::format("{} > {}, the maximum of a thread", with_commas(q.resources.registers),
                                             limits.registers_per_thread)});
        return account;
    }

    account.steps.push_back(
        {"registers_per_warp", registers.per_warp,
         registers.per_warp == registers.per_warp_used()
             ? fmt::format("{} × {} = {} a warp", registers.per_thread, warp_size, with_commas(registers.per_warp))
             : fmt::format("{} × {} = {}, rounded up to {} a warp", registers.per_thread, warp_size,
                           with_commas(registers.per_warp_used()), with_commas(registers.per_warp)),
         registers.per_warp - registers.per_warp_used()});
    if (q.shape.threads > max_threads_per_block) return account;  // no such block exists, so its warps are not counted
    if (q.settings.mode == model_mode::spreadsheet) {
        account.steps.push_back({"warps_per_sm", registers.warps_per_sm,
                                 fmt::format("{} of a block / {}, rounded down to a multiple of {}, × {} = {}",
                                             with_commas(limits.spreadsheet->registers_per_block),
                                             with_commas(registers.per_warp), limits.spreadsheet->warp_granularity,
                                             limits.registers_per_sm / limits.spreadsheet->registers_per_block,
                                             counted(registers.warps_per_sm, "warp", "warps"))});
    } else {
        const int per_partition = limits.registers_per_sm / limits.sub_partitions;
        account.steps.push_back(
            {"warps_per_sm", registers.warps_per_sm,
             fmt::format("{} of a sub-partition / {} = {}, × {} = {}", with_commas(per_partition),
                         with_commas(registers.per_warp), counted(registers.warps_per_partition, "warp", "warps"),
                         limits.sub_partitions, registers.warps_per_sm),
             limits.registers_per_sm - registers.warps_per_sm * registers.per_warp});
        account.steps.push_back({"launch_check", registers.per_block_checked,
                                 fmt::format("launch check: {} × {} = {} {} {}", with_commas(registers.per_warp),
                                             counted(detail::align_up(warps, limits.sub_partitions), "warp", "warps"),
                                             with_commas(registers.per_block_checked),
                                             registers.per_block_checked <= limits.registers_per_block ? "≤" : ">",
                                             with_commas(limits.registers_per_block)),
                                 registers.per_block_checked - registers.per_block});
    }
    if (registers.blocks > 0)
        account.steps.push_back(
            {"blocks", registers.blocks,
             registers.caching != global_caching::off
                 ? fmt::format("2 halves × ({} / {}) = {}", counted(registers.warps_per_sm / 2, "warp", "warps"), warps,
                               registers.blocks)
                 : fmt::format("{} / {} = {}", registers.warps_per_sm, counted(warps, "warp", "warps"),
                               registers.blocks),
             registers.warps_per_sm - registers.blocks * warps});
    if (registers.caching != q.settings.caching && limits.partitioned_global_caching)
        account.steps.push_back({"caching", 0, "the block does not fit half of the SM: global loads are not cached"});
    return account;
}

limit_account shared_account(const occupancy_question& q, const shared_limit& shared)
{
    limit_account account{"shared", limited(shared.blocks), false, {}};
    std::string sum =
        fmt::format("{} static + {} dynamic", with_commas(shared.static_bytes), with_commas(shared.dynamic_bytes));
    if (shared.reserved_bytes > 0) sum += fmt::format(" + {} reserved", with_commas(shared.reserved_bytes));
    account.steps.push_back({"allocated", shared.allocated,
                             shared.allocated == shared.used()
                                 ? fmt::format("{} = {} B", sum, with_commas(shared.used()))
                                 : fmt::format("{} = {}, rounded up to {} B", sum, with_commas(shared.used()),
                                               with_commas(shared.allocated)),
                             shared.allocated - shared.used()});
    if (shared.allocated > shared.per_block_maximum)
        account.steps.push_back({"per_block_maximum", shared.per_block_maximum,
                                 fmt::format("{} > {} B, the maximum of a block", with_commas(shared.allocated),
                                             with_commas(shared.per_block_maximum))});
    if (shared.offered == 0) return account;
    if (shared.preferred != q.limits->shared_per_sm)
        account.steps.push_back({"preferred", shared.preferred,
                                 fmt::format("preference: {} B of the SM's {}{}", with_commas(shared.preferred),
                                             with_commas(q.limits->shared_per_sm),
                                             shared.offered == shared.preferred
                                                 ? ""
                                                 : fmt::format(", raised to {}", with_commas(shared.offered)))});
    if (shared.allocated > 0)
        account.steps.push_back({"blocks", shared.blocks,
                                 fmt::format("{} B of the SM / {} = {}", with_commas(shared.offered),
                                             with_commas(shared.allocated), shared.blocks),
                                 shared.offered - shared.blocks * shared.allocated});
    return account;
}

limit_account barrier_account(const occupancy_question& q, const barrier_limit& barriers)
{
    limit_account account{"barriers", limited(barriers.blocks), false, {}};
    if (!barriers.per_sm) {
        account.steps.push_back({"barriers_per_block", barriers.per_block,
                                 q.settings.mode == model_mode::spreadsheet ? "the spreadsheet does not count them"
                                                                            : "not counted before 9.0"});
    } else if (barriers.per_block > 0) {
        account.steps.push_back(
            {"blocks", barriers.blocks,
             fmt::format("{} of the SM / {} = {}", *barriers.per_sm, barriers.per_block, barriers.blocks),
             *barriers.per_sm - barriers.blocks * barriers.per_block});
    }
    return account;
}

limit_account cluster_limit(const occupancy_question& q, const cluster_account& clusters)
{
    limit_account account{"clusters", std::nullopt, false, {}};
    const auto& [expected, low, high] = clusters.clusters;
    const int sms = q.sms.value_or(0);
    if (expected && sms > 0) account.blocks = *expected * clusters.cluster_blocks / sms;
    account.steps.push_back(
        {"clusters", expected.value_or(high),
         expected
             ? fmt::format("about {} of {} blocks on {} ({} to {}), an estimate{}",
                           counted(*expected, "cluster", "clusters"), clusters.cluster_blocks,
                           counted(sms, "SM", "SMs"), low, high, clusters.gpcs_known ? " from the SMs of each GPC" : "")
             : fmt::format("{} to {} of {} blocks on {}: the SMs of each GPC are not known", low,
                           counted(high, "cluster", "clusters"), clusters.cluster_blocks, counted(sms, "SM", "SMs"))});
    account.steps.push_back({"settled_by", 0, "cudaOccupancyMaxActiveClusters on that GPU settles it"});
    return account;
}

}  // namespace

std::vector<limit_account> limit_accounts(const occupancy_question& q, const occupancy_result& result,
                                          const std::optional<cluster_account>& clusters)
{
    std::vector<limit_account> accounts;
    accounts.push_back(warp_account(q, result.warps, result.registers.caching));
    accounts.push_back({"blocks",
                        result.block_slots,
                        false,
                        {{"blocks", result.block_slots, fmt::format("{} block slots", result.block_slots)}}});
    accounts.push_back(register_account(q, result));
    accounts.push_back(shared_account(q, result.shared));
    accounts.push_back(barrier_account(q, result.barriers));
    for (int i = 0; i < static_cast<int>(accounts.size()); ++i)
        accounts[static_cast<std::size_t>(i)].limiting = result.limiters.contains(static_cast<resource>(i));
    if (q.settings.virtual_resources > 0)
        accounts.push_back(
            {"virtual_resources",
             limited(result.virtual_resources),
             result.limiters.contains(resource::virtual_resources),
             {{"blocks", result.virtual_resources,
               fmt::format("{} of the SM / {}", q.limits->virtual_resources_per_sm, q.settings.virtual_resources)}}});
    if (clusters) accounts.push_back(cluster_limit(q, *clusters));
    return accounts;
}

std::vector<std::string> spreadsheet_differences(const occupancy_question& q, const occupancy_result& sheet)
{
    if (q.settings.mode != model_mode::spreadsheet) return {};
    launch_settings settings = q.settings;
    settings.mode = model_mode::driver;
    const occupancy_result driver = occupancy(*q.limits, q.resources, q.shape, settings);
    const sm_limits& limits = *q.limits;

    std::vector<std::string> notes;
    const auto differs = [&](const char* what, int in_sheet, int in_driver, const std::string& why) {
        if (in_sheet == in_driver) return;
        const auto text = [](int blocks) {
            return blocks == unlimited ? std::string("no limit") : std::to_string(blocks);
        };
        notes.push_back(
            fmt::format("{}: the spreadsheet says {}, the driver {}: {}", what, text(in_sheet), text(in_driver), why));
    };
    std::string why_registers = "the launch check rounds warps up to the sub-partitions, the sheet does not";
    if (sheet.registers.per_warp != driver.registers.per_warp)
        why_registers = "2.x doubles the register unit for this count";
    else if (limits.spreadsheet->registers_per_block != limits.registers_per_block)
        why_registers =
            fmt::format("the sheet's table has {} registers per block, the hardware {}",
                        with_commas(limits.spreadsheet->registers_per_block), with_commas(limits.registers_per_block));
    else if (limits.registers_per_sm != limits.registers_per_block)
        why_registers = "the sheet rounds down once for each 64 K of registers, the hardware in each sub-partition";
    else if (driver.registers.blocks > 0)
        why_registers = "the sheet rounds warps down in the whole SM, the hardware in each sub-partition";
    differs("registers", sheet.registers.blocks, driver.registers.blocks, why_registers);
    differs("shared memory", sheet.shared.blocks, driver.shared.blocks,
            "the sheet lets one block have all shared memory of the SM, without opting in");
    differs("barriers", sheet.barriers.blocks, driver.barriers.blocks, "the sheet does not count barriers");
    if (driver.obstacle == launch_obstacle::over_launch_bound)
        notes.push_back("the spreadsheet ignores launch bounds: the driver refuses this block");
    if (notes.empty()) notes.push_back("the driver gives the same");
    return notes;
}

}  // namespace launchbox
