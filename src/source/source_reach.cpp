// SPDX-License-Identifier: Apache-2.0
#include "source/source_reach.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_condition = 200;  // tokens
constexpr int deepest_statement = 64;
// Before a launch: a generated source may have thousands of both.
constexpr int max_returns = 32;

// `if (...)` or `if constexpr (...)`: its first word, and its brackets.
struct if_condition {
    std::size_t word = 0, open = 0, close = 0;
};

class reach {
public:
    reach(const source_values& values, const template_values& instance)
        : values_(values), names_(values.names()), tokens_(names_.text().tokens), instance_(instance)
    {
    }

    [[nodiscard]] bool is_never_executed(std::size_t at) const { return walk(at, -1) == outcome::never; }

    // Whether a `return` before it is always executed.
    [[nodiscard]] bool is_behind_return(std::size_t at) const
    {
        const auto& places = names_.places("return");
        auto next = std::ranges::lower_bound(places, at);
        for (int looked_at = 0; next != places.begin() && looked_at < max_returns; ++looked_at) {
            const std::size_t place = *--next;
            if (end_of_expression(place + 1) > at) continue;  // return [&] { k<<<...>>>(); }();
            // The innermost block around both: there, the return ends the way to `at`.
            int around = names_.scope_of(place);
            while (around >= 0 && !names_.scope(around)->holds(at)) around = names_.scope(around)->outer;
            const bool in_function = around >= 0 && names_.function_of(place) == names_.function_of(at);
            if (in_function && walk(place, around) == outcome::always) return true;
        }
        return false;
    }

    void add_implied(std::size_t at, template_values& into) const
    {
        for (int depth = 0; at > 0 && depth < deepest_statement; ++depth) {
            const statement_begin begin = begin_of_statement(tokens_, at);
            if (begin.bracket) {
                at = *begin.bracket;
                continue;
            }
            if (begin.first == 0) return;
            const std::size_t before = begin.first - 1;
            if (const auto condition = condition_at(before)) {
                add_equal(token_span(tokens_).subspan(condition->open + 1, condition->close - condition->open - 1),
                          condition->close, into);
                at = condition->word;
                continue;
            }
            if (tokens_[before].is_any({"else", "do"})) {
                at = before;
                continue;
            }
            if (tokens_[before].is(")")) {
                at = opening_bracket(tokens_, before, longest_condition);
                if (at == before) return;
                continue;
            }
            const int scope = names_.scope_of(at);
            const source_scope* block = names_.scope(scope);
            if (block == nullptr || block->kind == scope_kind::file || block->kind == scope_kind::type) return;
            if (has_word(names_.head_of(*block), "switch")) add_case(at, scope, into);
            at = block->open;
        }
    }

private:
    // `variable == value`, and conditions joined by &&.
    void add_equal(token_span words, std::size_t at, template_values& into) const
    {
        int open = 0;
        std::vector<std::size_t> joints;
        for (std::size_t i = 0; i < words.size(); ++i) {
            if (words[i].is_any({"(", "[", "{"})) ++open;
            if (words[i].is_any({")", "]", "}"})) --open;
            if (open == 0 && words[i].is_any({"||", "?", ",", ";"})) return;
            if (open == 0 && words[i].is("&&")) joints.push_back(i);
        }
        if (!joints.empty()) {
            std::size_t from = 0;
            joints.push_back(words.size());
            for (const std::size_t joint : joints) {
                add_equal(words.subspan(from, joint - from), at, into);
                from = joint + 1;
            }
            return;
        }
        if (words.size() > 2 && words[0].is("(") && closing_bracket(words, 0) + 1 == words.size())
            return add_equal(words.subspan(1, words.size() - 2), at, into);
        if (words.size() < 3) return;
        if (words[1].is("==")) add_value(words.first(1), words.subspan(2), at, into);
        if (words[words.size() - 2].is("==")) add_value(words.last(1), words.first(words.size() - 2), at, into);
    }

    void add_value(token_span variable, token_span value, std::size_t at, template_values& into) const
    {
        if (variable[0].kind != source_token_kind::identifier) return;
        const auto found = names_.find(variable[0].text, at);
        const auto known = values_.integer(value, at, into);
        if (found && known && found->name != 0) into.emplace(bound_name(found->name), std::to_string(*known));
    }

    // The label before `at` in a switch, if only it leads there.
    void add_case(std::size_t at, int scope, template_values& into) const
    {
        const auto& places = names_.places("case");
        auto next = std::ranges::lower_bound(places, at);
        while (next != places.begin() && names_.scope_of(*std::prev(next)) != scope) {
            if (*--next < names_.scope(scope)->open) return;
        }
        if (next == places.begin()) return;
        const std::size_t label = *std::prev(next);
        for (const std::size_t other : names_.places("default"))
            if (other > label && other < at && names_.scope_of(other) == scope) return;
        if (label == 0 || !(label - 1 == names_.scope(scope)->open || leaves(label - 1))) return;
        std::size_t colon = label + 1;
        while (colon < at && !tokens_[colon].is(":")) ++colon;
        const token_span head = names_.head_of(*names_.scope(scope));
        if (head.size() < 4 || !head[head.size() - 3].is("(") || !head[head.size() - 4].is("switch")) return;
        add_value(head.subspan(head.size() - 2, 1), token_span(tokens_).subspan(label + 1, colon - label - 1), at,
                  into);
    }

