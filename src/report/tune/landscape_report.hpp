// Maps of recorded results over one or two parameters, and the table of the best candidates by type, size and GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "report/tune/results_report.hpp"
#include "tune/ranking/landscape.hpp"

namespace launchbox {

/// The unit in which a map shows its candidates: time, one kind of work per second, or the share of the best.
struct landscape_unit {
    enum class kind { ms, rate, share };

    kind what = kind::share;
    const work_kind* work = nullptr;  ///< for a rate
};

/// "ms", "elements/s", "GB/s", "GFLOP/s", "share".
std::vector<std::string> landscape_unit_names();
std::string name_of(const landscape_unit& unit);

struct landscape_report {
    results_report found;  ///< `runs` are the records of the landscape, the oldest first
    landscape drawn;
    std::string unit = {};  ///< as the user named it; empty: time if there is one, else share
};

/// Throws `error` if no map can be shown in the requested unit.
void check_unit(const landscape_report& report);
/// `nullopt` if the map has no values in the requested unit.
std::optional<landscape_unit> unit_of(const landscape_report& report, const landscape_map& map);

/// Beyond these sizes a map is unreadable. Throws `error` that names the form with all of the data.
constexpr std::size_t max_map_side = 100, max_maps = 200;
void check_size(const landscape_report& report);

/// What one cell shows.
struct landscape_cell_text {
    std::string value;                  ///< "0.0144", "97.3"; empty if there is none
    std::string sign;                   ///< "*", "=~"; without a value, the letter for the reason
    std::string note;                   ///< the same in words
    std::optional<double> number = {};  ///< the value in its unit: ms, % or a rate
};
/// In the order of `map.cells`.
std::vector<landscape_cell_text> cell_texts(const landscape_report& report, const landscape_map& map);

/// Explanations of the signs that occur in these texts, and an example for each letter: one line each.
std::vector<std::string> sign_legend(const std::vector<std::vector<landscape_cell_text>>& maps);

/// The values of an axis.
std::vector<std::string> axis_names(const landscape_map& map, std::size_t axis);
/// "type = int, n = 1,048,576"; empty if a single map covers everything.
std::string map_title(const landscape_report& report, const landscape_map& map);
/// "ms of the fastest candidate; threads across, items down".
std::string map_text(const landscape_report& report, const landscape_map& map, bool transposed);
/// Sentences about the best candidate, how certain it is, and what the map leaves out.
std::vector<std::string> map_verdicts(const landscape_report& report, const landscape_map& map);

/// Whether to swap columns and rows, because there are many columns and few rows.
bool reads_better_transposed(const landscape_map& map, std::size_t columns);

document landscape_document(const landscape_report& report, const output_style& style);
/// With one axis: a line per value. Without: a line per map.
table values_table(const landscape_report& report, const landscape_map& map);
table best_table(const landscape_report& report);
/// The cost of using one candidate everywhere; empty if there is no such candidate.
std::string everywhere_text(const landscape_report& report);

/// launchbox.map/1, one cell at a time.
void write_landscape_json(const landscape_report& report, std::ostream& out);
/// One row per cell, as in JSON.
table landscape_table(const landscape_report& report);

}  // namespace launchbox
