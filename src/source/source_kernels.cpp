// SPDX-License-Identifier: Apache-2.0
#include "source/source_kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <initializer_list>

#include "source/source_declarations.hpp"

namespace launchbox {

namespace {

bool is_any(const token_span& tokens, std::size_t at, std::initializer_list<std::string_view> words)
{
    return at < tokens.size() && tokens[at].is_any(words);
}

// Back from a closing bracket to its opening one; the number of tokens where there is none.
std::size_t opening(const token_span& head, std::size_t closing, std::string_view open, std::string_view close)
{
    int depth = 0;
    for (std::size_t i = closing + 1; i-- > 0;) {
        depth += head[i].is(close) ? 1 : head[i].is(open) ? -1 : 0;
        if (depth == 0) return i;
    }
    return head.size();
}

// "scale" of "__global__ void BOUNDS(256) scale(float* p)": what is in front of the last brackets. Empty: a macro's.
std::string_view name_in(const token_span& head)
{
    std::size_t end = head.size();
    while (end > 0 && !head[end - 1].is(")")) --end;
    if (end == 0) return {};
    std::size_t at = opening(head, end - 1, "(", ")") - 1;
    if (is_any(head, at, {">"})) at = opening(head, at, "<", ">") - 1;  // a specialisation
    return at < head.size() && head[at].kind == source_token_kind::identifier ? head[at].text : std::string_view();
}

}  // namespace

std::vector<std::string> kernels_in_text(std::string_view text)
{
    const source_text source = read_source_text(text);
    const source_scopes scopes = read_source_scopes(source);
    const source_declarations declarations(source, scopes);
    std::vector<std::string> names;
    for (const source_scope& scope : scopes.scopes) {
        const std::string_view own = scope.global ? name_in(declarations.head_of(scope)) : std::string_view();
        if (own.empty()) continue;
        const std::string space = declarations.namespace_of(scope.outer);
        std::string name = (space.empty() ? "" : space + "::") + std::string(own);
        if (std::ranges::any_of(declarations.head_of(scope),
                                [](const source_token& one) { return one.is("template"); }))
            name += "<*";
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

}  // namespace launchbox
