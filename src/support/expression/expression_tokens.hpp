// The tokens of a typed expression, and the names that it uses, checked before Lua sees it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct expression_token {
    enum class kind { name, keyword, function, number, text, sign };
    kind what = kind::sign;
    std::string words;  ///< as written; a dotted name has no blanks: sm.max_threads
};

/// Throws `error` for anything that does not belong in an expression: statements, functions, tables, comments, C++
/// operators that Lua spells differently. What remains cannot loop or build anything large.
std::vector<expression_token> expression_tokens(const std::string& text);

/// The distinct names used, dotted ones as "sm.max_threads", in order of first use.
std::vector<std::string> names_in(const std::vector<expression_token>& tokens);

/// Whether this is a valid name: a letter or _, then letters, digits and _, and not a keyword.
bool is_name(std::string_view word);

}  // namespace launchbox
