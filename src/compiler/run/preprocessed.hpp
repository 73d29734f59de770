// Output of a preprocessor: the text of a source, and the files that it was made from.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ctime>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The files named by line markers (`# 1 "k.cu"`) of preprocessed text, sorted.
std::vector<std::string> files_in(const std::string& preprocessed);

/// A hash of preprocessed text without its line markers, so that moving files or lines does not change it. `from`,
/// `to`: when it was made; the values of `__DATE__` and `__TIME__` in that interval are ignored.
std::string hash_of_preprocessed(std::string_view preprocessed, std::time_t from, std::time_t to);

/// The files named by EDG's --trace_includes, one per line, indented by a blank per level.
std::vector<std::string> files_traced_in(std::string_view trace);

}  // namespace launchbox
