// The error that ends a run whose baseline cannot be measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "support/error.hpp"
#include "support/expression/parameter_value.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

/// Parts that --init could not read, by line of the spec: those that still say "fill in".
inline std::vector<int> guesses_in(std::string_view spec)
{
    std::vector<int> lines;
    for (int number = 1; !spec.empty(); ++number) {
        const std::string_view line = spec.substr(0, spec.find('\n'));
        spec.remove_prefix(std::min(line.size() + 1, spec.size()));
        const std::size_t comment = line.find('#');
        if (comment != std::string_view::npos && line.find("fill in", comment) != std::string_view::npos)
            lines.push_back(number);
    }
    return lines;
}

/// `spec`: its text.
inline error baseline_failed(const assignment& parameters, const assignment& workload, const measurement& measured,
                             std::string_view spec)
{
    std::vector<int> guesses = guesses_in(spec);
    constexpr std::size_t shown = 8;
    const bool more = guesses.size() > shown;
    if (more) guesses.resize(shown);
    return error(fmt::format("the baseline ({}){} cannot be measured: {}: {}", parameter_text(parameters),
                             workload.values.empty() ? "" : " with " + parameter_text(workload),
                             words_of(measured.status), measured.reason),
                 guesses.empty() ? "all others are compared with it; fix it, or use another baseline in [tunable]"
                                 : fmt::format("the spec's lines that say 'fill in' are guesses: {} {}{}; write what "
                                               "your program passes there",
                                               guesses.size() == 1 ? "line" : "lines", fmt::join(guesses, ", "),
                                               more ? ", ..." : ""));
}

}  // namespace launchbox
