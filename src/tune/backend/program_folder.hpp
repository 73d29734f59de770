// The folders in which programs are built: the files that a build leaves there, and copies of the spec's folder for
// builds that write beside their sources.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace launchbox {

/// Throws `error` if a folder cannot be copied for each candidate, and suggests what to do instead: it is too large, or
/// a link in it leads to something outside that a build could change.
void check_copied_folder(const std::filesystem::path& folder);

/// Copies `folder` to a place below `into`, an existing folder, and returns that place. Relative names above the folder
/// (../include) refer to the same files from the copy. Compiled files (objects, libraries, programs) get a time stamp
/// older than all others, so that `make` rebuilds them. `left_out`: names of files in `folder` that are not copied.
std::filesystem::path copy_of_folder(const std::filesystem::path& folder, const std::filesystem::path& into,
                                     const std::vector<std::string>& left_out);

/// The words of a command, with absolute names inside `folder` replaced by those in the copy.
std::vector<std::string> words_for_copy(std::vector<std::string> words, const std::filesystem::path& folder,
                                        const std::filesystem::path& copy);

/// The files of a folder and its subfolders, by relative name, with attributes that change when they are written.
std::map<std::string, std::string> files_in(const std::filesystem::path& folder);

/// A hash of the names and contents of all files that differ from `before`. Empty if none differs.
std::string hash_of_changes(const std::filesystem::path& folder, const std::map<std::string, std::string>& before);

}  // namespace launchbox
