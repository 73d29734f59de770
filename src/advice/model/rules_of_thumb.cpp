// SPDX-License-Identifier: Apache-2.0
#include "advice/model/rules_of_thumb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

std::vector<rule_check> check_rules(const sm_limits& limits, const kernel_resources& kernel,
                                    const block_size_choice& choice, const launch_settings& settings,
                                    const known_figures& known)
{
    const int threads = choice.threads;
    const launch_shape shape{.threads = threads, .dynamic_shared_bytes = choice.dynamic_shared_bytes};
    const occupancy_result result = occupancy(limits, kernel, shape, settings);
    const bool full = result.resident_warps == result.warp_slots;
    const auto limited_by = [&](resource which) { return !full && result.limiters.contains(which); };

    std::vector<rule_check> rules;
    const auto add = [&](const char* id, const char* name, const char* rule, bool is_known, bool kept, bool limits_here,
                         std::string figure) {
        rules.push_back(
            {id, name, rule, is_known, kept || !is_known, is_known && !kept && limits_here, std::move(figure)});
    };
    add("warp_multiple", "whole warps", "a multiple of the warp size", true, threads % warp_size == 0, true,
        fmt::format("{} in each block", counted(result.warps.idle_lanes, "idle lane", "idle lanes")));

    const int least = detail::divide_up(limits.threads_per_sm, limits.blocks_per_sm);
    add("enough_threads", "enough threads", "at least the SM's threads / its block slots", true, threads >= least,
        limited_by(resource::blocks),
        fmt::format("{} / {} = {}", with_commas(limits.threads_per_sm), limits.blocks_per_sm, least));

    add("divides_sm", "divides the SM", "the SM's threads / the block size is a whole number", true,
        limits.threads_per_sm % threads == 0, limited_by(resource::warps),
        fmt::format("{} / {} = {:.2f}", with_commas(limits.threads_per_sm), threads,
                    static_cast<double>(limits.threads_per_sm) / threads));

    // For as many blocks as the warp and block slots allow. People calculate the plain quotient. Registers and shared
    // memory are allocated in units, and the latter with a reserve, so the model's bound is the right one.
    const int wanted = std::max(1, std::min(result.warps.blocks, result.block_slots));
    const resource_allowance allowed = allowance(limits, kernel, shape, wanted, settings);
    const auto share = [](std::int64_t whole, std::int64_t parts, std::optional<std::int64_t> at_most,
                          const char* unit) {
        const std::int64_t quotient = whole / parts;
        std::string figure =
            fmt::format("{} / {} = {}{}", with_commas(whole), with_commas(parts), with_commas(quotient), unit);
        if (!at_most)
            figure += ", but no number fits";
        else if (*at_most != quotient)
            figure += fmt::format(", in fact at most {}{}", with_commas(*at_most), unit);
        return figure;
    };

    const bool registers_fit = kernel.registers == 0 || (allowed.registers && kernel.registers <= *allowed.registers);
    add("registers_share", "registers", "at most the SM's registers / resident threads", known.registers, registers_fit,
        limited_by(resource::registers) || result.registers.blocks == 0,
        share(limits.registers_per_sm, std::int64_t{wanted} * threads, allowed.registers, ""));

    const std::int64_t shared = kernel.static_shared_bytes + choice.dynamic_shared_bytes;
    const bool shared_fits = allowed.shared_bytes && shared <= *allowed.shared_bytes;
    add("shared_share", "shared memory", "at most the SM's shared memory / resident blocks", known.shared, shared_fits,
        limited_by(resource::shared) || result.shared.blocks == 0,
        share(limits.shared_per_sm, wanted, allowed.shared_bytes, " B"));
    return rules;
}

}  // namespace launchbox
