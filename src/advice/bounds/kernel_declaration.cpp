// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/kernel_declaration.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using token_list = std::vector<const source_token*>;

constexpr std::size_t nowhere = static_cast<std::size_t>(-1);

// The words that are compiled together with this one.
token_list visible_from(const source_text& source, const source_token& from);

// Index of the bracket that matches the closing one at `close`, or the opening one at `open`.
std::size_t opening_of(const token_list& tokens, std::size_t close);
std::size_t closing_of(const token_list& tokens, std::size_t open);

// The first word of the declaration; `nowhere` if it is inside an open parenthesis.
std::size_t first_word(const token_list& tokens, std::size_t anchor);

std::string refused_head(const token_list& head, std::string_view kernel);

// Whether one of the enclosing blocks of a word is a template's.
bool in_template(const token_list& tokens, std::size_t at);

}  // namespace

found_declaration read_kernel_declaration(const source_text& source, std::size_t anchor, std::string_view kernel)
{
    const source_token& at = source.tokens.at(anchor);
    const auto refuse = [](std::string why) { return found_declaration{std::nullopt, std::move(why)}; };
    const token_list tokens = visible_from(source, at);
    const auto place = static_cast<std::size_t>(std::find(tokens.begin(), tokens.end(), &at) - tokens.begin());
    const std::size_t first = first_word(tokens, place);
    if (first == nowhere)
        return refuse(fmt::format("the declaration on line {} is an argument of a macro or of a call", at.line));

    std::size_t name = nowhere, open = nowhere, end = first;
    for (; end < tokens.size(); ++end) {
        const source_token& token = *tokens[end];
        const bool in_requires = token.is("{") && end < place;
        if (!in_requires && (token.is(";") || token.is("{") || token.is("}"))) break;
        if (token.is("(") || token.is("[") || in_requires) {
            const std::size_t close = closing_of(tokens, end);
            if (close == nowhere) return refuse(fmt::format("a bracket on line {} is not closed", token.line));
            end = close;
            continue;
        }
        if (name != nowhere || !token.is(kernel) || end + 1 == tokens.size()) continue;
        if (tokens[end + 1]->is("<"))
            return refuse(fmt::format("{} is a specialization of a template (line {})", kernel, token.line));
        if (!tokens[end + 1]->is("(")) continue;
        name = end;
        open = end + 1;
    }
    if (name == nowhere)
        return refuse(
            fmt::format("line {} declares no function {}: its name comes from a macro, or the file changed since it "
                        "was compiled",
                        at.line, escape_for_terminal(kernel)));
    const std::size_t close = closing_of(tokens, open);

    kernel_declaration found;
    const auto word = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
    found.head.assign(word(first), word(open));
    found.tail.assign(word(close) + 1, word(std::max(end, close + 1)));
    found.name = found.qualified_name = name - first;
    while (found.qualified_name > 0 && found.head[found.qualified_name - 1]->is("::")) {
        --found.qualified_name;
        if (found.qualified_name == 0) break;
        const source_token& before = *found.head[found.qualified_name - 1];
        if (before.kind == source_token_kind::identifier && !before.is("void")) --found.qualified_name;
    }
    if (std::string why = refused_head(found.head, kernel); !why.empty()) return refuse(std::move(why));
    if (in_template(tokens, first))
        return refuse(fmt::format("{} is declared in a template: all its instantiations share the attribute", kernel));
    return {std::move(found), {}};
}

std::vector<bool> branches_beside(const source_text& source, int branch)
{
    std::map<int, int> own;  // #if -> its branch
    for (int enclosing = branch; enclosing >= 0; enclosing = source.branches[static_cast<std::size_t>(enclosing)].outer)
        own[source.branches[static_cast<std::size_t>(enclosing)].group] = enclosing;
    std::vector<bool> beside(source.branches.size());
    for (std::size_t i = 0; i < beside.size(); ++i) {
        const source_branch& other = source.branches[i];
        const auto same_if = own.find(other.group);
        beside[i] = (other.outer < 0 || beside[static_cast<std::size_t>(other.outer)]) &&
                    (same_if == own.end() || same_if->second == static_cast<int>(i));
    }
    return beside;
}

