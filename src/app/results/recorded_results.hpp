// Recorded results: selected and ranked, as a map over parameters, as rows that serve several GPUs, as rows in use.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "app/listener.hpp"
#include "gpu/driver.hpp"
#include "report/tune/landscape_report.hpp"
#include "report/tune/portability_report.hpp"
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

/// Throws `error` for unknown names, and for a unit in which nothing was recorded.
landscape_report draw_landscape(results_report found, const landscape_request& request, const std::string& unit);

/// `within`: the accepted loss, 0.02 for 2 %. GPUs stand in the order in which their files were named. Throws `error`
/// for records that cannot be compared.
portability_report find_portable_rows(results_report found, double within);

/// Fills `rows` of the report for each tunable: for the GPUs of its runs, if there are several or the user asks for
/// any; for these architectures; and for these GPUs.
void add_used_rows(results_report& report, const std::vector<compute_capability>& architectures,
                   const std::vector<gpu_device>& gpus);

}  // namespace launchbox
