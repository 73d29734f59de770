// SPDX-License-Identifier: Apache-2.0
#include "compiler/source_launches.hpp"

#include <algorithm>

namespace launchbox {

namespace {

// The identifier that is launched, over its template arguments; empty when it is an expression.
std::string_view name_before(const std::vector<source_token>& tokens, std::size_t at)
{
    constexpr std::size_t longest = 500;
    if (at == 0) return {};
    std::size_t i = at - 1;
    if (tokens[i].is(">")) {
        int depth = 0;
        const std::size_t from = i;
        for (;; --i) {
            if (tokens[i].is(">")) ++depth;
            if (tokens[i].is("<") && --depth == 0) break;
            if (i == 0 || from - i > longest || tokens[i].is(";") || tokens[i].is("{") || tokens[i].is("}")) return {};
        }
        if (i == 0) return {};
        --i;
    }
    return tokens[i].kind == source_token_kind::identifier ? tokens[i].text : std::string_view{};
}

bool is_end(const std::vector<source_token>& tokens, std::size_t i)
{
    return i + 2 < tokens.size() && tokens[i].is(">") && tokens[i + 1].is(">") && tokens[i + 2].is(">") &&
           tokens[i].end == tokens[i + 1].begin && tokens[i + 1].end == tokens[i + 2].begin;
}

}  // namespace

std::vector<source_launch> read_source_launches(const source_text& source)
{
    constexpr std::size_t longest = 2000;
    const std::vector<source_token>& tokens = source.tokens;
    std::vector<source_launch> launches;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].is("<<<")) continue;
        source_launch launch{.kernel = name_before(tokens, i),
                             .arguments = {},
                             .first = i,
                             .last = 0,
                             .line = tokens[i].line,
                             .branch = tokens[i].branch};
        std::size_t from = i + 1;
        int depth = 0;
        for (std::size_t at = from; at < std::min(tokens.size(), i + longest); ++at) {
            if (tokens[at].is("(") || tokens[at].is("{") || tokens[at].is("[")) ++depth;
            if (tokens[at].is(")") || tokens[at].is("}") || tokens[at].is("]")) --depth;
            if (depth < 0 || tokens[at].is("<<<")) break;
            const bool end = depth == 0 && is_end(tokens, at);
            if (end || (depth == 0 && tokens[at].is(","))) {
                launch.arguments.emplace_back(tokens.data() + from, at - from);
                from = at + 1;
            }
            if (!end) continue;
            launch.last = at;
            break;
        }
        if (launch.last > 0 && launch.arguments.size() >= 2) launches.push_back(std::move(launch));
    }
    return launches;
}

}  // namespace launchbox
