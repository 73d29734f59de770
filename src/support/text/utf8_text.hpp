// Text as editors and shells of other systems write it, and names of files as they write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The text without the byte order mark that editors on Windows write. UTF-16, which PowerShell's `>` writes, is
/// converted, with or without a mark, also if several programs have appended to the file; invalid characters become
/// U+FFFD.
std::string utf8_text(std::string text);

/// Whether `utf8_text` changes it. Half of the bytes of UTF-16 are zeros, as in binaries: ask before.
bool is_not_utf8(std::string_view bytes);

/// Whether a file's name ends with this, ignoring case: ".cu" of "K.CU".
bool has_ending(std::string_view name, std::string_view ending);

}  // namespace launchbox
