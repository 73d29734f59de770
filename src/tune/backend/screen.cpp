// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include <launchbox/detail/launch/launch_explanation.hpp>
#include <launchbox/occupancy.hpp>

namespace launchbox {

namespace {

template <class Size>
launch_extent extent_of(const std::array<Size, 3>& sizes)
{
    return {sizes[0], sizes[1], sizes[2]};
}

// The explanation ends with a fix, but here another candidate is the fix.
std::string first_sentence(std::string_view text)
{
    text = text.substr(0, text.find(". "));
    if (text.ends_with('.')) text.remove_suffix(1);
    return std::string(text);
}

launch_facts facts_of(const evaluated_launch& launch, const sm_limits& limits)
{
    launch_facts facts{.gpu = limits.capability};
    facts.grid = extent_of(launch.blocks);
    facts.threads = extent_of(launch.threads);
    facts.cluster = extent_of(launch.cluster);
    facts.dynamic_shared_bytes = {launch.dynamic_shared_bytes};
    return facts;
}

launch_facts compiled_facts(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits)
{
    launch_facts facts = facts_of(launch, limits);
    facts.registers = kernel.figures.registers.value_or(0);
    facts.static_shared_bytes = kernel.figures.static_shared_bytes.value_or(0);
    facts.barriers = kernel.figures.barriers.value_or(0);
    return facts;
}

occupancy_result account_of(const launch_facts& facts, const sm_limits& limits)
{
    return occupancy(limits, detail::resources_of(limits, facts), detail::shape_of(facts),
                     detail::settings_of(limits, facts.static_shared_bytes, facts.carveout_percent));
}

std::string explained(const launch_facts& facts)
{
    const std::string whole = explain(facts).text;
    std::string_view text = whole;
    // Removes the separator after an absent name. Indexing, because GCC 12 warns of uninitialised memory for a string
    // comparison here.
    if (text.size() > 2 && text[0] == ':' && text[1] == ' ') text.remove_prefix(2);
    return first_sentence(text);
}

// The largest cluster that the GPU allows, if known.
std::string too_large_cluster(const evaluated_launch& launch, const sm_limits& limits)
{
    const launch_extent cluster = extent_of(launch.cluster);
    if (!limits.non_portable_cluster || cluster.count() <= 1 || cluster.count() <= *limits.non_portable_cluster)
        return {};
    return fmt::format("a cluster of {}, but it has at most {} on {}", detail::blocks_text(cluster),
                       *limits.non_portable_cluster, detail::gpu_name(limits.capability));
}

}  // namespace

std::string why_not_before_build(const evaluated_launch& launch, const sm_limits& limits)
{
    launch_facts facts = facts_of(launch, limits);
    if (launch.static_shared_bytes) {
        facts.static_shared_bytes = *launch.static_shared_bytes;
        if (facts.static_shared_bytes > limits.shared_per_block)
            return fmt::format("{} B of static shared memory, but a block has at most {} B",
                               detail::grouped(facts.static_shared_bytes), detail::grouped(limits.shared_per_block));
    }
    std::string why = explained(facts);
    return why.empty() ? too_large_cluster(launch, limits) : why;
}

double prior_before_build(const evaluated_launch& launch, const sm_limits& limits)
{
    if (!why_not_before_build(launch, limits).empty()) return 0;
    launch_facts facts = facts_of(launch, limits);
    facts.registers = 16;  // fewer make no difference on any GPU
    if (launch.static_shared_bytes) facts.static_shared_bytes = *launch.static_shared_bytes;
    const occupancy_result account = account_of(facts, limits);
    const std::int64_t threads = extent_of(launch.threads).count();
    return account.occupancy() >= 0.5 && threads % warp_size == 0 ? 1 : 0.5;
}

std::string why_not_launched(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits,
                             const screen_settings& settings)
{
    launch_facts facts = compiled_facts(kernel, launch, limits);
    facts.binary_version = limits.capability.major * 10 + limits.capability.minor;
    facts.largest_cluster = std::nullopt;
    if (kernel.bounds.cluster)
        facts.required_cluster =
            launch_extent{(*kernel.bounds.cluster)[0], (*kernel.bounds.cluster)[1], (*kernel.bounds.cluster)[2]};
    if (kernel.bounds.required_threads) {
        const std::array<int, 3>& wanted = *kernel.bounds.required_threads;
        const launch_extent required{wanted[0], wanted[1], wanted[2]};
        if (required != extent_of(launch.threads))
            return detail::threads_text(extent_of(launch.threads)) + ", but it was compiled for blocks of exactly " +
                   detail::threads_text(required);
    }
    if (kernel.bounds.max_threads) {
        const std::int64_t bound = std::int64_t{1} * (*kernel.bounds.max_threads)[0] * (*kernel.bounds.max_threads)[1] *
                                   (*kernel.bounds.max_threads)[2];
        facts.max_threads = static_cast<int>(std::min<std::int64_t>(bound, max_threads_per_block));
        facts.invalid_value = true;  // the launch bound is the limit, not the registers
    }
    std::string why = explained(facts);
    if (why.empty()) why = too_large_cluster(launch, limits);
    if (!why.empty() || settings.min_occupancy <= 0) return why;

    const occupancy_result account = account_of(facts, limits);
    if (account.occupancy() >= settings.min_occupancy) return {};
    return fmt::format("occupancy {:.3g} %, and min_occupancy is {:.3g} %: {} of {} warps are resident on an SM",
                       account.occupancy() * 100, settings.min_occupancy * 100, account.resident_warps,
                       account.warp_slots);
}

built_launch residency_of(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits)
{
    const occupancy_result account = account_of(compiled_facts(kernel, launch, limits), limits);
    return {.threads = extent_of(launch.threads).count(),
            .dynamic_shared_bytes = launch.dynamic_shared_bytes,
            .resident_blocks = account.resident_blocks,
            .occupancy = account.occupancy()};
}

}  // namespace launchbox
