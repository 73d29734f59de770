// SPDX-License-Identifier: Apache-2.0
#include "source/source_launches.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_launch = 2000;  // tokens

// Where the name that ends before `at` begins: for `a::b<c, 3>` the position of a; `at` if there is no name.
std::size_t begin_of_function(const std::vector<source_token>& tokens, std::size_t at)
{
    constexpr std::size_t longest = 500;
    std::size_t i = at;
    if (i > 0 && tokens[i - 1].is_any({")", ">"})) {
        i = opening_bracket(tokens, i - 1, longest);
        if (tokens[i].is_any({")", ">"})) return at;
        if (tokens[i].is("(")) return i;  // (merge<int>)<<<
    }
    bool wants_word = true;
    while (i > 0) {
        const source_token& before = tokens[i - 1];
        if (wants_word ? before.kind != source_token_kind::identifier : !before.is("::")) break;
        if (wants_word && is_word_of_statement(before)) break;
        wants_word = !wants_word;
        --i;
    }
    return i;
}

// Where the launched expression begins: for `table[i].kernel` the position of table.
std::size_t begin_of_callee(const std::vector<source_token>& tokens, std::size_t at)
{
    constexpr std::size_t longest = 500;
    std::size_t i = at;
    while (i > 0 && at - i < longest) {
        const source_token& before = tokens[i - 1];
        if (before.is_any({")", "]"})) {
            i = opening_bracket(tokens, i - 1, longest);
            const bool goes_on =
                i > 0 && (tokens[i - 1].kind == source_token_kind::identifier || tokens[i - 1].is_any({")", "]"}));
            if (!goes_on || is_word_of_statement(tokens[i - 1])) return i;
            continue;
        }
        const std::size_t name = begin_of_function(tokens, i);
        if (name == i) return i;
        i = name;
        if (i == 0 || !tokens[i - 1].is_any({".", "->"})) return i;
        --i;
    }
    return i;
}

bool is_end_of_chevrons(const std::vector<source_token>& tokens, std::size_t i)
{
    return i + 2 < tokens.size() && tokens[i].is(">") && tokens[i + 1].is(">") && tokens[i + 2].is(">") &&
           tokens[i].end == tokens[i + 1].begin && tokens[i + 1].end == tokens[i + 2].begin;
}

// The number of arguments in the brackets that open there.
std::optional<std::size_t> arguments_in(const std::vector<source_token>& tokens, std::size_t open)
{
    if (open >= tokens.size() || !tokens[open].is("(")) return std::nullopt;
    const std::size_t end = closing_bracket(tokens, open);
    if (end == tokens.size()) return std::nullopt;
    return split_at_commas(token_span(tokens).subspan(open + 1, end - open - 1)).size();
}

std::optional<source_launch> chevrons_at(const std::vector<source_token>& tokens, std::size_t i)
{
    source_launch launch{.kernel = {},
                         .function = {},
                         .callee = {},
                         .arguments = {},
                         .config = {},
                         .part = {},
                         .passed = {},
                         .first = i,
                         .line = tokens[i].line,
                         .branch = tokens[i].branch};
    const std::size_t name = begin_of_function(tokens, i);
    launch.function = read_function_name(token_span(tokens).subspan(name, i - name));
    // The result of a function or an element of an array is not the kernel of that name.
    const bool is_called = name > 0 && name < i && tokens[name].is("(") &&
                           tokens[name - 1].kind == source_token_kind::identifier &&
                           !is_word_of_statement(tokens[name - 1]);
    if (is_called || (name > 0 && tokens[name - 1].is_any({".", "->"}))) launch.function = {};
    launch.kernel = launch.function.name;
    const std::size_t callee = begin_of_callee(tokens, i);
    launch.callee = token_span(tokens).subspan(callee, i - callee);
    std::size_t from = i + 1;
    int depth = 0;
    for (std::size_t at = from; at < std::min(tokens.size(), i + longest_launch); ++at) {
        if (tokens[at].is_any({"(", "{", "["})) ++depth;
        if (tokens[at].is_any({")", "}", "]"})) --depth;
        if (depth < 0 || tokens[at].is("<<<")) break;
        if (depth == 0 && tokens[at].is("<") && tokens[at - 1].kind == source_token_kind::identifier) {
            // Template arguments contain commas of their own.
            const std::size_t end = closing_bracket(tokens, at);
            if (end + 1 < tokens.size() && tokens[end + 1].is_any({"::", "(", "{"})) {
                at = end;
                continue;
            }
        }
        const bool end = depth == 0 && is_end_of_chevrons(tokens, at);
        if (end || (depth == 0 && tokens[at].is(","))) {
            launch.arguments.emplace_back(tokens.data() + from, at - from);
            from = at + 1;
        }
        if (!end) continue;
        launch.last = at;
        launch.passed = arguments_in(tokens, at + 3);
        break;
    }
    if (launch.last == 0 || launch.arguments.size() < 2) return std::nullopt;
    return launch;
}

