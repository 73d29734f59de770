// `inspect --lines`: the source lines that cause the spills of each kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "advice/inspect/line_summary.hpp"
#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// What all pages about lines need besides the kernels.
struct line_names {
    std::string folder;  ///< shown paths are relative to it; empty: unchanged
    /// Short names of inlined functions, keyed by views into the kernels' `line_places`.
    std::unordered_map<std::string_view, std::string> functions;
};

/// At most this many lines per kernel; the others are summed up below.
inline constexpr std::size_t lines_of_a_kernel = 8;

/// Whether the live registers of a kernel are known.
bool has_pressure(const inspected_kernel& kernel);

/// The number of kernels not shown: `beyond` the room of the page, and those left out by --top.
void add_not_shown(document& page, const inspection& found, std::size_t beyond);

/// A table of spilling lines for each kernel that spills; one line about the others.
document lines_document(const inspection& found, const line_names& names, std::size_t lines_shown);

/// Where the most registers are live in each kernel, which lines need them, and since which lines.
document pressure_document(const inspection& found, const line_names& names, std::size_t lines_shown);

/// What the instructions of each kernel do, and which lines load and store what, deepest loops first.
document traffic_document(const inspection& found, const line_names& names, std::size_t lines_shown);

/// "poly.cuh:4 in poly, inlined at poly.cuh:13 in twice, at app.cu:17"
std::string place_text(const line_cost& cost, const line_names& names);

/// A path, relative to the folder of `names`.
std::string file_text(std::string_view file, const line_names& names);

/// `frames` of a line: its file, line and function, then the calls through which it was inlined.
nlohmann::ordered_json frames_json(const std::vector<line_frame>& frames);

/// One row per spilling line of each kernel; with `live` also one per line with live registers, in their order.
table lines_table(const inspection& found, const line_names& names, bool live);

/// `lines` of a kernel in launchbox.kernels/2.
nlohmann::ordered_json lines_json(const inspected_kernel& kernel);

/// `register_pressure` of a kernel in launchbox.kernels/2; `next`: its cheapest step to more resident blocks.
nlohmann::ordered_json pressure_json(const inspected_kernel& kernel, const std::optional<next_step>& next);

/// `code` of a kernel in launchbox.kernels/2.
nlohmann::ordered_json traffic_json(const inspected_kernel& kernel);

/// The text of a file, to be shown beside the costs of its lines.
struct margin_source {
    std::string file;
    std::vector<std::string> text;  ///< its lines; empty if it could not be read
    std::string remark;             ///< "it is not there", "it has changed since"
};

/// `inspect --lines=source`: the text of each file with the costs of its lines in the margin, one kernel at a time.
document margin_document(const inspection& found, const line_names& names, const std::vector<margin_source>& sources,
                         const output_style& style);

}  // namespace launchbox
