// Text in the encodings of other systems' editors and shells, and endings of file names.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The text without the byte order mark that editors on Windows write. UTF-16, which PowerShell's `>` writes, is
/// converted, with or without a mark, even if several programs have appended to the file; invalid characters become
/// U+FFFD.
std::string utf8_text(std::string text);

/// Whether `utf8_text` would change it. Half of the bytes of UTF-16 are zeros, as in binaries, so ask before.
bool is_not_utf8(std::string_view bytes);

/// Whether a file name ends with this, ignoring case: ".cu" for "K.CU".
bool has_ending(std::string_view name, std::string_view ending);

}  // namespace launchbox
