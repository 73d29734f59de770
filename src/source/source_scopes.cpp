// SPDX-License-Identifier: Apache-2.0
#include "source/source_scopes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace launchbox {

namespace {

// Names in capitals are unknown macros, many of which mean __device__.
bool is_macro_name(std::string_view word)
{
    return word.size() > 2 && word.find_first_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ") != std::string_view::npos &&
           std::none_of(word.begin(), word.end(), [](char c) { return c >= 'a' && c <= 'z'; });
}

// Words whose parentheses do not contain parameters.
bool takes_arguments(std::string_view word)
{
    constexpr std::array<std::string_view, 12> words{
        "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__", "__attribute__", "__align__",
        "__declspec",        "alignas",     "decltype",         "noexcept",       "requires",      "explicit"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

// The text before a brace since the last `;`, `{` or `}`.
struct scope_head {
    std::string_view last_name, last_word;  // before the parameters; and the identifier just read
    bool parameters = false, space = false, type = false, value = false;
    bool device = false, global = false, uncertain = false;
    bool template_begins = false;
    int line = 0;             // of last_name
    int depth = 0;            // of parentheses
    int angles = 0;           // of the parameters of a template
    int attribute_depth = 0;  // of parentheses, in those of __attribute__
    std::size_t first = 0;    // token

    void take(const source_token& token);
};

void scope_head::take(const source_token& token)
{
    const std::string_view before = std::exchange(last_word, {});
    if (token.is("(")) {
        if (attribute_depth > 0 || before == "__attribute__") ++attribute_depth;
        if (depth++ == 0 && angles == 0 && !last_name.empty() && !takes_arguments(before)) parameters = true;
        return;
    }
    if (token.is(")")) depth = std::max(depth - 1, 0);
    if (token.is(")")) attribute_depth = std::max(attribute_depth - 1, 0);
    if (depth == 0 && token.is("<") && (angles > 0 || template_begins)) ++angles;
    if (depth == 0 && token.is(">") && angles > 0) --angles;
    template_begins = token.is("template");
    if (token.is("=") && depth == 0 && angles == 0 && before != "operator") value = true;
    if (token.kind != source_token_kind::identifier) return;

    const std::string_view word = last_word = token.text;
    // The preprocessor turns __global__ into __attribute__((global)).
    const bool by_attribute = attribute_depth > 0 && (word == "device" || word == "global");
    device |= word == "__device__" || word == "__global__" || by_attribute;
    global |= word == "__global__" || (by_attribute && word == "global");
    uncertain |= word == "constexpr" || word == "consteval";
    if (depth > 0 || angles > 0 || takes_arguments(word)) return;
    space |= word == "namespace" || word == "extern";
    type |= word == "class" || word == "struct" || word == "union" || word == "enum";
    uncertain |= is_macro_name(word);
    if (parameters) return;
    last_name = word;
    line = token.line;
}

scope_head head_from(std::size_t first)
{
    scope_head head;
    head.first = first;
    return head;
}

source_scope scope_of(const scope_head& head, const source_scope* outer, int line)
{
    source_scope scope{.kind = scope_kind::uncertain, .name = {}, .line = line};
    const scope_kind around = outer != nullptr ? outer->kind : scope_kind::file;
    const bool in_function = around != scope_kind::file && around != scope_kind::type;
    if (in_function) {
        // Lambdas and local classes with __device__ are device code; other blocks are like the enclosing scope.
        scope.kind = head.device ? scope_kind::device : around;
        scope.name = outer->name;
        scope.global = outer->global && !head.device;
    } else if (head.space && !head.parameters) {
        scope.kind = scope_kind::file;
    } else if (head.type && !head.parameters) {
        scope.kind = scope_kind::type;
    } else if (head.device) {
        scope.kind = scope_kind::device;
        scope.name = head.last_name;
        scope.line = head.line;
        scope.global = head.global;
    } else if (head.parameters && !head.value) {
        if (!head.uncertain) scope.kind = scope_kind::host;
        scope.name = head.last_name;
        scope.line = head.line;
    }
    return scope;
}

}  // namespace

source_scopes read_source_scopes(const source_text& source)
{
    source_scopes result;
    result.of_token.reserve(source.tokens.size());
    struct open_branch {
        int group = 0, branch = 0;
        int scope = -1;  // and head, as they were at the #if
        scope_head head;
    };
    std::vector<open_branch> open;
    scope_head head;
    int scope = -1, branch = -1;
    for (std::size_t i = 0; i < source.tokens.size(); ++i) {
        const source_token& token = source.tokens[i];
        if (token.branch != branch) {
            // Every branch of an #if continues from the state at the #if; after #endif the state is that of the last
            // branch.
            branch = token.branch;
            std::vector<std::pair<int, int>> now;  // group and branch, from the outermost
            for (int enclosing = branch; enclosing >= 0;
                 enclosing = source.branches[static_cast<std::size_t>(enclosing)].outer)
                now.emplace_back(source.branches[static_cast<std::size_t>(enclosing)].group, enclosing);
            std::reverse(now.begin(), now.end());
            std::size_t same = 0;
            while (same < now.size() && same < open.size() && now[same].second == open[same].branch) ++same;
            if (same < now.size() && same < open.size() && now[same].first == open[same].group) {
                scope = open[same].scope;
                head = open[same].head;
            }
            open.resize(same);
            while (open.size() < now.size())
                open.push_back({now[open.size()].first, now[open.size()].second, scope, head});
        }
        result.of_token.push_back(scope);
        if (token.is("}")) {
            if (scope >= 0) {
                source_scope& closed = result.scopes[static_cast<std::size_t>(scope)];
                closed.close = i;
                scope = closed.outer;
            }
            head = head_from(i + 1);
        } else if (token.is("{")) {
            source_scope opened =
                scope_of(head, scope < 0 ? nullptr : &result.scopes[static_cast<std::size_t>(scope)], token.line);
            opened.outer = scope;
            opened.head = head.first;
            opened.open = i;
            opened.close = source.tokens.size();
            scope = static_cast<int>(result.scopes.size());
            result.scopes.push_back(opened);
            head = head_from(i + 1);
        } else if (token.is(";") && head.depth == 0) {
            head = head_from(i + 1);
        } else {
            head.take(token);
        }
    }
    return result;
}

}  // namespace launchbox
