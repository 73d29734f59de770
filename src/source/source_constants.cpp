// SPDX-License-Identifier: Apache-2.0
#include "source/source_constants.hpp"

#include <algorithm>

#include "source/source_statements.hpp"

namespace launchbox {

std::vector<constant_definition> constant_definitions(const source_text& source)
{
    std::vector<constant_definition> found;
    for (const source_directive& directive : source.directives) {
        if (directive.name != "define" || directive.tokens.empty()) continue;
        const source_token& name = directive.tokens.front();
        const bool with_arguments =
            directive.tokens.size() > 1 && directive.tokens[1].is("(") && directive.tokens[1].begin == name.end;
        if (!with_arguments)
            found.push_back(
                {name.text, token_span(directive.tokens).subspan(1), false, directive.branch, directive.line});
    }
    const token_span tokens = source.tokens;
    bool constant = false, block = false;
    int depth = 0;  // of parentheses: a default argument is not a constant
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const source_token& token = tokens[i];
        if (token.is("(")) ++depth;
        if (token.is(")")) depth = std::max(depth - 1, 0);
        if (token.is("{") || token.is("}")) depth = 0;
        if (depth > 0) continue;
        if (token.is_any({";", "{", "}", ")"})) constant = block = false;
        constant |= token.is("constexpr") || token.is("const");
        block |= token.is("dim3");
        if (token.kind != source_token_kind::identifier || token.is("dim3") || token.is("operator")) continue;
        const source_token& next = tokens[i + 1];
        if (block && next.is_any({"(", "{"}) && i > 0 && tokens[i - 1].is("dim3")) {
            if (const std::size_t close = closing_bracket(tokens, i + 1); close < tokens.size())
                found.push_back({token.text, tokens.subspan(i + 2, close - i - 2), true, token.branch, token.line});
        } else if (next.is("=") && (constant || block)) {
            std::size_t first = i + 2, end = end_of_value(source.tokens, first);
            const bool is_block = block || (first < end && tokens[first].is("dim3"));
            const bool whole = is_block && first + 1 < end && tokens[first].is("dim3") &&
                               closing_bracket(tokens, first + 1) + 1 == end;
            if (whole) first += 2, --end;
            if (end > first && end < tokens.size() && (whole || !is_block))
                found.push_back({token.text, tokens.subspan(first, end - first), is_block, token.branch, token.line});
        }
    }
    return found;
}

}  // namespace launchbox
