// Statements in C++ text: where they begin, and what they declare.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "source/constant_expression.hpp"
#include "source/source_tokens.hpp"

namespace launchbox {

/// The position of the bracket closed by the one at `close`, if at most `most` tokens are between them; else `close`.
std::size_t opening_bracket(token_span tokens, std::size_t close, std::size_t most);

/// The bracket that encloses a place, within its statement.
std::optional<std::size_t> bracket_around(const std::vector<source_token>& tokens, std::size_t place);

struct statement_begin {
    std::size_t first = 0;
    /// The enclosing bracket: of a call, of parameters, or of the head of a loop.
    std::optional<std::size_t> bracket = std::nullopt;
};
statement_begin begin_of_statement(const std::vector<source_token>& tokens, std::size_t at);

struct declarator {
    std::size_t name = 0;
    token_span type, value;  ///< after =, or between the brackets after the name
    char form = 0;           ///< '=', '(' or '{'; 0: no value
    bool is_plain = true;    ///< neither pointer, reference nor function
    bool is_array = false;
    bool is_function = false;  ///< a pointer to a function; `type` is the function's result
};

/// The declarations in the statement that begins here; empty for an expression.
std::vector<declarator> declarators(const std::vector<source_token>& tokens, std::size_t first);

/// The first bracket of the pair around the name in `void (*name)(int)` and `void (*name[2])(int)`; `nullopt` if the
/// name is not a pointer to a function.
std::optional<std::size_t> function_pointer_at(const std::vector<source_token>& tokens, std::size_t name);

/// After `=`: the position of the , ; or bracket that ends the value.
std::size_t end_of_value(const std::vector<source_token>& tokens, std::size_t at);

/// Words that cannot be a type, such as return, using, case.
bool is_word_of_statement(const source_token& token);

bool has_word(token_span words, std::string_view word);

}  // namespace launchbox
