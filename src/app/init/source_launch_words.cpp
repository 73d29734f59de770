// SPDX-License-Identifier: Apache-2.0
#include "app/init/source_launch_words.hpp"

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

token_span in_brackets(const std::vector<source_token>& tokens, std::size_t open)
{
    const std::size_t close = closing_bracket(tokens, open);
    if (close >= tokens.size()) return {};
    return token_span(tokens).subspan(open + 1, close - open - 1);
}

std::vector<placed_words> placed(const std::vector<token_span>& words, std::size_t at)
{
    std::vector<placed_words> all;
    for (const token_span& one : words) all.push_back({one, at});
    return all;
}

// From the configuration of cudaLaunchKernelEx.
void take_config(const source_launch& launch, const source_view& view, const spec_expressions& expressions,
                 launch_words& words)
{
    token_span config = launch.config;
    if (!config.empty() && config.front().is("&")) config = config.subspan(1);
    if (config.size() != 1) return;
    const auto object = view.values.state_of(config[0].text, launch.first);
    if (!object) return;
    const auto member = [&](const char* name, int place) -> placed_words {
        const auto value = view.values.member_of(*object, name, place);
        return value ? placed_words{value->words, value->at} : placed_words{};
    };
    const auto extent = [&](const char* name, int place) -> extent_words {
        if (const placed_words whole = member(name, place); !whole.words.empty())
            return expressions.extent(whole.words, whole.at);
        extent_words parts;
        for (int axis = 0; axis < 3; ++axis)
            parts.parts[static_cast<std::size_t>(axis)] = member((std::string(name) + "." + "xyz"[axis]).c_str(), axis);
        parts.is_known = !parts.parts[0].words.empty();
        return parts;
    };
    words.grid = extent("gridDim", 0);
    words.block = extent("blockDim", 1);
    words.shared = member("dynamicSmemBytes", 2);
}

int function_around(const source_view& view, std::size_t at)
{
    int found = view.names.scope_of(at);
    for (int scope = found; scope >= 0; scope = view.names.scope(scope)->outer) {
        const scope_kind kind = view.names.scope(scope)->kind;
        if (kind != scope_kind::file && kind != scope_kind::type) found = scope;
    }
    return found;
}

}  // namespace

launch_words words_of(const source_launch& launch, const source_view& view, const spec_expressions& expressions)
{
    launch_words words;
    const std::vector<source_token>& tokens = view.source.tokens;
    if (launch.form == launch_form::chevrons) {
        std::size_t open = launch.last;
        while (open < tokens.size() && tokens[open].is(">")) ++open;
        if (open < tokens.size() && tokens[open].is("("))
            words.passed = placed(split_at_commas(in_brackets(tokens, open)), launch.first);
    } else if (launch.form != launch_form::runtime_call && launch.passed) {
        const std::vector<token_span> all = split_at_commas(in_brackets(tokens, launch.last));
        if (*launch.passed <= all.size())
            words.passed = placed({all.end() - static_cast<std::ptrdiff_t>(*launch.passed), all.end()}, launch.first);
    }
    if (launch.form == launch_form::runtime_config) take_config(launch, view, expressions, words);
    if (launch.arguments.size() < 2) return words;
    words.grid = expressions.extent(launch.arguments[0], launch.first);
    words.block = expressions.extent(launch.arguments[1], launch.first);
    const std::size_t shared = launch.form == launch_form::runtime_call ? 3 : 2;
    if (launch.form == launch_form::chevrons && launch.arguments.size() > shared)
        words.shared = {launch.arguments[shared], launch.first};
    if (launch.form == launch_form::runtime_call && launch.arguments.size() > 2)
        words.shared = {launch.arguments[2], launch.first};
    return words;
}

std::optional<allocated_words> allocation_of(std::string_view variable, std::size_t seen_from, const source_view& view)
{
    const std::vector<source_token>& tokens = view.source.tokens;
    const auto declared = view.names.find(variable, seen_from);
    if (declared && declared->kind == declared_as::variable && has_word(declared->type, "device_vector") &&
        (declared->form == '(' || declared->form == '{')) {
        const std::vector<token_span> parts = split_at_commas(declared->value);
        if (parts.empty() || parts[0].empty()) return std::nullopt;
        return allocated_words{{parts[0], declared->name}, true};
    }
    if (declared && declared->kind == declared_as::parameter) return std::nullopt;  // its caller knows
    std::optional<allocated_words> found;
    const int here = function_around(view, seen_from);
    for (const std::size_t at : view.names.places(variable)) {
        if (at == 0 || !tokens[at - 1].is("&")) continue;
        // cudaMalloc(&x, n); cudaMalloc((void**)&x, n); CHECK(cudaMalloc(reinterpret_cast<void**>(&x), n)).
        for (std::size_t open = at - 1, steps = 0; open > 1 && steps < 24; --open, ++steps) {
            const bool allocates =
                tokens[open].is("(") && tokens[open - 1].is_any({"cudaMalloc", "cudaMallocManaged", "cudaMallocAsync"});
            if (tokens[open].is_any({";", "{", "}"})) break;
            if (!allocates) continue;
            const std::vector<token_span> given = split_at_commas(in_brackets(tokens, open));
            if (given.size() < 2) break;
            const bool is_near = function_around(view, at) == here;
            if (is_near || !found) found = allocated_words{{given[1], at}, false};
            if (is_near) return found;
            break;
        }
    }
    return found;
}

std::optional<std::string_view> variable_in(const placed_words& argument, const source_view& view)
{
    for (const source_token& word : argument.words) {
        if (word.kind != source_token_kind::identifier) continue;
        const auto declared = view.names.find(word.text, argument.at);
        if (declared && (declared->kind == declared_as::variable || declared->kind == declared_as::parameter ||
                         declared->kind == declared_as::unknown))
            return word.text;
    }
    return std::nullopt;
}

}  // namespace launchbox
