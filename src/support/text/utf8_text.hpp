// Text as editors and shells of other systems write it, and names of files as they write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The text without the byte order mark that editors on Windows put before it. UTF-16, which is what `>` of PowerShell
/// writes, is converted, with a mark or without one, also where several programs have appended to one file what they
/// write; what is no character there becomes U+FFFD.
std::string utf8_text(std::string text);

/// Whether `utf8_text` changes it. Half of the bytes of UTF-16 are zeros, as in binaries: ask before.
bool is_not_utf8(std::string_view bytes);

/// Whether a file's name ends like this, in whatever case: ".cu" of "K.CU".
bool has_ending(std::string_view name, std::string_view ending);

}  // namespace launchbox
