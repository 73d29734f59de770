// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_plan.hpp"

#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <functional>
#include <set>

#include "advice/bounds/bounds_launch.hpp"

namespace launchbox {

namespace {

// Limits of __maxnreg__ in ptxas: it raises lower values, and 255 means no limit.
constexpr int fewest_settable = 24;
constexpr int no_limit = 255;

// The block sizes for which a bound can be written and a block launched, ascending.
std::set<int> bounded_threads(const kernel_trials& kernel, const sm_limits& limits)
{
    std::set<int> result;
    for (int threads : kernel.threads)
        if (threads >= 1 && threads <= std::min(max_threads_per_block, limits.threads_per_sm)) result.insert(threads);
    return result;
}

}  // namespace

std::vector<launch_attribute> useful_attributes(const kernel_trials& kernel, std::int64_t dynamic_shared_bytes)
{
    const sm_limits* limits = limits_of(kernel.written);
    if (limits == nullptr) return {};
    const bounds_launch launch{.dynamic_shared_bytes = dynamic_shared_bytes};
    const int cluster =
        std::max(kernel.written.bounds.max_cluster_blocks.value_or(0), kernel.attribute.max_cluster_blocks);
    // .reqntid already gives the block size, and ptxas rejects .maxntid next to it.
    const bool required = kernel.written.bounds.required_threads.has_value();

    std::vector<launch_attribute> attributes{{}};
    std::set<int, std::greater<>> register_counts;
    for (int threads : bounded_threads(kernel, *limits)) {
        if (required && threads != bound_threads(kernel.written)) continue;
        const int room = room_of(*limits, kernel.written, threads, launch).resident_blocks;
        if (room == 0) continue;  // it cannot be launched, whatever the bound
        if (!required) attributes.push_back({.threads = threads, .max_cluster_blocks = cluster});
        for (int blocks = 1; blocks <= std::min(room, max_legal_min_blocks(*limits, threads)); ++blocks) {
            if (const auto count = room_for(*limits, kernel.written, threads, blocks, launch).registers)
                register_counts.insert(*count);
            const int cap = register_cap(*limits, threads, blocks).value_or(0);
            register_counts.insert(cap);
            if (blocks < room && register_cap(*limits, threads, blocks + 1) == cap) continue;  // more for the same cap
            if (!required)
                attributes.push_back({.threads = threads, .min_blocks = blocks, .max_cluster_blocks = cluster});
        }
    }
    if (cluster > 0) return attributes;  // __maxnreg__ cannot express it
    for (int count : register_counts)
        if (count >= fewest_settable && count < std::min(no_limit, limits->registers_per_thread))
            attributes.push_back({.max_registers = count});
    return attributes;
}

std::vector<launch_attribute> finer_limits(const kernel_trials& kernel)
{
    constexpr std::int64_t few_bytes = 256;
    constexpr int allocated_together = 8;  // registers per thread, since a warp gets 256 at a time
    std::vector<launch_attribute> finer;
    for (const bounds_trial& trial : kernel.trials) {
        const std::int64_t spilled = trial.compiled() ? spill_bytes(trial.kernel).value_or(0) : 0;
        if (trial.attribute.max_registers == 0 || spilled <= 0 || spilled > few_bytes) continue;
        for (int count = trial.attribute.max_registers - 1; count % allocated_together != 0 && count >= fewest_settable;
             --count)
            finer.push_back({.max_registers = count});
    }
    return finer;
}

}  // namespace launchbox
