// Edits of a source file that can be undone, one after the other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace launchbox {

/// Writes `after` into a file that has to be `before` still, and keeps `before` beside it in FILE.before-A-B, where A
/// and B are the XXH3 hashes of `after` and `before` in 16 hex digits; .2, .3, ... where an edit led to the same text
/// before. A link is followed, and permissions stay. The backup is complete before the file is touched. Returns the
/// name of the backup; throws `error` and leaves everything as it was when the file has changed or cannot be written.
/// Waits for another process that edits in the same folder, and reports that to `waiting` (see `folder_lock`).
std::filesystem::path apply_edit(const std::filesystem::path& file, std::string_view before, std::string_view after,
                                 const std::function<void(const std::string&)>& waiting = {});

/// Undoes the last edit: replaces the file by the backup of its current text. Returns the name of that backup. Throws
/// `error` if there is none, or if the file or the backup was changed since.
std::filesystem::path revert_edit(const std::filesystem::path& file,
                                  const std::function<void(const std::string&)>& waiting = {});

}  // namespace launchbox