// Whether this is launchbox::launch, or launch if the text imports that name.
bool is_launchbox_launch(const std::vector<source_token>& tokens, std::size_t i)
{
    if (!tokens[i].is("launch")) return false;
    if (i > 1 && tokens[i - 1].is("::")) return tokens[i - 2].is("launchbox");
    if (i > 0 && tokens[i - 1].is_any({".", "->"})) return false;
    for (std::size_t at = 0; at + 3 < i; ++at)
        if (tokens[at].is("using") && ((tokens[at + 1].is("namespace") && tokens[at + 2].is("launchbox")) ||
                                       (tokens[at + 1].is("launchbox") && tokens[at + 3].is("launch"))))
            return true;
    return false;
}

// The arguments in the brackets that open there, if they are closed.
std::optional<std::vector<token_span>> given_at(const std::vector<source_token>& tokens, std::size_t open)
{
    const std::size_t end =
        open < tokens.size() && tokens[open].is_any({"(", "{"}) ? closing_bracket(tokens, open) : tokens.size();
    if (end == tokens.size()) return std::nullopt;
    return split_at_commas(token_span(tokens).subspan(open + 1, end - open - 1));
}

// triple_chevron(grid, block, shared, stream).doit(kernel, ...)
std::optional<source_launch> chevron_object_at(const std::vector<source_token>& tokens, std::size_t i)
{
    const auto sizes = given_at(tokens, i + 1);
    if (!sizes || sizes->size() < 2) return std::nullopt;
    const std::size_t behind = closing_bracket(tokens, i + 1) + 1;
    if (behind + 1 >= tokens.size() || !tokens[behind].is(".") || !tokens[behind + 1].text.starts_with("doit"))
        return std::nullopt;
    const auto given = given_at(tokens, behind + 2);
    if (!given || given->empty()) return std::nullopt;
    source_launch launch{.form = launch_form::runtime_call,
                         .kernel = {},
                         .function = read_function_name((*given)[0]),
                         .callee = (*given)[0],
                         .arguments = *sizes,
                         .config = {},
                         .part = {},
                         .passed = given->size() - 1,
                         .first = i,
                         .last = i + 1,
                         .line = tokens[i].line,
                         .branch = tokens[i].branch};
    launch.kernel = launch.function.name;
    return launch;
}

// cudaGraphAddKernelNode, cuLaunchKernel and their like: the kernel is found by its value.
std::optional<source_launch> indirect_call_at(const std::vector<source_token>& tokens, std::size_t i)
{
    const bool driver = tokens[i].is_any({"cuLaunchKernel", "cuLaunchCooperativeKernel"});
    const bool any_node = tokens[i].is("cudaGraphAddNode");
    const bool node = any_node || tokens[i].is_any({"cudaGraphAddKernelNode", "cudaGraphKernelNodeSetParams",
                                                    "cudaGraphExecKernelNodeSetParams"});
    if (!driver && !node) return std::nullopt;
    if (i > 0 && (tokens[i - 1].kind == source_token_kind::identifier || tokens[i - 1].is("*")) &&
        !is_word_of_statement(tokens[i - 1]))
        return std::nullopt;
    const auto given = given_at(tokens, i + 1);
    if (!given || given->size() < (driver ? 9u : 2u)) return std::nullopt;
    source_launch launch{.form = driver ? launch_form::driver_call : launch_form::graph_node,
                         .kernel = {},
                         .function = {},
                         .callee = driver ? given->front() : given->back(),
                         .arguments = {},
                         .config = driver ? token_span{} : given->back(),
                         .part = any_node ? "kernel." : "",
                         .passed = {},
                         .first = i,
                         .last = i + 1,
                         .line = tokens[i].line,
                         .branch = tokens[i].branch};
    if (driver) launch.arguments.assign(given->begin() + 1, given->begin() + 8);
    return launch;
}

std::optional<source_launch> call_at(const std::vector<source_token>& tokens, std::size_t i)
{
    const bool plain = tokens[i].is_any({"cudaLaunchKernel", "cudaLaunchCooperativeKernel"});
    const bool with_config = tokens[i].is_any({"cudaLaunchKernelEx", "cudaLaunchKernelExC"});
    const bool ours = !plain && !with_config && is_launchbox_launch(tokens, i);
    std::size_t open = i + 1;
    if (open < tokens.size() && tokens[open].is("<")) open = closing_bracket(tokens, open) + 1;
    if (!(plain || with_config || ours) || open >= tokens.size() || !tokens[open].is("(")) return std::nullopt;
    // A declaration of the function itself has a type before it.
    if (i > 0 && (tokens[i - 1].kind == source_token_kind::identifier || tokens[i - 1].is("*")) &&
        !is_word_of_statement(tokens[i - 1]))
        return std::nullopt;
    const std::size_t end = closing_bracket(tokens, open);
    if (end == tokens.size()) return std::nullopt;
    const std::vector<token_span> given = split_at_commas(token_span(tokens).subspan(open + 1, end - open - 1));
    if (given.size() < (plain ? 4u : 2u)) return std::nullopt;
    source_launch launch{.form = plain         ? launch_form::runtime_call
                                 : with_config ? launch_form::runtime_config
                                               : launch_form::launchbox_config,
                         .kernel = {},
                         .function = read_function_name(given[with_config ? 1 : 0]),
                         .callee = given[with_config ? 1 : 0],
                         .arguments = {},
                         .config = {},
                         .part = {},
                         .passed = {},
                         .first = i,
                         .last = open,
                         .line = tokens[i].line,
                         .branch = tokens[i].branch};
    launch.kernel = launch.function.name;
    if (plain) {
        launch.arguments = {given[1], given[2]};
        for (std::size_t at = 4; at < std::min<std::size_t>(given.size(), 6); ++at)
            launch.arguments.push_back(given[at]);
    } else {
        launch.config = given[with_config ? 0 : 1];
        if (!tokens[i].is("cudaLaunchKernelExC")) launch.passed = given.size() - 2;
    }
    return launch;
}

}  // namespace

