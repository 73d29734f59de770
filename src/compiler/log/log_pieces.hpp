// Extracts the lines of compilers from the output of a build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// One line of a compiler, or one of several merged into a line.
struct log_piece {
    /// gap: "...", where lines were left out
    enum class content : unsigned char { statement, stack, linker_command, gap };

    std::string_view text;   ///< the whole line, as a terminal shows it
    std::size_t prefix = 0;  ///< the bytes of the prefix, before the compiler's own text
    std::size_t line = 0;    ///< in the log, from 1
    bool terminated = true;  ///< it ended with a line break, so it is complete
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

/// The time is linear in the text. A carriage return, as in progress bars, also ends a line, but is not counted; so do
/// `\n` and `<br>`, as in JSON and web pages. `text` must outlive the result.
log_pieces read_pieces(std::string_view text);

/// nvcc --verbose prints `#$ nvlink -v -m64 --arch=sm_75 ...` before it runs the linker: the architecture in it, or
/// nothing.
std::string_view linker_architecture(std::string_view line);

}  // namespace launchbox
