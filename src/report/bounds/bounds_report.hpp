// Recommended launch bounds, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/bounds/bounds_overview.hpp"
#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

/// Conditions under which the times were measured.
struct bounds_conditions {
    compute_capability architecture;
    std::string gpu, driver;     ///< empty if this machine has no GPU
    std::string command, build;  ///< as the user typed them
    int runs = 0;                ///< of each row, in turns
    std::string date;            ///< "2026-11-21", UTC
};

struct bounds_report {
    std::vector<inspected_input> inputs;
    std::vector<bounds_answer> answers;  ///< grouped by kernel
    bounds_overview overview = {};       ///< of the answers
    std::string compiler = {};           ///< version of nvcc
    std::size_t compiles = 0;            ///< runs of nvcc
    std::size_t from_cache = 0;          ///< compiles found in the cache
    bool whole = true;                   ///< every attribute was compiled from the source
    std::optional<bounds_conditions> measured = std::nullopt;
};

/// With more answers than this, the page begins with a summary, and its tables show only important rows.
inline constexpr std::size_t few_answers = 3;

/// "(256,2)", "none": short, and without a space, so that a cell does not break it.
std::string short_attribute_text(const launch_attribute& attribute);

document bounds_document(const bounds_report& found, const output_style& style);

/// launchbox.bounds/1.
nlohmann::ordered_json bounds_json(const bounds_report& found);

/// One row per row of the answers.
table bounds_table(const bounds_report& found);

}  // namespace launchbox
