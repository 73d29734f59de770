// The folders in which programs are built: what a build leaves there, and copies of the spec's folder for builds that
// write where their sources are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace launchbox {

/// Throws `error` where a folder cannot be copied for each candidate, with what to do instead: it is too large, or a
/// link in it leads to something outside that a build could change.
void check_copied_folder(const std::filesystem::path& folder);

/// Copies `folder` to somewhere below `into`, a folder that is there, and returns where. Relative names above the
/// folder (../include) mean the same from the copy. What a compiler made (objects, libraries, programs) is copied with
/// a time before all others, so that `make` makes it again. `left_out`: names of files in `folder` that are not copied.
std::filesystem::path copy_of_folder(const std::filesystem::path& folder, const std::filesystem::path& into,
                                     const std::vector<std::string>& left_out);

/// The words of a command, in which absolute names of what lies in `folder` are those of the copy.
std::vector<std::string> words_for_copy(std::vector<std::string> words, const std::filesystem::path& folder,
                                        const std::filesystem::path& copy);

/// The files of a folder and those below it, by their name from there, with what changes when they are written.
std::map<std::string, std::string> files_in(const std::filesystem::path& folder);

/// Of the names and the contents of all files that are not as they were `before`. Empty: none.
std::string hash_of_changes(const std::filesystem::path& folder, const std::map<std::string, std::string>& before);

}  // namespace launchbox