function_name_in_text read_function_name(token_span words)
{
    // (const void*)&merge<int>, reinterpret_cast<const void*>(merge<int>), (merge)
    for (bool again = true; again && !words.empty();) {
        again = false;
        if (words[0].is("&")) {
            words = words.subspan(1);
            again = true;
        } else if (words[0].is("(")) {
            const std::size_t end = closing_bracket(words, 0);
            if (end == words.size()) return {};
            const bool whole = end + 1 == words.size();
            if (!whole && !has_word(words.subspan(1, end - 1), "*")) return {};
            words = whole ? words.subspan(1, end - 1) : words.subspan(end + 1);
            again = true;
        } else if (words[0].is_any({"reinterpret_cast", "static_cast"}) && words.size() > 1 && words[1].is("<")) {
            const std::size_t end = closing_bracket(words, 1);
            if (end + 1 >= words.size() || closing_bracket(words, end + 1) + 1 != words.size()) return {};
            words = words.subspan(end + 2, words.size() - end - 3);
            again = true;
        }
    }
    function_name_in_text found;
    std::size_t i = 0;
    if (!words.empty() && words[0].is("::")) ++i;
    for (; i < words.size(); i += 2) {
        if (words[i].kind != source_token_kind::identifier) return {};
        if (i + 1 == words.size() || !words[i + 1].is("::")) break;
        found.qualifiers.push_back(words[i].text);
    }
    if (i >= words.size()) return {};
    const std::string_view name = words[i].text;
    if (++i < words.size()) {
        if (!words[i].is("<")) return {};
        const std::size_t end = words.size() - 1;
        if (!words[end].is(">")) return {};
        found.has_arguments = true;
        found.arguments = split_at_commas(words.subspan(i + 1, end - i - 1), true);
    }
    found.name = name;
    return found;
}

std::vector<source_launch> read_source_launches(const source_text& source)
{
    std::vector<source_launch> launches;
    for (std::size_t i = 0; i < source.tokens.size(); ++i) {
        const source_token& token = source.tokens[i];
        std::optional<source_launch> launch;
        if (token.is("<<<"))
            launch = chevrons_at(source.tokens, i);
        else if (token.is("launch") || token.text.starts_with("cudaLaunch"))
            launch = call_at(source.tokens, i);
        else if (token.is("triple_chevron"))
            launch = chevron_object_at(source.tokens, i);
        else if (token.text.starts_with("cudaGraph") || token.text.starts_with("cuLaunch"))
            launch = indirect_call_at(source.tokens, i);
        if (launch) launches.push_back(*std::move(launch));
    }
    return launches;
}

std::vector<source_opt_in> read_opt_ins(const source_text& source)
{
    using attribute = source_opt_in::attribute;
    constexpr std::array<std::pair<std::string_view, attribute>, 4> attributes{
        {{"cudaFuncAttributeMaxDynamicSharedMemorySize", attribute::dynamic_shared},
         {"CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES", attribute::dynamic_shared},
         {"cudaFuncAttributeNonPortableClusterSizeAllowed", attribute::clusters},
         {"CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED", attribute::clusters}}};
    const std::vector<source_token>& tokens = source.tokens;
    std::vector<source_opt_in> found;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const auto attribute = std::ranges::find(attributes, tokens[i].text, [](const auto& one) { return one.first; });
        if (attribute == attributes.end()) continue;
        // (kernel, attribute, value): the arguments of any function that sets it.
        const std::size_t open = bracket_around(tokens, i).value_or(i);
        const std::size_t end = tokens[open].is("(") ? closing_bracket(tokens, open) : tokens.size();
        source_opt_in one{.kind = attribute->second, .function = {}, .value = {}, .at = i};
        if (end < tokens.size() && end > i) {
            const std::vector<token_span> given = split_at_commas(token_span(tokens).subspan(open + 1, end - open - 1));
            for (std::size_t at = 0; at < given.size(); ++at)
                if (!given[at].empty() && given[at].data() <= &tokens[i] &&
                    &tokens[i] < given[at].data() + given[at].size()) {
                    if (at > 0) one.function = read_function_name(given[at - 1]);
                    if (at + 1 < given.size()) one.value = given[at + 1];
                }
        }
        found.push_back(std::move(one));
    }
    return found;
}

}  // namespace launchbox
