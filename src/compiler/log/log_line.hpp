// One line of a compiler's log: the tool, the severity, and the figures.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/log/resource_log.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// `ptxas info    : TEXT`, `ptxas FILE, line 12; error   : TEXT`, `foo.cu(12): error: TEXT` and similar lines, with any
/// prefix of a build tool.
struct log_statement {
    std::string_view tool = {};  ///< as `log_message::tool`
    log_severity severity = log_severity::info;
    std::string_view text = {};
    std::string_view source_file = {};
    std::optional<int> source_line = std::nullopt;
    std::string_view prefix = {};  ///< text in front of it on its line: the writer, the time
};

/// Includes lines of nvJitLink, cuLink and the driver, `info    : TEXT` without a name, which count as nvlink's.
std::optional<log_statement> find_statement(std::string_view line);

/// Positions in a line where `ptxas info    :` and similar begin, tool by tool. The time is linear in the line.
std::vector<std::size_t> find_tool_marks(std::string_view line);

/// The kernel that a sentence of ptxas or nvlink names; empty if none. Names may contain quotes.
std::string_view named_kernel(std::string_view sentence);

/// The figures in a list: "24 registers, used 1 barriers, 28+16 bytes smem, 372 bytes cmem[0]".
struct resource_figures {
    std::optional<int> registers, barriers;
    std::optional<std::int64_t> cumulative_stack, local, shared, global;
    std::vector<constant_bank> constant_banks;  ///< ascending
    std::string diagnostic;                     ///< the first unreadable field; empty if all were read
};

resource_figures read_figures(std::string_view list);

/// `0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`, with anything in front.
struct stack_figures {
    std::optional<std::int64_t> frame, spill_stores, spill_loads;
    std::string diagnostic;
    std::string_view prefix;  ///< as `log_statement::prefix`
};

std::optional<stack_figures> find_stack_figures(std::string_view line);

/// A line as a terminal shows it: without escape sequences, and not all in capitals. `buffer` holds the text if it had
/// to be changed.
std::string_view plain_text(std::string_view line, std::string& buffer);

std::string_view trimmed(std::string_view text);

/// The quoted name at the front of `text`, without the quotes; `nullopt` if there is none. A quote within it, as in
/// llvm-cxxfilt's `main::'lambda'(float)`, does not end it.
std::optional<std::string_view> quoted_name(std::string_view text);

/// Removes `prefix` from the front of `text`, if present.
bool take_prefix(std::string_view& text, std::string_view prefix);

}  // namespace launchbox