namespace {

token_list visible_from(const source_text& source, const source_token& from)
{
    const std::vector<bool> visible = branches_beside(source, from.branch);
    token_list tokens;
    for (const source_token& token : source.tokens)
        if (token.branch < 0 || visible[static_cast<std::size_t>(token.branch)]) tokens.push_back(&token);
    return tokens;
}

bool opens(const source_token& token)
{
    return token.is("(") || token.is("[") || token.is("{");
}
bool closes(const source_token& token)
{
    return token.is(")") || token.is("]") || token.is("}");
}

std::size_t opening_of(const token_list& tokens, std::size_t close)
{
    int depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
        if (closes(*tokens[i])) ++depth;
        if (opens(*tokens[i]) && --depth == 0) return i;
    }
    return nowhere;
}

std::size_t closing_of(const token_list& tokens, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        if (opens(*tokens[i])) ++depth;
        if (closes(*tokens[i]) && --depth == 0) return i;
    }
    return nowhere;
}

// Whether the block that ends at `close` belongs to a requires clause, so that the declaration continues: requires {
// ... } and requires (...) { ... }
bool belongs_to_requires(const token_list& tokens, std::size_t close)
{
    std::size_t before = opening_of(tokens, close);
    if (before == nowhere || before == 0) return false;
    if (tokens[before - 1]->is(")")) before = opening_of(tokens, before - 1);
    return before != nowhere && before > 0 && tokens[before - 1]->is("requires");
}

std::size_t first_word(const token_list& tokens, std::size_t anchor)
{
    std::size_t i = anchor;
    while (i > 0) {
        const source_token& before = *tokens[i - 1];
        if (before.is(";") || before.is("{")) return i;
        if (before.is("(") || before.is("[")) return nowhere;
        if (before.is("}") && !belongs_to_requires(tokens, i - 1)) return i;
        if (!closes(before)) {
            --i;
            continue;
        }
        const std::size_t open = opening_of(tokens, i - 1);
        if (open == nowhere) return i;
        i = open;
    }
    return i;
}

// A declaration of a kernel begins with words, attributes and strings. Anything else was not understood.
std::string refused_head(const token_list& head, std::string_view kernel)
{
    int global = 0;
    for (std::size_t i = 0; i < head.size(); ++i) {
        const source_token& token = *head[i];
        if (token.is("template"))
            return fmt::format("{} is a template (line {}): all its instantiations share the attribute", kernel,
                               token.line);
        if (token.is("__global__") && ++global > 1)
            return fmt::format("there are two kernels, or two __global__, in the declaration on line {}", token.line);
        if (opens(token)) {
            i = closing_of(head, i);
            continue;
        }
        const bool understood =
            token.kind == source_token_kind::identifier || token.kind == source_token_kind::text || token.is("::");
        if (!understood)
            return fmt::format("the declaration of {} has an unexpected '{}' on line {}", kernel,
                               escape_for_terminal(token.text), token.line);
    }
    if (global == 0) return fmt::format("the declaration of {} has no __global__ of its own", kernel);
    return {};
}

bool in_template(const token_list& tokens, std::size_t at)
{
    int depth = 0;
    for (std::size_t i = at; i-- > 0;) {
        if (tokens[i]->is("}")) ++depth;
        if (!tokens[i]->is("{") || depth-- > 0) continue;
        depth = 0;
        const std::size_t first = first_word(tokens, i);
        if (first == nowhere) continue;
        for (std::size_t word = first; word < i; ++word)
            if (tokens[word]->is("template")) return true;
        i = first;
    }
    return false;
}

}  // namespace

}  // namespace launchbox
