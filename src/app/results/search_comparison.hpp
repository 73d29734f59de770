// Compares search strategies by replay of recorded spaces, and rows for GPUs whose own records were held out.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/listener.hpp"
#include "report/tune/search_bench_report.hpp"
#include "support/error.hpp"

namespace launchbox {

struct search_request {
    std::vector<std::string> paths;       ///< files with recorded runs, and folders with such files
    std::vector<std::string> strategies;  ///< empty: all but exhaustive
    std::int64_t repeats = 100, max_evaluations = 1000;
    std::uint64_t seed = 1;                  ///< of the first search; the others follow from it
    std::optional<left_out> leave_out = {};  ///< no searches: rows for each GPU from the records of the others
};

struct search_comparison {
    search_bench bench;
    exit_status status = exit_status::done;  ///< else a file could not be read, which is said
};

/// Throws `error` where no file contains a recorded space.
search_comparison compare_searches(const search_request& request, const listener& news = {});

}  // namespace launchbox
