// Edits of a source file that can be undone one by one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace launchbox {

/// Writes `after` into a file that must still be `before`, and keeps `before` next to it in FILE.before-A-B, where A
/// and B are the XXH3 hashes of `after` and `before` in 16 hex digits; .2, .3, ... if an earlier edit led to the same
/// text. Follows links and keeps permissions. The backup is complete before the file is changed. Returns the name of
/// the backup. Throws `error` and changes nothing if the file has changed or cannot be written. Waits for another
/// process that edits in the same folder, and reports that to `waiting` (see `folder_lock`).
std::filesystem::path apply_edit(const std::filesystem::path& file, std::string_view before, std::string_view after,
                                 const std::function<void(const std::string&)>& waiting = {});

/// Undoes the last edit: replaces the file by the backup for its current text. Returns the name of that backup. Throws
/// `error` if there is none, or if the file or the backup has changed since.
std::filesystem::path revert_edit(const std::filesystem::path& file,
                                  const std::function<void(const std::string&)>& waiting = {});

}  // namespace launchbox
