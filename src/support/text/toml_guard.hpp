// Keeps text away from the TOML library that it cannot handle.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

/// A place in the text, both from 1 (column 0: the whole line), what is wrong there and how to fix it.
struct toml_trouble {
    int line = 0, column = 0;
    std::string what;
    std::string hint;
};

/// The first thing in the text that toml++ 3.3 must not see. Our files need none of these: long chains of dotted keys,
/// which become nested tables that are destroyed recursively; characters outside of ASCII that are neither in a string
/// nor in a comment, for some of which its test for white space is undefined; multi-line strings, in which it uses the
/// same test; quotes in the middle of a word, which do not begin a string; a bracket that begins a table header without
/// a name after it, where it aborts or, without assertions, continues as if there were one; and a closing brace in the
/// place of an array's value, with the same effect.
std::optional<toml_trouble> trouble_for_the_parser(std::string_view text);

/// The text with each byte outside of ASCII, and each `~`, spelled `~hh`. The library's handling of other characters is
/// undefined in places that cannot be recognised from outside, such as a quote after a broken number.
std::string spelled_in_ascii(std::string_view text);

/// Reverses that spelling in a string that the library has read, or in one of its messages.
std::string from_ascii_spelling(std::string_view text);

/// Converts a column of that spelling to the column in the original line.
int column_from_ascii_spelling(std::string_view line, int column);

}  // namespace launchbox
