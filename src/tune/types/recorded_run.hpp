// A run with all its results, from any kind of file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tune/types/results.hpp"

namespace launchbox {

/// All that is known of one run.
struct recorded_run {
    std::int64_t number = 0;  ///< in its store; that of its results and races, too
    run_info info;
    std::vector<stored_result> results;
    std::vector<race_result_info> races;
    std::vector<device_record> devices = {};  ///< the GPUs of the run
};

struct result_file {
    std::vector<recorded_run> runs;
    std::vector<std::string> diagnostics;  ///< what was left out, and why: one sentence each, with the file's name
};

}  // namespace launchbox
