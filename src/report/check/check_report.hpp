// Results of `check`, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "advice/check/check_result.hpp"
#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// Everything that any form of the report needs.
struct check_outcome {
    check_result result;
    std::vector<inspected_input> inputs;
    std::string directory;       ///< where the tool was started; paths below it are shown relative to it
    std::string version;         ///< of launchbox
    bool keeps_figures = false;  ///< a new baseline is written anyway, so it is not recommended
};

/// Rows per table.
inline constexpr std::size_t max_check_rows = 200;

document check_document(const check_outcome& outcome, std::size_t max_rows = max_check_rows);

/// GitHub accepts 65,536 characters in a comment, and a script may add some in front. A longer text is shortened by
/// leaving out rows; a line says how many.
inline constexpr std::size_t max_check_markdown = 60'000;  // bytes
std::string check_markdown(const check_outcome& outcome);

/// launchbox.check/1.
nlohmann::ordered_json check_json(const check_outcome& outcome);

/// One row per finding.
table check_table(const check_outcome& outcome);

/// "12 kernels × architectures checked against 3 rules: 2 violations, 1 unused rule".
std::string summary_of(const check_result& result);

/// "merge<int, 256>", with its file in brackets where the name alone is ambiguous.
std::string title_of(const checked_kernel& kernel);

/// "sm_90"; "?" if unknown.
std::string architecture_of(const checked_kernel& kernel);

/// "launchbox.budget.toml:7".
std::string place_text(const file_line& place);

/// "no code that runs on sm_80; the kernel has code for sm_90", for one that fails.
std::string lost_text(const gone_kernel& gone);
/// The same for `lost_architectures`.
std::string lost_text(const std::string& architecture, std::size_t kernels);

/// "broken", "unknown", "better".
const char* status_name(check_status status);

/// A whole number as an integer, any other as a fraction.
nlohmann::ordered_json number_json(double value);

/// "a.o: no kernel was checked: it holds 1 LTO-IR image (compute_90)".
std::string unchecked_text(const unchecked_part& part);

/// The failures, one line each: "merge<int> sm_90: 272 B of spills ... (launchbox.budget.toml:3)".
std::vector<std::string> failures_of(const check_result& result);

}  // namespace launchbox
