// The lines of a log that a compiler wrote, out of all that a build prints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// One line of a compiler, or one of several that stand in one line.
struct log_piece {
    /// gap: "...", where somebody has left lines out
    enum class content : unsigned char { statement, stack, linker_command, gap };

    std::string_view text;   ///< the whole line, as a terminal shows it
    std::size_t prefix = 0;  ///< the bytes of the prefix, before the compiler's own text
    std::size_t line = 0;    ///< in the log, from 1
    bool terminated = true;  ///< it ended as a line does, so it is not cut
    bool of_source = false;  ///< a complete statement about a source
    bool opens = false;      ///< begins a report, or a part of one
    bool closes = false;     ///< ends a report, or a part of one
    content kind = content::statement;
};

struct log_pieces {
    std::vector<log_piece> list;
    std::size_t lines = 0;
    std::deque<std::string> changed;  ///< lines that differ from those in the log
};

/// The time is linear in the text. A carriage return ends a line too, as a progress bar's does; it is not counted. So
/// do `\n` and `<br>`, as JSON and pages have them.
/// `text` has to outlive the result.
log_pieces read_pieces(std::string_view text);

/// nvcc --verbose prints `#$ nvlink -v -m64 --arch=sm_75 ...` before it runs the linker: the architecture, or nothing.
std::string_view linker_architecture(std::string_view line);

}  // namespace launchbox
