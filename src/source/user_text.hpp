// Extracts the user's own files from preprocessed text, with the original place of each line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/text/source_location.hpp"

namespace launchbox {

/// A line marker of the preprocessor: `# 12 "dir/k.cu" 1 3`, with \" \\ and \ooo in the name.
struct line_marker {
    int line = 0;
    std::string file;
    bool system = false;  ///< flag 3
};

/// `nullopt` for any other line.
std::optional<line_marker> read_line_marker(std::string_view line);

/// System headers (flag 3 of a line marker) and those beside CUDA's cuda_runtime.h are not the user's.
struct user_text {
    std::string text;                    ///< without line markers; may have #define and #undef
    std::vector<source_location> lines;  ///< original place of each line
    std::vector<std::string> files;      ///< the user's files, distinct, as the markers name them

    /// The place of a line of `text`, from 1.
    [[nodiscard]] source_location place(int line) const;
};
user_text read_user_text(std::string_view preprocessed);

}  // namespace launchbox
