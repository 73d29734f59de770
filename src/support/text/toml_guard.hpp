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

/// The first thing in the text that toml++ 3.3 must not see, none of which our files need: long chains of dotted keys,
/// which become tables in tables that are taken apart by recursion; characters outside of ASCII that are neither in a
/// string nor in a comment, for some of which its test for white space is undefined; multi-line strings, in which that
/// test is made too; quotes in the middle of a word, which begin no string; and the bracket of a table's header that is
/// not followed by a name, where it aborts or, without assertions, continues as if there were one; and a closing brace
/// in the place of an array's value, likewise.
std::optional<toml_trouble> trouble_for_the_parser(std::string_view text);

/// The same text with each byte outside of ASCII, and each `~`, spelled `~hh`. The library's handling of other
/// characters is undefined in places that a look at the text from outside cannot foresee, such as a quote behind a
/// broken number.
std::string spelled_in_ascii(std::string_view text);

/// The text before, from a string that the library has read, or from a sentence of its.
std::string from_ascii_spelling(std::string_view text);

/// A column of a line of that text as it was before.
int column_from_ascii_spelling(std::string_view line, int column);

}  // namespace launchbox
