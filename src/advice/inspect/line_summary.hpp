// The lines of a kernel's source that cost most, in the order in which they are shown.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/model/account.hpp"
#include "image/kernel_info.hpp"
#include "image/lines/code_lines.hpp"

namespace launchbox {

/// A line of a function; views into the kernel's `line_places`.
struct line_frame {
    std::string_view file;
    int line = 0;
    std::string_view function;  ///< as the linker knows it; empty: the kernel itself, or unknown
};

/// What the code of one line does. The first frame is the line itself, each further one the call by which the one
/// before it was inlined; empty: code without a line.
struct line_cost {
    std::vector<line_frame> frames;
    line_use use;
};

/// Lines with spills, most bytes first, then by number; code without a line comes last.
std::vector<line_cost> spilling_lines(const kernel_lines& lines);

/// The first `most` lines with live registers, most registers first, then by number.
std::vector<line_cost> crowded_lines(const kernel_lines& lines, std::size_t most);

/// The line with this number in `kernel_lines::places`; without frames if there is no such line.
line_cost line_at(const kernel_lines& lines, std::uint32_t place);

/// Fewer registers with which more blocks are resident, and what that asks of the code.
struct register_saving {
    int registers = 0;      ///< to save
    int blocks = 0;         ///< resident then
    int live_at_most = 0;   ///< an estimate: assumes that the registers that hold nothing at the peak are still needed
    std::size_t lines = 0;  ///< that need more: the first of `crowded_lines`
};

/// From `next`, the cheapest step to more resident blocks. nullopt: registers alone are not enough, or the live
/// registers or their lines are not known.
std::optional<register_saving> register_saving_of(const kernel_info& kernel, const std::optional<next_step>& next);

/// In words, why the kernel has more registers than are live at once; empty where it has not, or that is not known.
std::string why_more_registers(const kernel_info& kernel);

/// All of them, in the order of their places.
std::vector<line_cost> all_lines(const kernel_lines& lines);

/// The names of the functions that code of these kernels was inlined from, without duplicates, in no order; views of
/// their `line_places`.
std::vector<std::string_view> functions_of(const std::vector<const kernel_lines*>& kernels);

/// The sums of all lines; `place` has no meaning.
line_use total_of(const kernel_lines& lines);

/// Adds the figures of one use to a sum.
void add_to(line_use& sum, const line_use& use);

/// What one line of a file costs: itself, and all code inlined by calls on it.
struct margin_cost {
    line_use own, with_inlined;
};

/// By file and line. `with_inlined` counts an instruction once, also where a function calls itself on one line.
using margin_costs = std::map<std::string_view, std::map<int, margin_cost>>;

margin_costs margins_of(const kernel_lines& lines);

/// Why no line can be named, and what to do; empty if lines are known, or there is nothing to show.
std::string why_no_lines(const kernel_info& kernel);

}  // namespace launchbox
