// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "advice/model/account.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// "−3 registers", "−1,024 B shared"; threads are shown as the new block size, not as a difference.
std::string change_text(const resource_change& change)
{
    if (change.name == "threads") return counted(change.to, "thread", "threads");
    const std::string amount =
        fmt::format("{}{}", change.to < change.from ? "−" : "+",
                    with_commas(std::max(change.from, change.to) - std::min(change.from, change.to)));
    if (change.name == "shared") return amount + " B shared";
    const bool one = std::max(change.from, change.to) - std::min(change.from, change.to) == 1;
    return fmt::format("{} {}", amount,
                       one && change.name.ends_with('s') ? change.name.substr(0, change.name.size() - 1) : change.name);
}

// The launch with another block size. Nothing if its dynamic shared memory has no size for it.
std::optional<launch_shape> shape_with(const occupancy_question& q, int threads)
{
    launch_shape shape = q.shape;
    if (threads == shape.threads) return shape;
    const std::optional<std::int64_t> dynamic = dynamic_shared_with(q, threads);
    if (!dynamic) return std::nullopt;
    shape.threads = threads;
    shape.dynamic_shared_bytes = *dynamic;
    return shape;
}

// The changes to a launch of this shape after which every limit except those on threads allows the blocks; `nullopt` if
// that is impossible.
std::optional<std::vector<resource_change>> needed_changes(const occupancy_question& q, const launch_shape& shape,
                                                           const resource_allowance& allowed, bool with_registers)
{
    std::vector<resource_change> changes;
    const auto need = [&](const char* name, std::int64_t now, std::optional<std::int64_t> at_most) {
        if (!at_most) return false;
        if (now > *at_most) changes.push_back({name, now, *at_most});
        return true;
    };
    const std::int64_t shared = q.resources.static_shared_bytes + shape.dynamic_shared_bytes;
    if (with_registers && q.resources.registers > 0 && !need("registers", q.resources.registers, allowed.registers))
        return std::nullopt;
    if (!need("shared", shared, allowed.shared_bytes)) return std::nullopt;
    if (q.limits->barriers_per_sm && q.settings.mode == model_mode::driver &&
        !need("barriers", q.resources.barriers, allowed.barriers))
        return std::nullopt;
    return changes;
}

// The model's result after the changes.
occupancy_result result_with(const occupancy_question& q, launch_shape shape,
                             const std::vector<resource_change>& changes)
{
    kernel_resources kernel = q.resources;
    for (const resource_change& change : changes) {
        if (change.name == "registers") kernel.registers = static_cast<int>(change.to);
        if (change.name == "barriers") kernel.barriers = static_cast<int>(change.to);
        if (change.name == "shared") {
            kernel.static_shared_bytes = std::min(kernel.static_shared_bytes, change.to);
            shape.dynamic_shared_bytes = change.to - kernel.static_shared_bytes;
        }
    }
    return occupancy(*q.limits, kernel, shape, q.settings);
}

std::optional<next_step> step_of(const occupancy_question& q, const launch_shape& shape,
                                 std::vector<resource_change> changes, int warps_now)
{
    if (changes.empty()) return std::nullopt;
    const occupancy_result after = result_with(q, shape, changes);
    if (after.resident_blocks == 0 || after.resident_warps <= warps_now) return std::nullopt;
    next_step step{std::move(changes), after.resident_blocks, after.occupancy(), ""};
    for (const resource_change& change : step.changes)
        step.text += (step.text.empty() ? "" : " and ") + change_text(change);
    step.text += fmt::format(" → {} block{}", step.blocks, step.blocks == 1 ? "" : "s");
    return step;
}

}  // namespace

std::optional<next_step> cheapest_next_step(const occupancy_question& q, const occupancy_result& now)
{
    if (now.obstacle == launch_obstacle::negative_input) return std::nullopt;
    if (now.resident_warps >= now.warp_slots) return std::nullopt;
    const resource_allowance allowed = allowance(*q.limits, q.resources, q.shape, now.resident_blocks + 1, q.settings);
    const bool slots_left = allowed.blocks <= q.limits->blocks_per_sm;

    // Use less of the kernel's resources, with the same block.
    const bool block_fits = now.warps.blocks >= allowed.blocks && now.obstacle != launch_obstacle::over_launch_bound;
    if (slots_left && block_fits)
        if (auto changes = needed_changes(q, q.shape, allowed, true))
            if (auto step = step_of(q, q.shape, std::move(*changes), now.resident_warps)) return step;

    // Use smaller blocks, so that one more fits.
    if (slots_left && allowed.threads && q.shape.threads > *allowed.threads)
        if (const std::optional<launch_shape> smaller = shape_with(q, *allowed.threads))
            if (auto changes = needed_changes(q, *smaller, allowed, false)) {
                changes->insert(changes->begin(), {"threads", q.shape.threads, smaller->threads});
                if (auto step = step_of(q, *smaller, std::move(*changes), now.resident_warps)) return step;
            }

    // If all block slots are taken, or the block divides the warp slots badly, another block size may have more
    // resident warps.
    std::optional<next_step> best;
    for (int threads = warp_size; threads <= std::min(q.resources.max_threads, max_threads_per_block);
         threads += warp_size) {
        const std::optional<launch_shape> other = shape_with(q, threads);
        if (!other) continue;
        auto step = step_of(q, *other, {{"threads", q.shape.threads, threads}}, now.resident_warps);
        if (step && (!best || step->occupancy > best->occupancy)) best = std::move(step);
    }
    return best;
}

}  // namespace launchbox
