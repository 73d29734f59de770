// Selected recorded results, ranked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/listener.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "tune/store/result_filter.hpp"

namespace launchbox {

struct results_request {
    std::vector<std::string> files;  ///< - is standard input
    std::string gpu;                 ///< a part of its name, or the processor's; empty: all
    std::int64_t run = 0;            ///< its number; 0: all
    value_filter workloads, parameters;
    std::string objective = {};  ///< in the place of that of the runs; empty: theirs
};

struct recorded_results {
    results_report report;
    exit_status status = exit_status::done;  ///< else a file among several could not be read, which is said
};

/// Throws `error` if nothing matches the selection, and lists what is recorded.
recorded_results read_results(const results_request& request, const listener& news = {});

/// The runs, oldest call first.
void sort_by_calls(results_report& found);

}  // namespace launchbox
