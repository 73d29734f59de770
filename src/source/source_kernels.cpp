// SPDX-License-Identifier: Apache-2.0
#include "source/source_kernels.hpp"

#include <algorithm>
#include <optional>

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_head = 4000;  // tokens

bool is_qualifier(const source_token& word)
{
    return word.is_any({"const",    "volatile", "__restrict__", "__restrict", "restrict", "__grid_constant__",
                        "typename", "class",    "struct",       "enum",       "int",      "long",
                        "short",    "char",     "unsigned",     "signed",     "float",    "double",
                        "bool",     "void"});
}

parameter_in_text read_parameter(token_span words)
{
    parameter_in_text found;
    int depth = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i].is_any({"(", "[", "{"})) ++depth;
        if (words[i].is_any({")", "]", "}"})) --depth;
        if (depth != 0 || !words[i].is("=")) continue;
        found.value = words.subspan(i + 1);
        words = words.first(i);
        break;
    }
    found.is_pack = std::ranges::any_of(words, [](const source_token& word) { return word.is("."); });
    // float (*rows)[64]: a pointer to arrays.
    for (std::size_t i = 0; i + 3 < words.size(); ++i)
        if (words[i].is("(") && words[i + 1].is("*") && words[i + 3].is(")")) {
            found.name = words[i + 2].text;
            found.type = words.first(i);
            found.is_array = true;
            return found;
        }
    std::size_t end = words.size();
    while (end > 0 && words[end - 1].is("]")) {
        while (end > 0 && !words[end - 1].is("[")) --end;
        if (end > 0) --end;
        found.is_array = true;
    }
    found.type = words.first(end);
    const bool is_named = end > 1 && words[end - 1].kind == source_token_kind::identifier &&
                          !is_qualifier(words[end - 1]) && !words[end - 2].is("::");
    // const T: only a type, although two words.
    const bool has_type = is_named && std::ranges::any_of(words.first(end - 1), [](const source_token& word) {
                              return !word.is_any({"const", "volatile"});
                          });
    if (!has_type) return found;
    found.name = words[end - 1].text;
    found.type = words.first(end - 1);
    return found;
}

std::vector<parameter_in_text> read_parameters(token_span inside)
{
    std::vector<parameter_in_text> found;
    for (const token_span& words : split_at_commas(inside, true)) {
        if (words.empty() || (words.size() == 1 && words[0].is("void"))) continue;
        found.push_back(read_parameter(words));
    }
    return found;
}

// The position after the last ; { or } before it.
std::size_t begin_of(const std::vector<source_token>& tokens, std::size_t at)
{
    std::size_t first = at;
    while (first > 0 && at - first < longest_head && !tokens[first - 1].is_any({";", "{", "}"})) --first;
    return first;
}

// The bracket of the parameters: after it is closed, the declaration ends or the body begins.
std::optional<std::size_t> open_of_parameters(const std::vector<source_token>& tokens, std::size_t at)
{
    for (std::size_t i = at; i < std::min(tokens.size(), at + longest_head); ++i) {
        if (tokens[i].is_any({";", "{", "}"})) return std::nullopt;
        if (!tokens[i].is("(")) continue;
        const std::size_t close = closing_bracket(tokens, i);
        if (close >= tokens.size()) return std::nullopt;
        if (close + 1 < tokens.size() && tokens[close + 1].is_any({"{", ";", "requires", "noexcept"})) return i;
        i = close;
    }
    return std::nullopt;
}

}  // namespace

bool parameter_in_text::is_type() const
{
    return !type.empty() && type.front().is_any({"typename", "class", "template"});
}

std::vector<kernel_in_text> read_source_kernels(const source_declarations& names)
{
    const std::vector<source_token>& tokens = names.text().tokens;
    std::vector<kernel_in_text> all;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is("__global__")) continue;
        const auto open = open_of_parameters(tokens, i + 1);
        if (!open || *open == 0) continue;
        kernel_in_text kernel;
        kernel.first = begin_of(tokens, i);
        std::size_t name = *open - 1;
        if (tokens[name].is(">"))  // of one set of template arguments
            while (name > i && !tokens[name].is("<")) --name;
        if (name == i) continue;
        if (tokens[name].is("<")) --name;
        if (tokens[name].kind != source_token_kind::identifier) continue;
        const std::size_t word = kernel.first;
        if (tokens[word].is("template") && !tokens[word + 1].is("<")) continue;  // an instantiation
        kernel.name = tokens[name].text;
        kernel.at = name;
        kernel.line = tokens[name].line;
        for (std::size_t at = word; at < i && tokens[at].is("template") && tokens[at + 1].is("<");) {
            const std::size_t close = closing_bracket(tokens, at + 1);
            if (close >= i) break;
            kernel.is_template = true;
            kernel.template_parameters = read_parameters(token_span(tokens).subspan(at + 2, close - at - 2));
            at = close + 1;
        }
        const std::size_t close = closing_bracket(tokens, *open);
        kernel.parameters = read_parameters(token_span(tokens).subspan(*open + 1, close - *open - 1));
        const int around = names.scope_of(name);
        kernel.space = names.namespace_of(around);
        for (std::size_t number = 0; number < names.scopes().scopes.size(); ++number) {
            const source_scope& scope = names.scopes().scopes[number];
            if (scope.global && scope.outer == around && scope.head <= name && name < scope.open && scope.open > close)
                kernel.scope = static_cast<int>(number);
        }
        all.push_back(std::move(kernel));
        i = close;
    }
    return all;
}

std::vector<std::string> kernels_in_text(std::string_view text)
{
    const source_text source = read_source_text(text);
    const source_scopes scopes = read_source_scopes(source);
    const source_declarations names(source, scopes);
    std::vector<std::string> patterns;
    for (const kernel_in_text& kernel : read_source_kernels(names)) {
        if (kernel.scope < 0) continue;
        std::string pattern = kernel.space.empty() ? "" : kernel.space + "::";
        pattern.append(kernel.name).append(kernel.is_template ? "<*" : "");
        if (std::ranges::find(patterns, pattern) == patterns.end()) patterns.push_back(std::move(pattern));
    }
    return patterns;
}

}  // namespace launchbox
