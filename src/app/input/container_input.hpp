// Folders, and packed files: a wheel, a conda or Debian package, a tar file.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "app/input/binary_input.hpp"

namespace launchbox {

struct input_summary;

void read_folder(input_reading& reading, const std::string& folder);

/// What is neither a source nor a folder, by its bytes: packed files, binaries, and logs where the user names them.
/// False: it is of no kind that is read.
bool read_content(input_reading& reading, const std::string& file, const file_content& content, given how);

/// Of a file: what is said of one that does not stay the same.
inline constexpr const char* was_changed = "was changed by another program while it was read";

/// A file without code for what was asked is no input.
bool is_idle_member(const input_summary& file);

}  // namespace launchbox