    // Whether the statement that ends here is a jump: nothing falls through to what follows.
    [[nodiscard]] bool leaves(std::size_t end) const
    {
        if (tokens_[end].is("}")) {  // case 1: {...}
            const source_scope* block = names_.scope(names_.scope_of(end));
            const token_span head = block == nullptr ? token_span{} : names_.head_of(*block);
            return block != nullptr && block->close == end && (head.empty() || head.back().is(":")) && leaves(end - 1);
        }
        const std::size_t first = tokens_[end].is(";") ? begin_of_statement(tokens_, end).first : 0;
        return first > 0 && tokens_[first].is_any({"break", "return", "continue", "goto", "throw"}) &&
               tokens_[first - 1].is_any({";", "{", "}", ":"});
    }

    [[nodiscard]] std::size_t end_of_expression(std::size_t at) const
    {
        while (at < tokens_.size() && !tokens_[at].is(";"))
            at = tokens_[at].is_any({"(", "[", "{"}) ? closing_bracket(tokens_, at) + 1 : at + 1;
        return at;
    }

    enum class outcome { never, unknown, always };

    // What the enclosing conditions tell, up to this scope; -1: to the whole function.
    [[nodiscard]] outcome walk(std::size_t at, int within) const
    {
        bool always = true;
        for (int depth = 0; at > 0 && depth < deepest_statement; ++depth) {
            const statement_begin begin = begin_of_statement(tokens_, at);
            if (begin.bracket) {
                at = *begin.bracket;
                always = false;
                continue;
            }
            if (begin.first == 0) return outcome::unknown;
            const std::size_t before = begin.first - 1;
            const bool is_else = tokens_[before].is("else");
            const std::optional<if_condition> condition = is_else ? condition_of_else(before) : condition_at(before);
            if (condition) {
                const token_span words =
                    token_span(tokens_).subspan(condition->open + 1, condition->close - condition->open - 1);
                // Its own words may change what they name: `query(&n) || n == 0`.
                const auto value = values_.integer(words, condition->close, instance_);
                if (value && (*value != 0) == is_else) return outcome::never;
                always &= value.has_value();
                at = condition->word;
                continue;
            }
            if (tokens_[before].is_any({"else", ")", "do", ":"})) always = false;  // a loop, or a label
            if (tokens_[before].is("do")) {
                at = before;
                continue;
            }
            if (tokens_[before].is(")")) {
                at = opening_bracket(tokens_, before, longest_condition);
                if (at == before) return outcome::unknown;
                continue;
            }
            const int scope = names_.scope_of(at);
            if (scope == within) return always ? outcome::always : outcome::unknown;
            const source_scope* block = names_.scope(scope);
            if (block == nullptr || block->kind == scope_kind::file || block->kind == scope_kind::type)
                return outcome::unknown;
            always &= !may_run_again(names_, *block) && !has_word(names_.head_of(*block), "switch") &&
                      !has_word(names_.head_of(*block), "try");
            at = block->open;
        }
        return outcome::unknown;
    }

    [[nodiscard]] std::optional<if_condition> condition_at(std::size_t close) const
    {
        if (!tokens_[close].is(")")) return std::nullopt;
        const std::size_t open = opening_bracket(tokens_, close, longest_condition);
        if (open == close || open == 0) return std::nullopt;
        const std::size_t word = open > 1 && tokens_[open - 1].is("constexpr") ? open - 2 : open - 1;
        if (!tokens_[word].is("if")) return std::nullopt;
        return if_condition{word, open, close};
    }

    // Of the `if` that this `else` belongs to.
    [[nodiscard]] std::optional<if_condition> condition_of_else(std::size_t word) const
    {
        if (word == 0) return std::nullopt;
        std::size_t at = word - 1;
        if (tokens_[at].is("}")) {
            const source_scope* block = names_.scope(names_.scope_of(at));
            if (block == nullptr || block->close != at) return std::nullopt;
            at = block->open;
        }
        for (int depth = 0; depth < deepest_statement; ++depth) {
            const std::size_t first = begin_of_statement(tokens_, at).first;
            if (first == 0 || !tokens_[first - 1].is(")")) return std::nullopt;
            if (auto condition = condition_at(first - 1)) return condition;
            at = opening_bracket(tokens_, first - 1, longest_condition);  // of a loop
            if (at == first - 1) return std::nullopt;
        }
        return std::nullopt;
    }

    const source_values& values_;
    const source_declarations& names_;
    const std::vector<source_token>& tokens_;
    const template_values& instance_;
};

}  // namespace

void add_implied_values(const source_values& values, std::size_t at, template_values& instance)
{
    reach(values, instance).add_implied(at, instance);
}

bool is_never_reached(const source_values& values, std::size_t at, const template_values& instance)
{
    const reach found(values, instance);
    return found.is_never_executed(at) || found.is_behind_return(at);
}

}  // namespace launchbox
