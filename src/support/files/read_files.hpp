// Which files this process has read: none of them may be written over.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

namespace launchbox {

/// Notes that `file` is an input, for the whole process. The readers of this folder call it for each file that they
/// open; code that starts a program that reads a file, or opens one by a library, calls it too. A file that does not
/// exist is noted by its path: it may be about to be made. Files in temporary folders of this process are not noted.
void note_read(const std::filesystem::path& file);

/// The same for those that exist: a compiler also names things that are not files (`<built-in>`).
void note_files_read(const std::vector<std::filesystem::path>& named);

/// Whether writing to `file` would change a noted one: by device and number, so that links and other names count, and
/// by path.
bool was_read(const std::filesystem::path& file);

}  // namespace launchbox
