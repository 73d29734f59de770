// Checks kernels of the user's inputs against a budget, the figures of an earlier build, and limits on whole inputs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/check/baseline.hpp"
#include "advice/check/budget.hpp"
#include "app/input/kernel_input.hpp"
#include "report/check/check_report.hpp"

namespace launchbox {

inline constexpr const char* default_baseline = "launchbox.baseline";

struct check_request {
    kernel_request input;
    std::string budget, baseline;               ///< files; empty: those of the current folder, where they are
    std::optional<std::int64_t> stack_reserve;  ///< bytes that any GPU may set aside for stacks
    std::optional<std::int64_t> image_bytes;    ///< that images may have in each file
    bool allow_empty = false;                   ///< nothing to check is no failure
    bool keeps_figures = false;                 ///< they are written anyway: nothing to check against is no error
};

/// What the kernels are compared with.
struct check_references {
    std::optional<budget> limits;
    std::optional<baseline> before;
    std::vector<std::string> errors;  ///< in these files, a line each; with some nothing is to be checked
};

/// Throws `error` if there is nothing to check against.
check_references read_references(const check_request& request);

struct checked_files {
    kernel_input input;
    check_result result;  ///< nothing is checked yet
};

checked_files read_checked_kernels(const check_request& request, const listener& news = {});

/// Checks everything, and reports the parts that were missing and so could not be checked.
void check_files(const check_request& request, const check_references& given, checked_files& files);

/// The figures of these kernels as a baseline for later builds. Throws `error` if there are none.
std::string baseline_of(const check_result& result);

}  // namespace launchbox
