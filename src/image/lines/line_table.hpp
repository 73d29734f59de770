// Where functions are written, from the line information that -lineinfo and -G put into a cubin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"

namespace launchbox {

/// Where the code of one function starts in its source: the line of its declaration or of its first statement.
struct line_of_function {
    std::uint64_t address_offset = 0;  ///< in the section: where a relocation puts the address of the function
    std::string_view folder, file;     ///< views into the section; `folder` may be empty
    int line = 0;
};

/// One row of the table: code from its address on is of this line, up to the address of the next row.
struct line_row {
    std::uint64_t distance = 0;       ///< bytes of code from the address of its sequence on
    std::uint32_t file = 0;           ///< of `line_rows::files`
    std::uint32_t line = 0;           ///< from 1; 0: code that is of no line, or the end of a function
    std::uint32_t inlined_into = 0;   ///< the number, from 1, of the row with the call; 0: the function's own code
    std::uint32_t function_name = 0;  ///< in `.debug_str`, of a function that was inlined
};

/// Rows from the same address on, up to those of the next sequence.
struct line_sequence {
    std::uint64_t address_offset = 0;  ///< in the section: where a relocation puts the address
    std::uint64_t start = 0;           ///< the stored address, to which the relocation is added
    std::size_t first_row = 0;         ///< of `line_rows::rows`
};

struct line_rows {
    std::vector<std::string> files;        ///< paths; each once
    std::vector<line_row> rows;            ///< in the order of the section; a row is inlined into an earlier one
    std::vector<line_sequence> sequences;  ///< of all rows
    bool cut_off = false;                  ///< there are more than `max_line_rows`
};

/// 400 MB: as many as 8 GB of code have in a build with optimisation.
inline constexpr std::size_t max_line_rows = std::size_t{1} << 24;

/// Calls `found` for every function of a `.debug_line` section (DWARF 2 to 4, which nvcc writes), in the order of the
/// section. `offset` is where the section starts in the image. What cannot be read becomes a diagnostic. With `rows`,
/// all rows are added to these.
void read_line_table(std::string_view section, std::uint64_t offset, std::vector<image_diagnostic>& diagnostics,
                     const std::function<void(const line_of_function&)>& found, line_rows* rows = nullptr);

/// "folder/file", or the file alone where it is absolute or the folder is unknown.
std::string source_path(const line_of_function& function);

}  // namespace launchbox
