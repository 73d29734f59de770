// The most expensive source lines of a kernel, in display order.
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
    std::string_view function;  ///< as the linker knows it; empty for the kernel itself, or if unknown
};

/// The costs of one line. The first frame is the line itself, each further one the call through which the previous one
/// was inlined; no frames: code without a line.
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

/// Fewer registers with which more blocks are resident, and what that requires of the code.
struct register_saving {
    int registers = 0;      ///< to save
    int blocks = 0;         ///< resident then
    int live_at_most = 0;   ///< an estimate: assumes that registers unused at the peak are still needed
    std::size_t lines = 0;  ///< lines that need more: the first of `crowded_lines`
};

/// From `next`, the cheapest step to more resident blocks. `nullopt` if registers alone are not enough, or the live
/// registers or their lines are unknown.
std::optional<register_saving> register_saving_of(const kernel_info& kernel, const std::optional<next_step>& next);

/// Why the kernel has more registers than are live at once, in words; empty if it does not, or if that is unknown.
std::string why_more_registers(const kernel_info& kernel);

/// All lines, in the order of their places.
std::vector<line_cost> all_lines(const kernel_lines& lines);

/// The names of functions inlined into these kernels, distinct, in no particular order; views into their `line_places`.
std::vector<std::string_view> functions_of(const std::vector<const kernel_lines*>& kernels);

/// The sums of all lines; `place` has no meaning.
line_use total_of(const kernel_lines& lines);

/// Adds the figures of one use to a sum.
void add_to(line_use& sum, const line_use& use);

/// The cost of one line of a file: its own, and that of all code inlined by calls on it.
struct margin_cost {
    line_use own, with_inlined;
};

/// By file and line. `with_inlined` counts an instruction once, even if a function calls itself on one line.
using margin_costs = std::map<std::string_view, std::map<int, margin_cost>>;

margin_costs margins_of(const kernel_lines& lines);

/// Why no line can be named, and how to fix that; empty if lines are known, or there is nothing to show.
std::string why_no_lines(const kernel_info& kernel);

}  // namespace launchbox
