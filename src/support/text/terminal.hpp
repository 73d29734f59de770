// What the output device can show.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace launchbox {

/// How output should look.
struct output_style {
    int width = 100;      ///< columns
    bool colour = false;  ///< use escape sequences
    bool unicode = true;  ///< the reader can show more than ASCII
};

/// The style of standard output: colour on a terminal unless NO_COLOR is set, the terminal's width (COLUMNS overrides;
/// 100 without a terminal), Unicode unless the locale says otherwise.
output_style style_of_standard_output();
/// The same for standard error.
output_style style_of_standard_error();

/// Columns that UTF-8 text takes on a terminal; escape sequences take none.
int display_width(std::string_view text);

/// The text in at most `width` columns: the middle is replaced by … if it is too long. No escape sequences.
std::string shortened(std::string_view text, int width);

/// The text for ASCII output: our own arrows, signs and bars are replaced by ASCII characters.
std::string to_ascii(std::string_view text);

/// Makes foreign text (a kernel's name, a path, a compiler's line) safe to show: control characters, invisible
/// characters, those that change the direction of writing, and bytes that are not UTF-8 become \xNN.
std::string escape_for_terminal(std::string_view text);

/// 1234567 as "1,234,567".
std::string with_commas(std::int64_t value);

}  // namespace launchbox
