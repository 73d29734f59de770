// Files that a command line names, for commands of which only the words are known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace launchbox {

/// Every existing file that a word names, whole or after or between `=`, `,` and `@`, and the files that the words in
/// these files name: response files of nvcc, of ptxas (-Xptxas --options-file=o.txt) and of the host compiler, whatever
/// their options are called. It may return too many: a word may look like the name of a file that the command does not
/// read. Relative names are from `folder`. Sorted, in their original spelling.
std::vector<std::filesystem::path> named_files(const std::vector<std::string>& words,
                                               const std::filesystem::path& folder);

/// Splits at blanks, as response files and environment variables do; quotation marks and backslashes go.
std::vector<std::string> words_in(const std::string& text);

}  // namespace launchbox
