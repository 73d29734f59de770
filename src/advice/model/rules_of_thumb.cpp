// SPDX-License-Identifier: Apache-2.0
#include "advice/model/rules_of_thumb.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "support/text/terminal.hpp"

namespace launchbox {

std::vector<rule_check> check_rules(const sm_limits& limits, const kernel_resources& kernel,
                                    const block_size_choice& choice, const launch_settings& settings)
{
    const int threads = choice.threads;
    const launch_shape shape{.threads = threads, .dynamic_shared_bytes = choice.dynamic_shared_bytes};
    const occupancy_result result = occupancy(limits, kernel, shape, settings);
    const bool full = result.resident_warps == result.warp_slots;
    const auto limited_by = [&](resource which) { return !full && result.limiters.contains(which); };

    std::vector<rule_check> rules;
    rules.push_back({"warp_multiple", "a multiple of the warp size", threads % warp_size == 0, threads % warp_size != 0,
                     fmt::format("{} idle lanes in each block", result.warps.idle_lanes)});

    const int least = detail::divide_up(limits.threads_per_sm, limits.blocks_per_sm);
    rules.push_back({"enough_threads", "at least the SM's threads / its block slots", threads >= least,
                     threads < least && limited_by(resource::blocks),
                     fmt::format("{} / {} = {}", with_commas(limits.threads_per_sm), limits.blocks_per_sm, least)});

    const bool divides = limits.threads_per_sm % threads == 0;
    rules.push_back({"divides_sm", "divides the threads of an SM", divides, !divides && limited_by(resource::warps),
                     fmt::format("{} / {} = {:.2f}", with_commas(limits.threads_per_sm), threads,
                                 static_cast<double>(limits.threads_per_sm) / threads)});

    // For as many blocks as the warp and block slots would hold. The quotient is what people calculate; registers are
    // given in units, shared memory too and with a reserve, so that the model's bound is the one that holds.
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
    rules.push_back({"registers_share", "registers at most the SM's registers / resident threads", registers_fit,
                     !registers_fit && (limited_by(resource::registers) || result.registers.blocks == 0),
                     share(limits.registers_per_sm, std::int64_t{wanted} * threads, allowed.registers, "")});

    const std::int64_t shared = kernel.static_shared_bytes + choice.dynamic_shared_bytes;
    const bool shared_fits = allowed.shared_bytes && shared <= *allowed.shared_bytes;
    rules.push_back({"shared_share", "shared memory at most the SM's / resident blocks", shared_fits,
                     !shared_fits && (limited_by(resource::shared) || result.shared.blocks == 0),
                     share(limits.shared_per_sm, wanted, allowed.shared_bytes, " B")});
    return rules;
}

}  // namespace launchbox
