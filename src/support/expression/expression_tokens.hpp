// The words of a typed expression, and which names it uses, before Lua sees it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct expression_token {
    enum class kind { name, keyword, function, number, text, sign };
    kind what = kind::sign;
    std::string words;  ///< as written in the expression; a dotted name is without blanks: sm.max_threads
};

/// Throws `error` for what does not belong in an expression: statements, functions, tables, comments, C++ operators
/// that Lua writes in another way. What is left cannot loop and cannot build anything large.
std::vector<expression_token> expression_tokens(const std::string& text);

/// The names that it uses, dotted ones as "sm.max_threads", each once, in the order of their first use.
std::vector<std::string> names_in(const std::vector<expression_token>& tokens);

/// Whether something can be named so: a letter or _, then letters, digits and _, and no word of the language.
bool is_name(std::string_view word);

}  // namespace launchbox
