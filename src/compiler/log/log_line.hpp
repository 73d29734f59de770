// One line of a compiler's log: who says it and how bad it is, and the figures in it.
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
    std::string_view prefix = {};  ///< what is in front of it on its line: who writes, and when
};

/// Also of lines that nvJitLink, cuLink and the driver write, `info    : TEXT` without a name: they are nvlink's.
std::optional<log_statement> find_statement(std::string_view line);

/// Where `ptxas info    :` and the like begin in a line, tool by tool. The time is linear in the line.
std::vector<std::size_t> find_tool_marks(std::string_view line);

/// The kernel that a sentence of ptxas or nvlink names; empty when it names none. Names may have quotes in them.
std::string_view named_kernel(std::string_view sentence);

/// The figures of a list: "24 registers, used 1 barriers, 28+16 bytes smem, 372 bytes cmem[0]".
struct resource_figures {
    std::optional<int> registers, barriers;
    std::optional<std::int64_t> cumulative_stack, local, shared, global;
    std::vector<constant_bank> constant_banks;  ///< rising
    std::string diagnostic;                     ///< the first field that cannot be read; empty: all could
};

resource_figures read_figures(std::string_view list);

/// `0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads`, with anything in front.
struct stack_figures {
    std::optional<std::int64_t> frame, spill_stores, spill_loads;
    std::string diagnostic;
    std::string_view prefix;  ///< as `log_statement::prefix`
};

std::optional<stack_figures> find_stack_figures(std::string_view line);

/// A line as a terminal shows it: without escape sequences, and not in capitals alone. `buffer` holds the text where it
/// had to be changed.
std::string_view plain_text(std::string_view line, std::string& buffer);

std::string_view trimmed(std::string_view text);

/// The quoted name at the front of `text`, without the quotes; nullopt if there is none. A quote within it, as in
/// llvm-cxxfilt's `main::'lambda'(float)`, does not end it.
std::optional<std::string_view> quoted_name(std::string_view text);

/// Removes `prefix` from the front of `text`, if present.
bool take_prefix(std::string_view& text, std::string_view prefix);

}  // namespace launchbox
