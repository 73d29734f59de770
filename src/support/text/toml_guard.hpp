// What has to be kept from the TOML library, since it cannot cope with it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

/// A place in the text, both from 1 (column 0: the whole line), what is wrong there and what to do.
struct toml_trouble {
    int line = 0, column = 0;
    std::string what;
    std::string hint;
};

/// The first thing in the text that toml++ 3.3 must not see. Our files need none of these: long chains of dotted keys,
/// which become nested tables that are destroyed by recursion; characters outside of ASCII that are neither in a string
/// nor in a comment, for some of which its test for white space is undefined; multi-line strings, in which that test is
/// made too; quotes in the middle of a word, which do not begin a string; a bracket that begins a table's header
/// without a name after it, where it aborts or, without assertions, continues as if there were one; and a closing brace
/// in the place of an array's value, with the same effect.
std::optional<toml_trouble> trouble_for_the_parser(std::string_view text);

/// The text with each byte outside of ASCII, and each `~`, spelled `~hh`. The library's handling of other characters is
/// undefined in places that cannot be recognised from outside, such as a quote after a broken number.
std::string spelled_in_ascii(std::string_view text);

/// The text before, from a string that the library has read, or from a sentence of its.
std::string from_ascii_spelling(std::string_view text);

/// A column of a line of that text as it was before.
int column_from_ascii_spelling(std::string_view line, int column);

}  // namespace launchbox
