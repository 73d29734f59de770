// Measures with the user's benchmark which launch bound of the Pareto set is the fastest.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/kernel_trials.hpp"
#include "app/architectures.hpp"
#include "app/listener.hpp"
#include "compiler/run/toolchain.hpp"
#include "report/bounds/bounds_report.hpp"

namespace launchbox {

/// A command of the user, as written and split into words.
struct benchmark_command {
    std::string text;
    std::vector<std::string> words;
};

struct benchmark_request {
    benchmark_command run, build;  ///< without words: it is not built, or by its own command
    int runs = 9;                  ///< of each bound
    double time_limit = 300;       ///< seconds a run
};

/// The architecture to measure on: that of this machine's GPU, or the only one that is swept. Throws `error`, before
/// anything is compiled, if there is none.
bounds_conditions conditions_for(const benchmark_request& benchmark, const std::vector<target>& targets);

struct measured_source {
    std::string file;
    std::vector<std::string> flags;
    unsigned jobs = 0;
};

/// For each kernel, races the Pareto sets of all block sizes, the recommended attribute, the unchanged source and no
/// attribute; fills `measured` of their rows and draws the conclusions again. Returns one line for each thing that
/// could not be measured.
std::vector<std::string> measure_bounds(const toolchain& tools, const benchmark_request& request,
                                        const bounds_conditions& conditions, const measured_source& source,
                                        const std::vector<kernel_trials>& trials, std::vector<bounds_answer>& answers,
                                        const listener& news);

}  // namespace launchbox
