// `inspect --lines`: which lines of the source the spills of each kernel come from.
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

/// What all pages about lines need beside the kernels.
struct line_names {
    std::string folder;  ///< paths in it are shown without it; empty: as they are
    /// Short forms of the names of inlined functions, by views of the kernels' `line_places`.
    std::unordered_map<std::string_view, std::string> functions;
};

/// At most so many lines a kernel; the others are summed up below them.
inline constexpr std::size_t lines_of_a_kernel = 8;

/// Whether the live registers of a kernel are known.
bool has_pressure(const inspected_kernel& kernel);

/// How many kernels are not shown: `beyond` those that a page has room for, and those that --top left out.
void add_not_shown(document& page, const inspection& found, std::size_t beyond);

/// A table of spilling lines for each kernel that spills; what else there is to say of the others in a line.
document lines_document(const inspection& found, const line_names& names, std::size_t lines_shown);

/// Where most registers are live in each kernel, which lines need them, and since which lines they are needed.
document pressure_document(const inspection& found, const line_names& names, std::size_t lines_shown);

/// What the instructions of each kernel do, and which lines load and store what, most deeply in loops first.
document traffic_document(const inspection& found, const line_names& names, std::size_t lines_shown);

/// "poly.cuh:4 in poly, inlined at poly.cuh:13 in twice, at app.cu:17"
std::string place_text(const line_cost& cost, const line_names& names);

/// A path, without the folder of `names`.
std::string file_text(std::string_view file, const line_names& names);

/// `frames` of a line: its file, line and function, then those of the calls that it was inlined by.
nlohmann::ordered_json frames_json(const std::vector<line_frame>& frames);

/// A row for each line of each kernel that spills; with `live` for each with live registers as well, in their order.
table lines_table(const inspection& found, const line_names& names, bool live);

/// `lines` of a kernel in launchbox.kernels/2.
nlohmann::ordered_json lines_json(const inspected_kernel& kernel);

/// `register_pressure` of a kernel in launchbox.kernels/2; `next`: its cheapest step to more resident blocks.
nlohmann::ordered_json pressure_json(const inspected_kernel& kernel, const std::optional<next_step>& next);

/// `code` of a kernel in launchbox.kernels/2.
nlohmann::ordered_json traffic_json(const inspected_kernel& kernel);

/// A file's text beside what its lines cost.
struct margin_source {
    std::string file;
    std::vector<std::string> text;  ///< its lines; empty: it could not be read
    std::string remark;             ///< "it is not there", "it has changed since"
};

/// `inspect --lines=source`: the text of each file with the costs of its lines in the margin, a kernel at a time.
document margin_document(const inspection& found, const line_names& names, const std::vector<margin_source>& sources,
                         const output_style& style);

}  // namespace launchbox
