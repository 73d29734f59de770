// `launchbox bounds --measure`: the user's benchmark decides among the rows that nothing beats on paper.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/kernel_trials.hpp"
#include "cli/options.hpp"
#include "compiler/run/toolchain.hpp"
#include "report/bounds/bounds_report.hpp"

namespace launchbox::cli {

struct measure_options {
    std::string command, build;  ///< as the user typed them; an empty command: nothing is measured
    int runs = 9;
    double time_limit = 300;  ///< seconds a run

    void add_to(CLI::App& app);
};

/// The architecture to measure on: that of the GPU here, or the only one that is swept. Throws `error`, before anything
/// is compiled, when there is none, and for commands that are wrong.
bounds_conditions conditions_for(const measure_options& options, const std::vector<target>& targets);

/// Races, kernel by kernel, the Pareto sets of all block sizes, what is recommended, the source as it is and no
/// attribute, fills `measured` of their rows and concludes again. Returns what could not be measured, a line each.
std::vector<std::string> measure_bounds(const toolchain& tools, const measure_options& options,
                                        const bounds_conditions& conditions, const std::string& source,
                                        const std::vector<std::string>& flags, unsigned jobs,
                                        const std::vector<kernel_trials>& trials, std::vector<bounds_answer>& answers);

}  // namespace launchbox::cli
