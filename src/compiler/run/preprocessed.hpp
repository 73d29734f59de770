// The output of a preprocessor: the text of a source, and the files from which it is made.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The files that line markers (`# 1 "k.cu"`) of preprocessed text name, sorted.
std::vector<std::string> files_in(const std::string& preprocessed);

/// A hash of preprocessed text without its line markers: the same wherever the files lie, and for an edit that moves
/// lines and no more. `from`, `to`: when it was made; what `__DATE__` and `__TIME__` were then does not count.
std::string hash_of_preprocessed(std::string_view preprocessed, std::time_t from, std::time_t to);

/// The files that EDG's --trace_includes names, one a line, indented by a blank for each level.
std::vector<std::string> files_traced_in(std::string_view trace);

}  // namespace launchbox
