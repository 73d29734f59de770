// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/block_size_use.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "advice/lint/launched_functions.hpp"

namespace launchbox {

namespace {

// The text of a kernel from its name to its last brace, for each definition; without its launch bound, which repeats
// the block size.
std::vector<token_span> definitions_of(const source_view& view, std::string_view name)
{
    std::vector<token_span> found;
    const token_span words(view.source.tokens);
    for (const source_scope& scope : view.scopes.scopes) {
        if (!scope.global || scope.name != name) continue;
        std::size_t first = scope.head;
        while (first < scope.open && !(words[first].is(name) && words[first + 1].is("("))) ++first;
        if (first < scope.open) found.push_back(words.subspan(first, std::min(scope.close, words.size()) - first));
    }
    return found;
}

// The names in an expression, and in the values of its variables.
void add_names(const source_view& view, token_span expression, std::size_t at, int depth,
               std::vector<std::string_view>& names)
{
    for (const source_token& word : expression) {
        if (word.kind != source_token_kind::identifier || word.is_any({"dim3", "const", "constexpr", "static_cast"}))
            continue;
        if (std::ranges::find(names, word.text) != names.end()) continue;
        names.push_back(word.text);
        if (depth == 0) continue;
        if (const auto object = view.values.state_of(word.text, at)) {
            add_names(view, object->declared.value, at, depth - 1, names);
            for (const object_state::assignment& one : object->assigned)
                add_names(view, one.value, one.at, depth - 1, names);
        }
    }
}

// The names that determine the block size of a launch, in the function that launches.
std::vector<std::string_view> names_in_function(const source_view& view, const source_launch& launch)
{
    constexpr int deepest = 3;
    std::vector<std::string_view> names;
    const auto add = [&](token_span words, std::size_t at) { add_names(view, words, at, deepest, names); };
    if (launch.form == launch_form::driver_call) {
        for (std::size_t axis = 3; axis < 6; ++axis) add(launch.arguments[axis], launch.first);
    } else if (launch.arguments.size() > 1) {
        add(launch.arguments[1], launch.first);
    }
    // Of a configuration, only its member for the block size.
    token_span config = launch.config;
    if (!config.empty() && config[0].is("&")) config = config.subspan(1);
    const auto object = config.size() == 1 ? view.values.state_of(config[0].text, launch.first) : std::nullopt;
    if (!object) {
        add(config, launch.first);
        return names;
    }
    const std::string member =
        std::string(launch.part) + (launch.form == launch_form::launchbox_config ? "threads" : "blockDim");
    const int position = !launch.part.empty() ? -1 : launch.form == launch_form::graph_node ? 2 : 1;
    for (const object_state::assignment& one : object->assigned)
        if (one.path.empty() || one.path.starts_with(member)) add(one.value, one.at);
    const object_state begun{.declared = object->declared, .assigned = {}, .doubtful = {}};
    if (const auto first = view.values.member_of(begun, member, position)) add(first->words, first->at);
    return names;
}

// The same with the names in what calls pass for the parameters among them.
std::vector<std::string_view> names_behind(const source_view& view, const source_launch& launch)
{
    constexpr std::size_t max_names = 64, max_calls = 64;
    std::vector<std::string_view> names = names_in_function(view, launch);
    const std::vector<source_token>& tokens = view.source.tokens;
    for (std::size_t i = 0; i < names.size() && names.size() < max_names; ++i) {
        const auto found = view.names.find(names[i], launch.first);
        if (!found || found->kind != declared_as::parameter) continue;
        const source_scope* scope = view.names.scope(found->scope);
        if (scope == nullptr || view.names.places(scope->name).size() > max_calls) continue;
        std::size_t list = scope->head;
        while (list < found->name && !(tokens[list].is("(") && closing_bracket(tokens, list) > found->name)) ++list;
        if (list >= found->name) continue;
        const std::size_t position =
            split_at_commas(token_span(tokens).subspan(list + 1, found->name - list - 1), true).size() - 1;
        for (const std::size_t place : view.names.places(scope->name)) {
            std::size_t open = place + 1;
            if (open < tokens.size() && tokens[open].is("<")) open = closing_bracket(tokens, open) + 1;
            const bool is_call = open < tokens.size() && tokens[open].is("(") && view.names.function_of(place) >= 0;
            const std::size_t close = is_call ? closing_bracket(tokens, open) : tokens.size();
            if (close >= tokens.size()) continue;
            const std::vector<token_span> given =
                split_at_commas(token_span(tokens).subspan(open + 1, close - open - 1));
            if (position < given.size()) add_names(view, given[position], place, 1, names);
        }
    }
    return names;
}

// "block_size": an argument of the kernel that also determines its block size; empty if none.
std::string size_argument(const source_view& view, const source_launch& launch)
{
    const std::vector<source_token>& words = view.source.tokens;
    std::size_t at = launch.last;
    while (at < words.size() && words[at].is(">")) ++at;
    if (launch.form != launch_form::chevrons || at >= words.size() || !words[at].is("(")) return {};
    std::vector<std::string_view> passed;
    for (const std::size_t close = closing_bracket(words, at); at < std::min(close, words.size()); ++at)
        if (words[at].kind == source_token_kind::identifier) passed.push_back(words[at].text);
    for (const std::string_view name : names_in_function(view, launch))
        if (std::ranges::find(passed, name) != passed.end()) return std::string(name);
    return {};
}

// "BM": a name that determines the block size of the launch and is also used by the kernel; empty if none.
std::string shared_name(const source_view& view, const source_launch& launch, const std::vector<token_span>& bodies)
{
    for (const std::string_view name : names_behind(view, launch)) {
        for (const token_span& argument : launch.function.arguments)
            if (std::ranges::any_of(argument, [&](const source_token& word) { return word.is(name); }))
                return std::string(name);
        const auto meant = view.names.find(name, launch.first);
        if (!meant) continue;
        for (const token_span& body : bodies)
            for (const source_token& word : body) {
                if (!word.is(name)) continue;
                const auto at = static_cast<std::size_t>(&word - view.source.tokens.data());
                if (const auto there = view.names.find(name, at); there && same(*meant, *there))
                    return std::string(name);
            }
    }
    return {};
}

// A constant in the kernel's text or name that equals the block size: it may, but need not, mean it.
std::string equal_constant(const std::vector<token_span>& bodies, std::string_view short_form, int threads)
{
    for (const std::string& argument : template_arguments_of(short_form))
        if (integer_in_name(argument) == threads)
            return fmt::format("a template argument equals the block size, {}: it may depend on it", threads);
    for (const token_span& body : bodies)
        for (const source_token& word : body)
            if (word.kind == source_token_kind::number && evaluate_constant({&word, 1}, {}) == threads)
                return fmt::format("its source has the constant {}, equal to the block size: it may depend on it",
                                   threads);
    return {};
}

void judge(const source_view& view, const std::vector<token_span>& bodies, const linted_kernel& kernel,
           const std::vector<const source_launch*>& launches, block_size_use& use)
{
    if (!kernel.info->bounds.required_threads && use.freedom != block_size_freedom::unknown)
        for (const source_launch* launch : launches)
            if (const std::string name = size_argument(view, *launch); !name.empty()) {
                use.freedom = block_size_freedom::free;
                use.reason = fmt::format("it gets {} as an argument", name);
                return;
            }
    if (use.freedom != block_size_freedom::free) return;
    for (const source_launch* launch : launches)
        if (const std::string name = shared_name(view, *launch, bodies); !name.empty()) {
            use.freedom = block_size_freedom::fixed;
            use.reason = fmt::format("{} sets its block size and is used by the kernel as well", name);
            return;
        }
    if (use.threads)
        if (std::string why = equal_constant(bodies, kernel.short_form, *use.threads); !why.empty()) {
            use.freedom = block_size_freedom::unknown;
            use.reason = std::move(why);
        }
}

}  // namespace

const char* freedom_name(block_size_freedom freedom)
{
    switch (freedom) {
        case block_size_freedom::free:
            return "free";
        case block_size_freedom::fixed:
            return "fixed";
        case block_size_freedom::unknown:
            break;
    }
    return "unknown";
}

block_size_use block_size_use_of(const kernel_info& kernel)
{
    block_size_use use;
    if (kernel.bounds.required_threads) {
        use.freedom = block_size_freedom::fixed;
        use.reason = "the kernel requires it";
        use.threads = bound_threads(kernel);
    } else if (kernel.launches.triton_warps) {
        use.freedom = block_size_freedom::fixed;
        use.reason = "num_warps sets it, and Triton compiles for it";
        use.threads = kernel.launches.launch_threads;
    } else if (kernel.launches.reads_block_size == false) {
        use.freedom = block_size_freedom::fixed;
        use.reason = "it never reads blockDim";
    } else if (kernel.launches.reads_block_size == true) {
        use.freedom = block_size_freedom::free;
        use.reason = "it reads blockDim";
    } else {
        use.reason = "its PTX, which would show this, is missing";
    }
    return use;
}

std::optional<std::int64_t> block_size_use::dynamic_shared_for(int block) const
{
    if (dynamic_shared_bytes || !dynamic_shared_by_threads) return dynamic_shared_bytes;
    return dynamic_shared_by_threads->of(block);
}

bool block_size_use::passes_unknown_shared() const
{
    if (dynamic_shared_bytes || dynamic_shared_by_threads) return false;
    return std::ranges::any_of(launches, [&](const seen_launch& one) {
        return !one.dynamic_shared_bytes || one.dynamic_shared_bytes != launches.front().dynamic_shared_bytes;
    });
}

std::string unknown_shared_text(const block_size_use& use, const kernel_info& kernel)
{
    constexpr const char* rest =
        ", which the figures leave out: resident blocks and occupancy are upper limits; give it with --dynamic-shared";
    if (use.dynamic_shared_bytes || use.dynamic_shared_by_threads) return {};
    for (const seen_launch& one : use.launches)
        if (!one.dynamic_shared_bytes)
            return fmt::format("{}:{} passes dynamic shared memory whose size the source does not show{}",
                               one.place.file, one.place.line, rest);
    if (use.passes_unknown_shared())
        return fmt::format("its launches pass dynamic shared memory of different size{}", rest);
    if (kernel.launches.uses_dynamic_shared.value_or(false))
        return fmt::format("it uses dynamic shared memory, whose size the source does not show{}", rest);
    return {};
}

std::vector<block_size_use> block_size_uses(const lint_request& request)
{
    const source_view view(request.unit != nullptr ? std::string_view(request.unit->host.text) : request.text);
    return block_size_uses(request, view);
}

std::vector<block_size_use> block_size_uses(const lint_request& request, const source_view& view)
{
    const std::vector<kernel_launch> launches = launched_kernels(view, request.kernels);
    const auto place_of = [&](int line) {
        return request.unit != nullptr ? request.unit->host.place(line) : source_location{request.file, line};
    };
    std::optional<std::vector<const source_launch*>> untold;
    std::vector<block_size_use> uses;
    for (std::size_t i = 0; i < request.kernels.size(); ++i) {
        const linted_kernel& kernel = request.kernels[i];
        block_size_use use = block_size_use_of(*kernel.info);
        std::vector<const source_launch*> own;
        for (const kernel_launch& one : launches) {
            if (one.kernel != i) continue;
            const auto volume = volume_of(one.figures.block);
            seen_launch seen{.place = place_of(one.launch->line),
                             .threads = std::nullopt,
                             .dynamic_shared_bytes = one.figures.dynamic_shared_bytes};
            if (volume && *volume >= 1 && *volume <= max_threads_per_block) seen.threads = static_cast<int>(*volume);
            use.launches.push_back(seen);
            own.push_back(one.launch);
        }
        const launch_size agreed = agreed_size(launches, i);
        if (!use.threads) use.threads = agreed.threads;
        use.dynamic_shared_bytes = agreed.dynamic_shared_bytes;
        use.dynamic_shared_by_threads = agreed.dynamic_shared_by_threads;
        if (use.launches.empty() && takes_address_of(view, function_name(kernel.short_form))) {
            if (!untold) untold = untold_launches(view, request.kernels);
            for (const source_launch* one : *untold) use.maybe_launched.push_back(place_of(one->line));
        }
        const std::vector<token_span> bodies = definitions_of(view, function_name(kernel.short_form));
        if (bodies.size() == 1) use.defined_at = place_of(bodies.front().front().line);
        judge(view, bodies, kernel, own, use);
        uses.push_back(std::move(use));
    }
    return uses;
}

}  // namespace launchbox
