// Maps of recorded results over one or two parameters, and the table of the best by type, size and GPU.
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

/// In what a map shows its candidates: time, one kind of work in a second, or the share of the best.
struct landscape_unit {
    enum class kind { ms, rate, share };

    kind what = kind::share;
    const work_kind* work = nullptr;  ///< of a rate
};

/// "ms", "elements/s", "GB/s", "GFLOP/s", "share".
std::vector<std::string> landscape_unit_names();
std::string name_of(const landscape_unit& unit);

struct landscape_report {
    results_report found;  ///< `runs` are the records of the landscape, the oldest first
    landscape drawn;
    std::string unit = {};  ///< as it was asked for; empty: time where there is one, else share
};

/// Throws `error` where no map can be shown in the unit that was asked for.
void check_unit(const landscape_report& report);
/// `nullopt`: what was asked for is not known here.
std::optional<landscape_unit> unit_of(const landscape_report& report, const landscape_map& map);

/// More than these are no picture and no page for people. Throws `error` that names what has them all.
constexpr std::size_t max_map_side = 100, max_maps = 200;
void check_size(const landscape_report& report);

/// What one cell shows.
struct landscape_cell_text {
    std::string value;                  ///< "0.0144", "97.3"; empty: there is none
    std::string sign;                   ///< "*", "=~"; without a value the letter of why there is none
    std::string note;                   ///< all of it in words
    std::optional<double> number = {};  ///< the value in its unit: ms, % or so many a second
};
/// `map.cells` in their order.
std::vector<landscape_cell_text> cell_texts(const landscape_report& report, const landscape_map& map);

/// What the signs mean that occur in these texts, and an example for each letter: one line each.
std::vector<std::string> sign_legend(const std::vector<std::vector<landscape_cell_text>>& maps);

/// The values of an axis.
std::vector<std::string> axis_names(const landscape_map& map, std::size_t axis);
/// "type = int, n = 1,048,576"; empty where there is one map of everything.
std::string map_title(const landscape_report& report, const landscape_map& map);
/// "ms of the fastest candidate; threads across, items down".
std::string map_text(const landscape_report& report, const landscape_map& map, bool transposed);
/// Which candidate is the best, how surely, and what is not in the map: a sentence each.
std::vector<std::string> map_verdicts(const landscape_report& report, const landscape_map& map);

/// Whether columns and rows change places: there are many columns, and few rows.
bool reads_better_transposed(const landscape_map& map, std::size_t columns);

document landscape_document(const landscape_report& report, const output_style& style);
/// One axis: a line for each of its values. No axis: a line for each map.
table values_table(const landscape_report& report, const landscape_map& map);
table best_table(const landscape_report& report);
/// What the one candidate costs that is used everywhere; empty: there is none.
std::string everywhere_text(const landscape_report& report);

/// launchbox.map/1, written cell by cell.
void write_landscape_json(const landscape_report& report, std::ostream& out);
/// One row a cell, as they are in JSON.
table landscape_table(const landscape_report& report);

}  // namespace launchbox
