// The files that this process has read, which must not be overwritten.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace launchbox {

/// Notes that `file` is an input, for the whole process. The readers in this folder call it for each file that they
/// open; code that starts a program that reads a file, or opens one through a library, must call it, too. A file that
/// does not exist is noted by its path: it may be about to be created. Files in temporary folders of this process are
/// not noted.
void note_read(const std::filesystem::path& file);

/// The same for those that exist: a compiler also names things that are not files (`<built-in>`).
void note_files_read(const std::vector<std::filesystem::path>& named);

/// Whether writing to `file` would change a noted one: compares device and inode, so that links and other names count,
/// and paths.
bool was_read(const std::filesystem::path& file);

}  // namespace launchbox
