// SPDX-License-Identifier: Apache-2.0
#include "source/source_constants.hpp"

#include <algorithm>
#include <array>

#include "source/constant_expression.hpp"

namespace launchbox {

namespace {

constexpr std::size_t many = static_cast<std::size_t>(-1);

template <std::size_t count>
bool is_one_of(const source_token& token, const std::array<std::string_view, count>& words)
{
    return std::find(words.begin(), words.end(), token.text) != words.end();
}

// Where the value that begins here ends: before a `,` or `;` outside of brackets, or the bracket that closes it.
std::size_t end_of_definition(const std::vector<source_token>& tokens, std::size_t at)
{
    constexpr std::size_t longest = 200;  // no constant is
    int depth = 0;
    for (std::size_t i = at; i < std::min(tokens.size(), at + longest); ++i) {
        if (tokens[i].is("(") || tokens[i].is("{") || tokens[i].is("[")) ++depth;
        if ((tokens[i].is(")") || tokens[i].is("}") || tokens[i].is("]")) && depth-- == 0) return i;
        if (depth == 0 && (tokens[i].is(";") || tokens[i].is(","))) return i;
    }
    return at;
}

// Behind the bracket that closes the one at `open`; `open` when it is not found.
std::size_t end_of_brackets(const std::vector<source_token>& tokens, std::size_t open)
{
    constexpr std::size_t longest = 200;
    int depth = 0;
    for (std::size_t i = open; i < std::min(tokens.size(), open + longest); ++i) {
        if (tokens[i].is("(") || tokens[i].is("{")) ++depth;
        if ((tokens[i].is(")") || tokens[i].is("}")) && --depth == 0) return i + 1;
    }
    return open;
}

}  // namespace

source_constants::source_constants(const source_text& source)
{
    read_macros(source);
    read_variables(source);
    for (std::size_t i = 0; i < definitions_.size(); ++i) {
        const auto [place, is_new] = place_.emplace(definitions_[i].name, i);
        if (!is_new || definitions_[i].branch >= 0) place->second = many;
    }
    doubt(source);
}

void source_constants::read_macros(const source_text& source)
{
    for (const source_directive& directive : source.directives) {
        if (directive.tokens.empty()) continue;
        const source_token& name = directive.tokens.front();
        if (directive.name == "undef") place_[name.text] = many;
        if (directive.name != "define") continue;
        const bool with_arguments =
            directive.tokens.size() > 1 && directive.tokens[1].is("(") && directive.tokens[1].begin == name.end;
        if (with_arguments)
            place_[name.text] = many;
        else
            definitions_.push_back(
                {name.text, std::span(directive.tokens).subspan(1), false, directive.branch, directive.line});
    }
}

void source_constants::read_variables(const source_text& source)
{
    const std::vector<source_token>& tokens = source.tokens;
    bool constant = false, block = false;
    int depth = 0;  // of parentheses: a default argument is no constant
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const source_token& token = tokens[i];
        if (token.is("(")) ++depth;
        if (token.is(")")) depth = std::max(depth - 1, 0);
        if (token.is("{") || token.is("}")) depth = 0;
        if (depth > 0) continue;
        if (is_one_of(token, std::array<std::string_view, 4>{";", "{", "}", ")"})) constant = block = false;
        constant |= token.is("constexpr") || token.is("const");
        block |= token.is("dim3");
        if (token.kind != source_token_kind::identifier || token.is("dim3") || token.is("operator")) continue;
        const source_token& next = tokens[i + 1];
        const bool bracket = next.is("(") || next.is("{");
        if (block && bracket && i > 0 && tokens[i - 1].is("dim3")) {
            if (const std::size_t end = end_of_brackets(tokens, i + 1); end > i + 1)
                definitions_.push_back(
                    {token.text, std::span(tokens).subspan(i + 2, end - i - 3), true, token.branch, token.line});
        } else if (next.is("=") && (constant || block)) {
            std::size_t first = i + 2, end = end_of_definition(tokens, i + 2);
            const bool is_block = block || (first < end && tokens[first].is("dim3"));
            const bool whole =
                is_block && first + 1 < end && tokens[first].is("dim3") && end_of_brackets(tokens, first + 1) == end;
            if (whole) first += 2, --end;
            if (end > first && (whole || !is_block))
                definitions_.push_back(
                    {token.text, std::span(tokens).subspan(first, end - first), is_block, token.branch, token.line});
        }
    }
}

// A name that is also declared as something else, or a dim3 that is changed later.
void source_constants::doubt(const source_text& source)
{
    const std::vector<source_token>& tokens = source.tokens;
    for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
        if (tokens[i].kind != source_token_kind::identifier) continue;
        const source_token &before = tokens[i - 1], &next = tokens[i + 1];
        const auto known = place_.find(tokens[i].text);
        if (known == place_.end() || known->second == many) continue;
        const constant_definition& definition = definitions_[known->second];
        const bool assigned = next.is("=") && before.kind == source_token_kind::punctuation;
        const bool part_assigned = next.is(".") && i + 3 < tokens.size() && tokens[i + 3].is("=");
        const bool declares =
            before.kind == source_token_kind::identifier && definition.name.data() != tokens[i].text.data() &&
            !is_one_of(before, std::array<std::string_view, 4>{"return", "case", "else", "co_return"}) &&
            is_one_of(next, std::array<std::string_view, 9>{"=", ";", ",", ")", "(", "{", "[", ">", ":"});
        if (declares || (definition.block && (assigned || part_assigned))) known->second = many;
    }
}

const constant_definition* source_constants::only(std::string_view name) const
{
    const auto found = place_.find(name);
    return found == place_.end() || found->second == many ? nullptr : &definitions_[found->second];
}

std::optional<std::int64_t> source_constants::named(std::string_view name) const
{
    const constant_definition* definition = only(name);
    if (definition == nullptr || definition->block) return std::nullopt;
    const auto [place, is_new] = values_.try_emplace(name, std::nullopt);  // while it is being found out, not known
    if (!is_new) return place->second;
    constexpr int deepest = 64;  // a chain of names could be as long as the file
    if (depth_ == deepest) return std::nullopt;
    ++depth_;
    const std::optional<std::int64_t> found = value(definition->value);
    --depth_;
    values_[name] = found;
    return found;
}

std::optional<std::int64_t> source_constants::value(std::span<const source_token> expression) const
{
    return evaluate_constant(expression, {.value = [this](token_span name) {
                                 return name.size() == 1 ? named(name[0].text) : std::nullopt;
                             }});
}

}  // namespace launchbox
