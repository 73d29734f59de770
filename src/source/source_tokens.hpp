// The tokens of CUDA C++ text, without comments; preprocessor directives and their branches are kept separately.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace launchbox {

enum class source_token_kind {
    identifier,
    number,
    text,        ///< a string or character literal, with its prefix, quotes and suffix
    punctuation  ///< one character, or one of `::` `->` `<<` `<=` `>=` `==` `!=` `&&` `||` `++` `--` `##` `<<<`
};

struct source_token {
    std::string_view text;  ///< as written; an identifier broken by a line continuation matches no name
    std::size_t begin = 0, end = 0;
    source_token_kind kind = source_token_kind::punctuation;
    int line = 0, column = 0;  ///< from 1; columns in bytes
    int branch = -1;           ///< of `source_text::branches`; -1: none

    [[nodiscard]] bool is(std::string_view word) const { return text == word; }
    [[nodiscard]] bool is_any(std::initializer_list<std::string_view> words) const
    {
        return std::find(words.begin(), words.end(), text) != words.end();
    }
};

struct source_comment {
    std::size_t begin = 0, end = 0;  ///< without the line feed that ends a `//` comment
    int line = 0, last_line = 0;
};

struct source_directive {
    std::string_view name;             ///< "define"; empty for a lone #
    std::vector<source_token> tokens;  ///< those after the name
    std::size_t begin = 0, end = 0;    ///< from # to the end of its last line, without the line feed
    int line = 0, last_line = 0;       ///< line continuations and comments continue a directive
    int branch = -1;                   ///< branch that contains it; for #elif, #else and #endif that of their #if
};

/// The part between #if and #elif, #elif and #else, and so on.
struct source_branch {
    std::size_t directive = 0;  ///< that begins it
    int outer = -1;             ///< branch that contains its #if; always a smaller number
    int group = 0;              ///< number of the first branch of the same #if
};

/// One file, read in one pass. Refers to the text, which must outlive it.
struct source_text {
    std::vector<source_token> tokens;  ///< outside of directives
    std::vector<source_directive> directives;
    std::vector<source_branch> branches;
    std::vector<source_comment> comments;
};

/// Accepts any bytes: anything that is not C++ becomes punctuation, and unterminated parts end with their line or the
/// file.
source_text read_source_text(std::string_view text);

/// Begin and end of the line, without its line feed, that holds this byte.
std::size_t line_begin(std::string_view text, std::size_t at);
std::size_t line_end(std::string_view text, std::size_t at);

}  // namespace launchbox
