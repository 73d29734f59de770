// Where functions are written, from the line information that -lineinfo and -G put into a cubin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "image/image_diagnostic.hpp"

namespace launchbox {

/// Where the code of one function starts in its source: the line of its declaration or of its first statement.
struct line_of_function {
    std::uint64_t address_offset = 0;  ///< in the section: where a relocation puts the address of the function
    std::string_view folder, file;     ///< views into the section; `folder` may be empty
    int line = 0;
};

/// Calls `found` for every function of a `.debug_line` section (DWARF 2 to 4, which nvcc writes), in the order of the
/// section. `offset` is where the section starts in the image. What cannot be read becomes a diagnostic.
void read_line_table(std::string_view section, std::uint64_t offset, std::vector<image_diagnostic>& diagnostics,
                     const std::function<void(const line_of_function&)>& found);

/// "folder/file", or the file alone where it is absolute or the folder is not told.
std::string source_path(const line_of_function& function);

}  // namespace launchbox
