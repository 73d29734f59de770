// Finds files named in a command line whose options are not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace launchbox {

/// Every existing file named by a word, or by the part of a word after or between `=`, `,` and `@`, and the files named
/// in these files: response files of nvcc, of ptxas (-Xptxas --options-file=o.txt) and of the host compiler, whatever
/// their options are called. It may return too many: a word may look like a file name that the command does not use.
/// Relative names refer to `folder`. Sorted, in their original spelling.
std::vector<std::filesystem::path> named_files(const std::vector<std::string>& words,
                                               const std::filesystem::path& folder);

/// Splits at blanks, like response files and environment variables; removes quotation marks and backslashes.
std::vector<std::string> words_in(const std::string& text);

}  // namespace launchbox
