// Text as editors and shells of other systems write it, and names of files as they write them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace launchbox {

/// The text without the byte order mark that editors on Windows put before it. With a mark of UTF-16, which is what
/// `>` of PowerShell writes, it is converted; what is no character there becomes U+FFFD.
std::string utf8_text(std::string text);

/// Whether it begins with a mark, and `utf8_text` changes it.
bool has_text_mark(std::string_view bytes);

/// Whether it begins with a mark of UTF-16: half of the bytes of such text are zeros, as in binaries.
bool is_utf16_text(std::string_view bytes);

/// Whether a file's name ends like this, in whatever case: ".cu" of "K.CU".
bool has_ending(std::string_view name, std::string_view ending);

}  // namespace launchbox
