// SPDX-License-Identifier: Apache-2.0
#include "source/source_statements.hpp"

#include <algorithm>

namespace launchbox {

namespace {

constexpr std::size_t longest_statement = 120;  // tokens searched backwards for its beginning

bool is_specifier(const source_token& token)
{
    return token.is_any({"static",       "const",           "constexpr",    "inline",       "extern",
                         "volatile",     "register",        "thread_local", "typename",     "mutable",
                         "constinit",    "struct",          "class",        "enum",         "union",
                         "__device__",   "__host__",        "__constant__", "__shared__",   "__managed__",
                         "__restrict__", "__forceinline__", "__inline__",   "__extension__"});
}

bool is_word_of_integer(const source_token& token)
{
    return token.is_any({"unsigned", "signed", "long", "short", "int", "char", "bool", "float", "double", "void"});
}

// The position after a::b<c>::d.
std::size_t end_of_type_name(const std::vector<source_token>& tokens, std::size_t at)
{
    bool wants_word = true;
    for (; at < tokens.size(); ++at) {
        if (tokens[at].is("::")) {
            wants_word = true;
        } else if (tokens[at].kind == source_token_kind::identifier && wants_word) {
            wants_word = false;
        } else if (tokens[at].is("<") && !wants_word) {
            const std::size_t end = closing_bracket(tokens, at);
            if (end == tokens.size()) return at;
            at = end;
        } else {
            return at;
        }
    }
    return at;
}

// The position after static, const, a type and so on; `at` itself if there is no type.
std::size_t end_of_type(const std::vector<source_token>& tokens, std::size_t at)
{
    const std::size_t first = at;
    bool has_type = false;
    while (at < tokens.size()) {
        const source_token& token = tokens[at];
        const bool attribute = token.is_any({"__attribute__", "alignas", "__align__", "__declspec"});
        if (is_word_of_statement(token)) return first;
        if (attribute && at + 1 < tokens.size() && tokens[at + 1].is("(")) {
            at = closing_bracket(tokens, at + 1) + 1;
        } else if (token.is("[") && at + 1 < tokens.size() && tokens[at + 1].is("[")) {
            at = closing_bracket(tokens, at) + 1;
        } else if (is_specifier(token)) {
            ++at;
        } else if (is_word_of_integer(token)) {
            has_type = true;
            ++at;
        } else if (!has_type && (token.kind == source_token_kind::identifier || token.is("::"))) {
            at = end_of_type_name(tokens, at);
            has_type = true;
        } else {
            break;
        }
    }
    return has_type ? std::min(at, tokens.size()) : first;
}

}  // namespace

std::size_t opening_bracket(token_span tokens, std::size_t close, std::size_t most)
{
    const std::string_view closes = tokens[close].text;
    const std::string_view opens = closes == ")" ? "(" : closes == "]" ? "[" : closes == ">" ? "<" : "{";
    std::size_t depth = 0;
    for (std::size_t i = close;; --i) {
        if (closes == ">" && tokens[i].is(")") && i > 0) {  // merge<(a > b)>
            const std::size_t open = opening_bracket(tokens, i, most);
            if (open == i || open == 0 || close - open > most) return close;
            i = open;
            continue;
        }
        if (tokens[i].is(closes)) ++depth;
        if (tokens[i].is(opens) && --depth == 0) return i;
        if (i == 0 || close - i > most) return close;
    }
}

std::optional<std::size_t> bracket_around(const std::vector<source_token>& tokens, std::size_t place)
{
    constexpr std::size_t longest = 200;
    int depth = 0;
    for (std::size_t i = place; i-- > 0 && place - i < longest;) {
        if (tokens[i].is_any({")", "]", "}"})) ++depth;
        if (tokens[i].is_any({"(", "[", "{"}) && depth-- == 0) return i;
        if (tokens[i].is(";") && depth == 0) return std::nullopt;
    }
    return std::nullopt;
}

bool is_word_of_statement(const source_token& token)
{
    return token.is_any({"return",    "goto",     "delete", "throw",    "new",       "case",          "using",
                         "typedef",   "if",       "else",   "while",    "for",       "switch",        "do",
                         "co_return", "template", "public", "private",  "protected", "friend",        "namespace",
                         "operator",  "sizeof",   "break",  "continue", "default",   "static_assert", "asm",
                         "co_await",  "co_yield"});
}

statement_begin begin_of_statement(const std::vector<source_token>& tokens, std::size_t at)
{
    std::size_t i = at;
    std::optional<std::size_t> colon;  // begins it, unless preceded by ?
    const auto begin = [&](std::size_t first, std::optional<std::size_t> bracket = std::nullopt) {
        return colon ? statement_begin{*colon, std::nullopt} : statement_begin{first, bracket};
    };
    while (i > 0 && at - i < longest_statement) {
        const source_token& before = tokens[i - 1];
        if (before.is(";") || before.is("{") || before.is("else") || before.is("do")) return begin(i);
        if (before.is("(") || before.is("[")) return begin(i, i - 1);
        if (before.is("?")) colon.reset();
        if (before.is(":") && !colon) colon = i;
        const bool ends_block = before.is("}") && !tokens[i].is(",") && !tokens[i].is(")");
        if (ends_block) return begin(i);
        if (before.is(")") || before.is("]") || before.is("}")) {
            const std::size_t open = opening_bracket(tokens, i - 1, longest_statement);
            if (open == i - 1) return begin(i);
            if (before.is(")") && open > 0 && tokens[open - 1].is_any({"if", "while", "for", "switch", "constexpr"}))
                return begin(i);
            i = open;
            continue;
        }
        --i;
    }
    return begin(i);
}

std::optional<std::size_t> function_pointer_at(const std::vector<source_token>& tokens, std::size_t name)
{
    std::size_t open = name;
    while (open > 0 && tokens[open - 1].is_any({"const", "volatile"})) --open;
    if (open < 2 || !tokens[open - 1].is("*") || !tokens[open - 2].is("(")) return std::nullopt;
    std::size_t end = name + 1;
    while (end < tokens.size() && tokens[end].is("[")) end = std::min(closing_bracket(tokens, end) + 1, tokens.size());
    if (end + 1 >= tokens.size() || !tokens[end].is(")") || !tokens[end + 1].is("(")) return std::nullopt;
    return open - 2;
}

std::size_t end_of_value(const std::vector<source_token>& tokens, std::size_t at)
{
    constexpr std::size_t longest = 400;
    int questions = 0;
    for (std::size_t i = at; i < std::min(tokens.size(), at + longest); ++i) {
        if (tokens[i].is("?")) ++questions;
        if (tokens[i].is(":") && questions-- > 0) continue;
        if (tokens[i].is_any({";", ",", ")", "]", "}", ":"})) return i;
        const bool template_arguments =
            tokens[i].is("<") && i > 0 && tokens[i - 1].kind == source_token_kind::identifier;
        if (!template_arguments && !tokens[i].is_any({"(", "[", "{"})) continue;
        const std::size_t end = closing_bracket(tokens, i);
        if (template_arguments &&
            !(end + 1 < tokens.size() && tokens[end + 1].is_any({"::", "(", "{", ";", ",", ")", "}"})))
            continue;
        if (end == tokens.size()) return end;
        i = end;
    }
    return tokens.size();
}

std::vector<declarator> declarators(const std::vector<source_token>& tokens, std::size_t first)
{
    std::vector<declarator> found;
    std::size_t i = end_of_type(tokens, first);
    const token_span type = token_span(tokens).subspan(first, i - first);
    if (type.empty()) return {};
    constexpr std::size_t most = 64;
    while (i < tokens.size() && found.size() < most) {
        declarator one{.type = type, .value = {}};
        for (; i < tokens.size() && tokens[i].is_any({"*", "&", "&&", "const", "__restrict__", "volatile"}); ++i)
            one.is_plain &= tokens[i].is("const");
        if (i == tokens.size()) return {};
        if (tokens[i].is("[")) {  // auto [a, b] = ...
            for (const std::size_t end = closing_bracket(tokens, i); ++i < end;)
                if (tokens[i].kind == source_token_kind::identifier)
                    found.push_back({.name = i, .type = type, .value = {}, .is_plain = false});
            return found;
        }
        const std::size_t before = i;
        if (tokens[i].is("("))  // void (*name)(int)
            for (++i; i < tokens.size() && tokens[i].is_any({"*", "const", "volatile"}); ++i) continue;
        if (i == tokens.size() || tokens[i].kind != source_token_kind::identifier) return {};
        one.is_function = i > before;
        if (one.is_function && function_pointer_at(tokens, i) != before) return {};
        one.is_plain |= one.is_function;
        one.name = i++;
        for (; i < tokens.size() && tokens[i].is("["); i = std::min(closing_bracket(tokens, i) + 1, tokens.size()))
            one.is_array = true;
        if (one.is_function) i = std::min(closing_bracket(tokens, i + 1) + 1, tokens.size());
        if (i == tokens.size()) return {};
        if (tokens[i].is("=")) {
            const std::size_t end = end_of_value(tokens, i + 1);
            one.form = '=';
            one.value = token_span(tokens).subspan(i + 1, end - i - 1);
            i = end;
        } else if (tokens[i].is("(") || tokens[i].is("{")) {
            const std::size_t end = closing_bracket(tokens, i);
            if (end == tokens.size()) return {};
            one.form = tokens[i].text.front();
            one.value = token_span(tokens).subspan(i + 1, end - i - 1);
            i = end + 1;
        }
        const bool ends = i < tokens.size() && tokens[i].is_any({";", ")", ",", ":"});
        if (!ends && one.form != '(') return {};
        one.is_plain &= ends && !tokens[i].is(":");  // a function, or the variable of a range-based for
        found.push_back(one);
        if (!ends || !tokens[i].is(",")) return found;
        ++i;
    }
    return found;
}

bool has_word(token_span words, std::string_view word)
{
    return std::ranges::any_of(words, [&](const source_token& token) { return token.is(word); });
}

}  // namespace launchbox
