// Where functions are defined, from the line information of -lineinfo and -G in a cubin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"

namespace launchbox {

/// Where the code of one function starts in its source: the line of its declaration or first statement.
struct line_of_function {
    std::uint64_t address_offset = 0;  ///< in the section: where a relocation puts the address of the function
    std::string_view folder, file;     ///< views into the section; `folder` may be empty
    int line = 0;
};

/// One row of the table: the line of the code from its address up to that of the next row.
struct line_row {
    std::uint64_t distance = 0;       ///< bytes of code from the address of its sequence
    std::uint32_t file = 0;           ///< index into `line_rows::files`
    std::uint32_t line = 0;           ///< from 1; 0: code without a line, or the end of a function
    std::uint32_t inlined_into = 0;   ///< the number, from 1, of the row with the call; 0: the function's own code
    std::uint32_t function_name = 0;  ///< in `.debug_str`, of the inlined function
};

/// The rows from one address up to the next sequence.
struct line_sequence {
    std::uint64_t address_offset = 0;  ///< in the section: where a relocation puts the address
    std::uint64_t start = 0;           ///< the stored address, to which the relocation is added
    std::size_t first_row = 0;         ///< index into `line_rows::rows`
};

struct line_rows {
    std::vector<std::string> files;        ///< distinct paths
    std::vector<line_row> rows;            ///< in the order of the section; a row is inlined into an earlier one
    std::vector<line_sequence> sequences;  ///< of all rows
    bool cut_off = false;                  ///< there were more than `max_line_rows`
};

/// 400 MB: an optimised build has this many with 8 GB of code.
inline constexpr std::size_t max_line_rows = std::size_t{1} << 24;

/// Calls `found` for every function of a `.debug_line` section (DWARF 2 to 4, which nvcc writes), in the order of the
/// section. `offset`: where the section starts in the image. Unreadable parts become diagnostics. If `rows` is given,
/// all rows are added to it.
void read_line_table(std::string_view section, std::uint64_t offset, std::vector<image_diagnostic>& diagnostics,
                     const std::function<void(const line_of_function&)>& found, line_rows* rows = nullptr);

/// "folder/file", or only the file if it is absolute or the folder is unknown.
std::string source_path(const line_of_function& function);

}  // namespace launchbox
