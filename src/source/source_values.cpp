// SPDX-License-Identifier: Apache-2.0
#include "source/source_values.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

constexpr std::size_t max_value_steps = 10'000;  // names that each refer to two others double the work at every step
constexpr std::size_t max_instances = 32;        // of a function template; with more, its arguments count as unknown
constexpr std::size_t max_calls = 32;            // of a static function; the same
constexpr std::size_t max_visits = 20'000'000;   // of assignments, for the whole text
constexpr int deepest_value = 40;                // a chain of names could be as long as the file

// dim3 and types that convert to it.
bool is_extent_type(token_span type)
{
    const std::vector<source_token> words = without_qualifiers(type);
    return !words.empty() && words.size() <= 3 && words.back().is_any({"dim3", "uint3", "int3", "launch_extent"});
}

// ".blockDim.x" after a name: the path without its first dot, and where it ends. An index that is not a number becomes
// "[?]".
struct member_path {
    std::string text;
    std::size_t end = 0;
};
using index_value = std::function<std::optional<std::int64_t>(token_span)>;
std::optional<std::int64_t> number_alone(token_span index)
{
    return evaluate_constant(index, {.value = {}});
}
member_path path_behind(token_span tokens, std::size_t at, const index_value& value_of_index = number_alone)
{
    member_path path{.text = {}, .end = at};
    while (path.end + 1 < tokens.size()) {
        const source_token& token = tokens[path.end];
        if ((token.is(".") || token.is("->")) && tokens[path.end + 1].kind == source_token_kind::identifier) {
            path.text += path.text.empty() ? "" : ".";
            path.text += tokens[path.end + 1].text;
            path.end += 2;
        } else if (token.is("[")) {
            const std::size_t end = closing_bracket(tokens, path.end);
            if (end == tokens.size()) return path;
            const auto index = value_of_index(tokens.subspan(path.end + 1, end - path.end - 1));
            path.text += index && *index >= 0 ? "[" + std::to_string(*index) + "]" : std::string("[?]");
            path.end = end + 1;
        } else {
            break;
        }
    }
    return path;
}

// Whether the paths are equal, or `path` is a part of `whole`.
bool is_within(std::string_view path, std::string_view whole)
{
    return path.starts_with(whole) &&
           (path.size() == whole.size() || whole.empty() || path[whole.size()] == '.' || path[whole.size()] == '[');
}

constexpr std::array<std::string_view, 3> axes{"x", "y", "z"};

// A variable, or a parameter passed by value: not a reference or pointer.
bool is_followed(const source_declaration& found)
{
    return found.kind == declared_as::variable || (found.kind == declared_as::parameter && !found.type.empty());
}

}  // namespace

std::string assumed_name(const source_declaration& variable)
{
    return "@" + std::to_string(variable.name);  // not a possible name in a text
}

std::string bound_name(std::size_t variable)
{
    return "#" + std::to_string(variable);
}

std::optional<std::int64_t> volume_of(const source_extent& extent)
{
    constexpr std::int64_t most = std::int64_t{1} << 20;  // no block is larger, and no product overflows
    std::int64_t product = 1;
    for (const auto& one : extent) {
        if (!one || *one < 0) return std::nullopt;
        product = std::min(product * std::min(*one, most), most);
    }
    return product;
}

source_values::source_values(const source_declarations& names) : names_(names)
{
    const source_scopes& scopes = names.scopes();
    for (std::size_t i = 0; i < scopes.scopes.size(); ++i) {
        const source_scope &scope = scopes.scopes[i], *outer = names.scope(scope.outer);
        if (!scope.name.empty() && (outer == nullptr || outer->name.empty()))
            functions_[scope.name].push_back(static_cast<int>(i));
    }
}

std::optional<std::int64_t> source_values::integer(token_span expression, std::size_t at,
                                                   const template_values& instance) const
{
    if (depth_ == 0) steps_ = 0;
    if (depth_ >= deepest_value || ++steps_ > max_value_steps) return std::nullopt;
    ++depth_;
    if (expression.size() == 1 && expression[0].is_any({"++", "--"})) {
        const std::vector<source_token>& tokens = names_.text().tokens;
        const auto sign = static_cast<std::size_t>(expression.data() - tokens.data());
        const auto before = value_of(token_span(tokens).subspan(at, sign - at), at, instance);
        --depth_;
        return before ? std::optional(*before + (expression[0].is("++") ? 1 : -1)) : std::nullopt;
    }
    const std::optional<std::int64_t> value = evaluate_constant(
        expression,
        {.value = [&](token_span name) { return value_of(name, at, instance); },
         .call = [&](token_span name, const std::vector<token_span>& arguments) -> std::optional<std::int64_t> {
             const auto function = function_called(name, arguments, at, instance);
             return function ? integer(function->value, function->at, function->arguments) : std::nullopt;
         },
         .size_of = [&](token_span type) { return size_of(type, at, instance); }});
    --depth_;
    return value;
}

std::optional<std::int64_t> source_values::value_of(token_span name, std::size_t at,
                                                    const template_values& instance) const
{
    const auto part = std::ranges::find_if(
        name, [](const source_token& token) { return token.is(".") || token.is("->") || token.is("["); });
    const std::size_t base = static_cast<std::size_t>(part - name.begin());
    if (base == name.size()) {
        if (const auto found = names_.find(name, at)) return value_of(*found, at, instance);
        // A member of a class template or of a known template parameter: traits<3>::threads, Policy::threads.
        if (name.size() < 3 || !name[name.size() - 2].is("::")) return std::nullopt;
        const auto owner = type_meant(name.subspan(0, name.size() - 2), at, instance);
        return owner ? member_value_of(name.back().text, *owner) : std::nullopt;
    }
    const member_path path = path_behind(name, base, [&](token_span index) { return integer(index, at, instance); });
    if (base == 0 || path.end != name.size()) return std::nullopt;
    const auto found = names_.find(name.subspan(0, base), at);
    if (!found || !(is_followed(*found) || bound_text(*found, instance) != nullptr)) return std::nullopt;
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (path.text == axes[i])
            if (const auto extent = extent_of(*found, at, instance)) return (*extent)[i];
    if (path.text.starts_with('[') && !is_only_indexed(*found)) return std::nullopt;
    const auto object = state_of(*found, at);
    if (!object) return std::nullopt;
    if (const auto member = member_of(*object, path.text, -1))
        return member->words.empty() ? std::optional<std::int64_t>(0) : integer(member->words, member->at, instance);
    // config.block.x
    for (std::size_t i = 0; i < axes.size(); ++i)
        if (path.text.size() > 2 && path.text.ends_with("." + std::string(axes[i])))
            return extent_member(*object, path.text.substr(0, path.text.size() - 2), -1, std::nullopt, instance)[i];
    return std::nullopt;
}

// Whether the text uses the elements of this array or container one by one alone: it neither passes it to a function
// nor binds a reference or pointer to it, through which others could change it.
bool source_values::is_only_indexed(const source_declaration& variable) const
{
    if (variable.is_constant) return true;
    const auto [known, is_new] = only_indexed_.try_emplace(variable.name, true);
    if (!is_new) return known->second;
    const std::vector<source_token>& tokens = names_.text().tokens;
    for (const std::size_t place : names_.places(tokens[variable.name].text)) {
        if (place <= variable.name || place + 2 >= tokens.size() || tokens[place + 1].is("[")) continue;
        const bool measured = (place > 1 && tokens[place - 1].is("(") && tokens[place - 2].is("sizeof")) ||
                              (tokens[place + 1].is(".") && tokens[place + 2].is("size"));
        const auto meant = measured ? std::nullopt : names_.find(tokens[place].text, place);
        if (meant && same(*meant, variable)) return known->second = false;
    }
    return true;
}

std::optional<std::int64_t> source_values::value_of(const source_declaration& found, std::size_t at,
                                                    const template_values& instance) const
{
    if (depth_ >= deepest_value) return std::nullopt;
    if (found.kind == declared_as::macro) return integer(found.value, at, instance);
    if (found.kind == declared_as::enumerator) return enumerator(found, instance);
    const std::optional<std::int64_t> told = value_told(found, at, instance);
    if (told || instance.empty() || found.kind == declared_as::unknown) return told;
    if (const std::string* bound = bound_text(found, instance)) {
        const source_text text = read_source_text(*bound);
        return evaluate_constant(text.tokens, {.value = {}});
    }
    const auto assumed = instance.find(assumed_name(found));
    if (assumed == instance.end()) return std::nullopt;
    const source_text text = read_source_text(assumed->second);
    return evaluate_constant(text.tokens, {.value = {}});
}

std::optional<std::int64_t> source_values::value_told(const source_declaration& found, std::size_t at,
                                                      const template_values& instance) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    if (found.kind == declared_as::template_parameter || found.kind == declared_as::parameter) {
        const auto known = instance.find(tokens[found.name].text);
        if (known != instance.end()) {
            const source_text text = read_source_text(known->second);
            return evaluate_constant(text.tokens, {.value = {}});
        }
    }
    if (!is_followed(found) || found.is_array || found.is_function || !is_integer(found.type)) return std::nullopt;
    const auto object = state_of(found, at);
    const auto value = object ? member_of(*object, "", 0) : std::nullopt;
    if (!value || value->words.empty()) return std::nullopt;
    const std::optional<std::int64_t> result = integer(value->words, value->at, instance);
    const auto type = integer_type_named(found.type);
    return type ? type->holds(result) : result;
}

std::optional<std::int64_t> source_values::enumerator(const source_declaration& found,
                                                      const template_values& instance) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    std::int64_t behind = 0;
    for (std::size_t place = found.name;; ++behind) {
        if (place + 1 < tokens.size() && tokens[place + 1].is("=")) {
            std::size_t end = place + 2;
            for (; end < tokens.size() && !tokens[end].is_any({",", "}"}); ++end)
                if (tokens[end].is_any({"(", "{"})) end = closing_bracket(tokens, end);
            end = std::min(end, tokens.size());
            const auto value = integer(token_span(tokens).subspan(place + 2, end - place - 2), place, instance);
            return value ? std::optional(*value + behind) : std::nullopt;
        }
        if (place == 0 || tokens[place - 1].is("{")) return behind;
        // The declaration before it, skipping its value.
        std::size_t before = place - 1;
        if (!tokens[before].is(",")) return std::nullopt;
        int depth = 0;
        while (before > 0) {
            --before;
            if (tokens[before].is_any({")", "}", "]"})) ++depth;
            if (depth == 0 && tokens[before].is_any({"{", ","})) break;
            if (tokens[before].is_any({"(", "{", "["})) --depth;
        }
        if (tokens[before + 1].kind != source_token_kind::identifier) return std::nullopt;
        place = before + 1;
    }
}

std::optional<std::int64_t> source_values::member_value_of(std::string_view name, const type_instance& type) const
{
    const source_scope& scope = *names_.scope(type.scope);
    if (const auto found = names_.find_member(name, type.scope))
        return value_of(*found, scope.open + 1, type.arguments);
    // Of a base class: `struct wide : traits<4> {`.
    const token_span head = names_.head_of(scope);
    const auto colon = std::ranges::find_if(head, [](const source_token& token) { return token.is(":"); });
    if (colon == head.end() || depth_ >= deepest_value) return std::nullopt;
    ++depth_;
    std::optional<std::int64_t> value;
    for (token_span base : split_at_commas(head.subspan(static_cast<std::size_t>(colon - head.begin()) + 1), true)) {
        while (!base.empty() && base[0].is_any({"public", "protected", "private", "virtual"})) base = base.subspan(1);
        const auto owner = type_meant(base, scope.open + 1, type.arguments);
        if (owner && !value) value = member_value_of(name, *owner);
    }
    --depth_;
    return value;
}

std::optional<source_values::type_instance> source_values::type_meant(token_span words, std::size_t at,
                                                                      const template_values& instance) const
{
    if (depth_ >= deepest_value || ++steps_ > max_value_steps) return std::nullopt;
    ++depth_;
    auto found = [&]() -> std::optional<type_instance> {
        std::optional<type_instance> outer;  // of which the next name is a member
        for (std::size_t i = 0; i < words.size();) {
            if (words[i].is_any({"typename", "template", "const", "::"})) {
                ++i;
                continue;
            }
            if (words[i].kind != source_token_kind::identifier) return std::nullopt;
            const std::string_view name = words[i++].text;
            std::vector<token_span> given;
            const bool has_arguments = i < words.size() && words[i].is("<");
            if (has_arguments) {
                const std::size_t end = closing_bracket(words, i);
                if (end == words.size()) return std::nullopt;
                given = split_at_commas(words.subspan(i + 1, end - i - 1), true);
                i = end + 1;
            }
            if (i < words.size() && !words[i].is("::")) return std::nullopt;
            const template_values around = outer ? outer->arguments : instance;
            const std::size_t place = outer ? names_.scope(outer->scope)->open + 1 : at;
            const auto parameter = has_arguments ? around.end() : around.find(name);
            const auto type = names_.type_named(name);
            const token_span alias = has_arguments ? token_span{} : names_.alias(name);
            if (parameter != around.end()) {
                const source_text other = read_source_text(parameter->second);
                outer = type_meant(other.tokens, at, {});
            } else if (type) {
                auto arguments = arguments_for(*names_.scope(*type), given, at, instance);
                if (!arguments) return std::nullopt;
                if (outer) arguments->insert(outer->arguments.begin(), outer->arguments.end());
                outer = type_instance{*type, *std::move(arguments)};
            } else if (!alias.empty()) {
                outer = type_meant(alias, place, around);
            } else if (outer) {
                return std::nullopt;
            } else {
                continue;  // a namespace
            }
            if (!outer) return std::nullopt;
        }
        return outer;
    }();
    --depth_;
    return found;
}

std::optional<template_values> source_values::arguments_for(const source_scope& scope,
                                                            const std::vector<token_span>& given, std::size_t at,
                                                            const template_values& instance) const
{
    const token_span head = names_.head_of(scope);
    if (head.size() < 2 || !head[0].is("template") || !head[1].is("<"))
        return given.empty() ? std::optional(template_values{}) : std::nullopt;
    const std::size_t end = closing_bracket(head, 1);
    if (end == head.size()) return std::nullopt;
    const std::vector<token_span> parameters = split_at_commas(head.subspan(2, end - 2), true);
    if (given.size() > parameters.size()) return std::nullopt;
    template_values bound;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const token_span own = parameters[i];
        if (has_word(own, ".")) return std::nullopt;  // a pack
        const auto equals = std::ranges::find_if(own, [](const source_token& token) { return token.is("="); });
        const std::size_t named = static_cast<std::size_t>(equals - own.begin());
        if (named < 2 || own[named - 1].kind != source_token_kind::identifier) continue;
        const bool is_given = i < given.size();
        const token_span words = is_given ? given[i] : named < own.size() ? own.subspan(named + 1) : token_span{};
        const template_values& known = is_given ? instance : bound;
        if (words.empty()) continue;
        std::string text;
        if (const auto value = integer(words, is_given ? at : scope.open + 1, known)) {
            text = std::to_string(*value);
        } else if (own[0].is_any({"class", "typename"})) {
            for (const source_token& word : words) {
                const auto other = known.find(word.text);
                text += (text.empty() ? "" : " ") + (other == known.end() ? std::string(word.text) : other->second);
            }
        } else {
            continue;
        }
        bound[std::string(own[named - 1].text)] = std::move(text);
    }
    return bound;
}

std::vector<template_values> source_values::instances_around(std::size_t at) const
{
    const int number = names_.function_of(at);
    if (number < 0) return {};
    const source_scope& scope = *names_.scope(number);
    const token_span head = names_.head_of(scope);
    const auto overloads = functions_.find(scope.name);
    if (head.empty() || !head[0].is("template") || overloads == functions_.end() || overloads->second.size() != 1)
        return {};
    const std::vector<source_token>& tokens = names_.text().tokens;
    std::vector<template_values> all;
    for (const std::size_t place : names_.places(scope.name)) {
        if (place >= scope.head && place < scope.open) continue;
        if (place + 1 >= tokens.size() || !tokens[place + 1].is("<")) return {};  // deduced, or its address
        const std::size_t end = closing_bracket(tokens, place + 1);
        if (end + 1 >= tokens.size() || !tokens[end + 1].is("(") || scope.holds(place)) return {};
        const auto given = split_at_commas(token_span(tokens).subspan(place + 2, end - place - 2), true);
        const auto one = arguments_for(scope, given, place, {});
        const std::size_t close = closing_bracket(head, 1);
        if (!one || close == head.size() || one->size() != split_at_commas(head.subspan(2, close - 2), true).size())
            return {};
        if (std::ranges::find(all, *one) == all.end()) all.push_back(*one);
        if (all.size() > max_instances) return {};
    }
    return all;
}

// The value that `instance` tells for a variable, unless the text changes the variable.
const std::string* source_values::bound_text(const source_declaration& found, const template_values& instance) const
{
    if (instance.empty() || (found.kind != declared_as::parameter && found.kind != declared_as::variable))
        return nullptr;
    const auto bound = instance.find(bound_name(found.name));
    return bound != instance.end() && changes_of(found).empty() ? &bound->second : nullptr;
}

template_values source_values::values_of_call(const call_in_text& call, const template_values& caller) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    const source_scope& scope = *names_.scope(call.scope);
    const auto inside = [&](std::size_t open) {
        const std::size_t close = open == 0 ? tokens.size() : closing_bracket(tokens, open);
        return close < tokens.size() ? token_span(tokens).subspan(open + 1, close - open - 1) : token_span{};
    };
    template_values bound;
    if (tokens[call.place + 1].is("<"))
        if (auto given = arguments_for(scope, split_at_commas(inside(call.place + 1), true), call.place, caller))
            bound = *std::move(given);
    // A lambda may use the parameters of the functions around it.
    for (const auto& [name, value] : caller)
        if (name.starts_with('#')) bound.emplace(name, value);
    const std::vector<token_span> given = split_at_commas(inside(call.arguments));
    std::size_t position = 0;
    for (const token_span& parameter : split_at_commas(inside(call.parameters), true)) {
        const std::size_t number = position++;
        const auto equals = std::ranges::find_if(parameter, [](const source_token& word) { return word.is("="); });
        const token_span own = parameter.first(static_cast<std::size_t>(equals - parameter.begin()));
        if (own.size() < 2 || own.back().kind != source_token_kind::identifier) continue;
        if (has_word(own, ".")) break;  // a pack takes all the rest
        const std::string name = bound_name(static_cast<std::size_t>(&own.back() - tokens.data()));
        bound.erase(name);
        const bool may_change_the_caller = has_word(own, "*") || has_word(own, "[") || has_word(own, "&&") ||
                                           (has_word(own, "&") && !has_word(own, "const"));
        const bool fraction = has_word(own, "float") || has_word(own, "double") || has_word(own, "half");
        const bool is_given = number < given.size();
        const token_span words = is_given                    ? given[number]
                                 : equals != parameter.end() ? parameter.subspan(own.size() + 1)
                                                             : token_span{};
        if (may_change_the_caller || fraction || words.empty()) continue;
        const std::size_t at = is_given ? call.place : scope.open + 1;
        const template_values& known = is_given ? caller : bound;
        std::vector<source_token> type = without_qualifiers(own.first(own.size() - 1));
        std::erase_if(type, [](const source_token& word) { return word.is("&"); });
        if (!is_extent_type(type)) {
            const auto value = integer(words, at, known);
            const auto integral = integer_type_named(type);
            if (value && (!integral || integral->holds(value))) bound[name] = std::to_string(*value);
            if (value || integral) continue;
        }
        const source_extent all = extent(words, at, known);
        if (all[0] && all[1] && all[2])
            bound[name] =
                "dim3(" + std::to_string(*all[0]) + "," + std::to_string(*all[1]) + "," + std::to_string(*all[2]) + ")";
    }
    return bound;
}

std::vector<template_values> source_values::calls_around(std::size_t at) const
{
    std::vector<template_values> all;
    for (int number = names_.scope_of(at); number >= 0; number = names_.scope(number)->outer) {
        std::vector<template_values> now;
        for (const call_in_text& call : calls_of(number)) {
            template_values values = values_of_call(call, {});
            if (all.empty())
                now.push_back(std::move(values));
            else
                for (const template_values& inner : all) {
                    now.push_back(inner);
                    now.back().insert(values.begin(), values.end());
                }
        }
        if (now.size() > max_calls) return {};
        if (!now.empty()) all = std::move(now);
    }
    return all;
}

const std::vector<source_values::call_in_text>& source_values::calls_of(int number) const
{
    const auto [known, is_new] = calls_.try_emplace(number);
    if (is_new) known->second = find_calls_of(number);
    return known->second;
}

std::vector<source_values::call_in_text> source_values::find_calls_of(int number) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    const source_scope &scope = *names_.scope(number), *outer = names_.scope(scope.outer);
    const token_span head = names_.head_of(scope);
    const bool outside = outer == nullptr || outer->kind == scope_kind::file;
    call_in_text call{.scope = number};
    std::string_view name;
    if (outside) {
        bool internal = has_word(head, "static");
        for (int around = scope.outer; around >= 0; around = names_.scope(around)->outer) {
            const token_span own = names_.head_of(*names_.scope(around));
            internal |= !own.empty() && own.back().is("namespace");
        }
        const auto overloads = functions_.find(scope.name);
        if (!internal || scope.global || overloads == functions_.end() || overloads->second.size() != 1) return {};
        name = scope.name;
        for (std::size_t i = scope.head; i + 1 < scope.open && call.parameters == 0; ++i)
            if (tokens[i].is(name) && tokens[i + 1].is("(")) call.parameters = i + 1;
    } else if (is_lambda(names_, scope)) {
        // auto run = [&](int threads) {
        for (std::size_t i = scope.head; i + 2 < scope.open && call.parameters == 0; ++i)
            if (tokens[i].is("=") && tokens[i + 1].is("[") && i > scope.head + 1) {
                const std::size_t close = closing_bracket(tokens, i + 1);
                if (close + 1 >= scope.open || !tokens[close + 1].is("(")) return {};
                name = tokens[i - 1].text;
                call.parameters = close + 1;
            }
    }
    if (call.parameters == 0 || name.empty()) return {};
    std::vector<call_in_text> calls;
    const std::vector<std::size_t>& all = names_.places(name);
    auto next = outside ? all.begin() : std::ranges::lower_bound(all, outer->open);
    for (; next != all.end() && (outside || *next < outer->close); ++next) {
        const std::size_t place = *next;
        if (place >= scope.head && place < scope.open) continue;
        const source_token& before = tokens[place - (place > 0 ? 1 : 0)];
        if (before.is_any({".", "->"})) continue;                // of some class
        if (outside && names_.function_of(place) < 0) continue;  // a declaration
        const bool typed = (before.kind == source_token_kind::identifier && !is_word_of_statement(before)) ||
                           before.is_any({"*", "&", ">"});
        call.place = place;
        call.arguments = place + 1;
        if (call.arguments < tokens.size() && tokens[call.arguments].is("<"))
            call.arguments = closing_bracket(tokens, call.arguments) + 1;
        if (typed || call.arguments >= tokens.size() || !tokens[call.arguments].is("(") || calls.size() == max_calls)
            return {};
        calls.push_back(call);
    }
    return calls;
}

bool source_values::is_integer(token_span type, int depth) const
{
    constexpr int longest_chain = 8;
    const std::vector<source_token> words = without_qualifiers(type);
    if (integer_type_named(words)) return true;
    if (words.size() != 1 || depth > longest_chain) return false;
    if (words[0].is("auto")) return true;  // only integers have a value here
    const token_span other = names_.alias(words[0].text);
    return !other.empty() && is_integer(other, depth + 1);
}

source_extent source_values::extent(token_span expression, std::size_t at, const template_values& instance) const
{
    if (depth_ >= deepest_value || expression.empty()) return {};
    const auto of_parts = [&](token_span inside) {
        source_extent extent{1, 1, 1};
        const std::vector<token_span> parts = split_at_commas(inside);
        if (parts.size() > extent.size()) return source_extent{};
        for (std::size_t i = 0; i < parts.size(); ++i) extent[i] = integer(parts[i], at, instance);
        return extent;
    };
    // If a single pair of brackets encloses everything from here to the end, its content.
    const auto bracketed = [&](std::size_t open) -> std::optional<token_span> {
        if (open >= expression.size() || !expression[open].is_any({"(", "{"})) return std::nullopt;
        if (closing_bracket(expression, open) + 1 != expression.size()) return std::nullopt;
        return expression.subspan(open + 1, expression.size() - open - 2);
    };
    std::size_t begin = expression[0].is("::") ? 1 : 0;
    if (begin < expression.size() && expression[begin].is_any({"dim3", "uint3", "make_uint3"}))
        if (const auto inside = bracketed(begin + 1)) return of_parts(*inside);
    if (expression[0].is("{"))
        if (const auto inside = bracketed(0)) return of_parts(*inside);
    if (expression[0].is("(")) {
        if (const auto inside = bracketed(0)) return extent(*inside, at, instance);
        const std::size_t end = closing_bracket(expression, 0);  // a cast
        if (end + 1 < expression.size() && is_extent_type(expression.subspan(1, end - 1)))
            return extent(expression.subspan(end + 1), at, instance);
    }
    if (expression.size() == 1 && expression[0].kind == source_token_kind::identifier) {
        const auto found = names_.find(expression[0].text, at);
        if (found && found->kind == declared_as::macro) {
            ++depth_;
            const source_extent other = extent(found->value, at, instance);
            --depth_;
            return other;
        }
        if (found && (is_followed(*found) || bound_text(*found, instance) != nullptr))
            if (const auto own = extent_of(*found, at, instance)) return *own;
    }
    // A member of an object: config.block.
    if (expression.size() > 2 && expression[0].kind == source_token_kind::identifier) {
        const member_path path =
            path_behind(expression, 1, [&](token_span index) { return integer(index, at, instance); });
        const auto object = path.end == expression.size() ? state_of(expression[0].text, at) : std::nullopt;
        const bool followed = object && (path.text.starts_with('[') ? is_only_indexed(object->declared)
                                                                    : !is_integer(object->declared.type) &&
                                                                          !is_extent_type(object->declared.type));
        if (followed) {
            const source_extent member = extent_member(*object, path.text, -1, std::nullopt, instance);
            if (volume_of(member)) return member;
        }
    }
    // A function that returns an extent.
    if (const std::size_t open = static_cast<std::size_t>(
            std::ranges::find_if(expression, [](const source_token& token) { return token.is("("); }) -
            expression.begin());
        open > 0 && bracketed(open)) {
        const auto function =
            function_called(expression.subspan(0, open), split_at_commas(*bracketed(open)), at, instance);
        if (function) {
            ++depth_;
            const source_extent other = extent(function->value, function->at, function->arguments);
            --depth_;
            return other;
        }
    }
    const std::optional<std::int64_t> x = integer(expression, at, instance);
    return x ? source_extent{x, 1, 1} : source_extent{};
}

// `nullopt` if the variable is not an extent.
std::optional<source_extent> source_values::extent_of(const source_declaration& found, std::size_t at,
                                                      const template_values& instance) const
{
    if (const std::string* bound = bound_text(found, instance)) {
        const source_text text = read_source_text(*bound);
        return extent(text.tokens, 0, {});
    }
    const bool is_auto = has_word(found.type, "auto");
    const bool by_value = is_auto && found.form == '=' && !found.value.empty() &&
                          (found.value[0].is_any({"dim3", "make_uint3"}) || found.value.size() == 1);
    if (found.is_array || found.is_function || (!is_extent_type(found.type) && !by_value)) return std::nullopt;
    const auto object = state_of(found, at);
    if (!object) return source_extent{};
    ++depth_;
    const source_extent extent = extent_member(*object, "", 0, 1, instance);
    --depth_;
    return extent;
}

source_extent source_values::extent_member(const object_state& object, const std::string& path, int position,
                                           std::optional<std::int64_t> missing, const template_values& instance) const
{
    const auto joined = [&](std::string_view axis) {
        return path.empty() ? std::string(axis) : path + "." + std::string(axis);
    };
    for (const std::string& doubtful : object.doubtful)
        if (is_within(path, doubtful)) return {};
    if (object.begins_unknown()) missing.reset();
    source_extent extent{missing, missing, missing};
    std::size_t from = 0;  // earlier assignments than the last to the whole do not count
    bool whole = false;
    for (std::size_t i = 0; i < object.assigned.size(); ++i)
        if (is_within(path, object.assigned[i].path)) from = i, whole = true;
    if (whole) {
        const object_state::assignment& last = object.assigned[from];
        const bool zeroed = last.value.size() == 1 && last.value[0].is("0");
        if (last.path == path && !(zeroed && path.empty()))
            extent = this->extent(last.value, last.at, instance);
        else
            extent = zeroed ? source_extent{0, 0, 0} : source_extent{};
    } else if (path.empty()) {
        const source_declaration& own = object.declared;
        if (own.form == '=')
            extent = this->extent(own.value, own.name, instance);
        else if (own.form != 0) {
            const std::vector<token_span> parts = split_at_commas(own.value);
            if (parts.size() == 1) {
                extent = this->extent(parts[0], own.name, instance);
            } else if (parts.size() <= extent.size()) {
                for (std::size_t i = 0; i < parts.size(); ++i) extent[i] = integer(parts[i], own.name, instance);
            } else {
                extent = {};
            }
        }
    } else if (object.declared.form != 0 || (position < 0 && !object.begins_unknown())) {
        const auto member = member_of({.declared = object.declared, .assigned = {}, .doubtful = {}}, path, position);
        if (!member && object.declared.form != 0) return {};
        if (member && !member->words.empty()) extent = this->extent(member->words, member->at, instance);
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        for (std::size_t i = whole ? from + 1 : 0; i < object.assigned.size(); ++i)
            if (object.assigned[i].path == joined(axes[axis]))
                extent[axis] = integer(object.assigned[i].value, object.assigned[i].at, instance);
        for (const std::string& doubtful : object.doubtful)
            if (is_within(doubtful, joined(axes[axis]))) extent[axis].reset();
    }
    return extent;
}

std::optional<source_values::member_value> source_values::member_of(const object_state& object, const std::string& path,
                                                                    int position) const
{
    for (const std::string& doubtful : object.doubtful)
        if (is_within(path, doubtful) || is_within(doubtful, path)) return std::nullopt;
    for (std::size_t i = object.assigned.size(); i-- > 0;) {
        const object_state::assignment& one = object.assigned[i];
        const bool zeroed = one.path.empty() && one.value.size() == 1 && one.value[0].is("0");
        if (one.path == path) return member_value{one.value, one.at};
        if (zeroed) return member_value{};
        if (is_within(path, one.path) || is_within(one.path, path)) return std::nullopt;
    }
    const source_declaration& own = object.declared;
    if (position < 0 && !path.empty() && !object.begins_unknown()) {
        if (auto part = part_of(own, path)) return part;
        // The members of a class whose text is elsewhere begin as zeros.
        for (const source_token& word : own.type)
            if (names_.type_named(word.text) || !names_.alias(word.text).empty()) return std::nullopt;
    }
    if (own.form == 0) return std::nullopt;
    token_span list = own.value;
    const bool braces =
        own.form == '=' && !list.empty() && list[0].is("{") && closing_bracket(list, 0) + 1 == list.size();
    if (path.empty() && !(own.form == '=' && braces)) {
        const bool one = own.form == '=' || split_at_commas(list).size() == 1;
        return one ? std::optional(member_value{list, own.name}) : std::nullopt;
    }
    if (own.form == '=') {
        if (!braces) return std::nullopt;
        list = list.subspan(1, list.size() - 2);
    } else if (own.form != '{') {
        return std::nullopt;
    }
    const std::vector<token_span> parts = split_at_commas(list);
    if (parts.empty()) return member_value{};
    if (!parts[0].empty() && parts[0][0].is(".")) {
        for (const token_span part : parts) {
            const member_path named = path_behind(part, 0);
            if (named.text == path && named.end < part.size() && part[named.end].is("="))
                return member_value{part.subspan(named.end + 1), own.name};
            if (named.text == path && named.end < part.size() && part[named.end].is("{"))
                return member_value{part.subspan(named.end), own.name};
        }
        return member_value{};
    }
    if (position < 0) return std::nullopt;
    if (static_cast<std::size_t>(position) >= parts.size()) return member_value{};
    return member_value{parts[static_cast<std::size_t>(position)], own.name};
}

namespace {

// "[1]" and ".threads" for "[1].threads"; "block" and "x" for "block.x".
std::pair<std::string_view, std::string_view> first_step(std::string_view path)
{
    const std::size_t end = path.find_first_of(".[", 1);
    if (end == std::string_view::npos) return {path, {}};
    return {path.substr(0, end), path.substr(end + (path[end] == '.' ? 1 : 0))};
}

// The content if the words are one list in braces: {128, 256}.
std::optional<token_span> listed(token_span words)
{
    if (words.empty() || !words[0].is("{") || closing_bracket(words, 0) + 1 != words.size()) return std::nullopt;
    return words.subspan(1, words.size() - 2);
}

std::vector<token_span> parts_of(token_span list)
{
    std::vector<token_span> parts = split_at_commas(list);
    if (!parts.empty() && parts.back().empty()) parts.pop_back();  // {1, 2,}
    return parts;
}

}  // namespace

// The initial value of a part: of an element "[1]", a member "threads", or "[1].threads". `nullopt` if it is unknown.
std::optional<source_values::member_value> source_values::part_of(const source_declaration& variable,
                                                                  std::string_view path) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    token_span words = variable.value, type = variable.type;
    std::size_t at = variable.name;
    bool is_array = variable.is_array, is_listed = variable.form == '{', is_given = variable.form != 0;
    // The number of elements of an array of numbers, in brackets after its name; [] for as many as are listed.
    const bool is_sized = is_array && at + 2 < tokens.size() && tokens[at + 1].is("[") && !tokens[at + 2].is("]");
    if (variable.form == '(') return std::nullopt;
    for (constexpr int deepest = 8; !path.empty();) {
        if (++steps_ > max_value_steps || path.size() > std::size_t{64} * deepest) return std::nullopt;
        const auto [step, rest] = first_step(path);
        path = rest;
        // config{64, 0}: the type may be `auto`.
        if (is_given && !is_listed && words.size() > 1 && words[0].kind == source_token_kind::identifier) {
            const auto open = std::ranges::find_if(words, [](const source_token& word) { return word.is("{"); });
            const auto begin = static_cast<std::size_t>(open - words.begin());
            if (begin == words.size() || has_word(words.first(begin), "(")) return std::nullopt;
            type = words.first(begin);
            words = words.subspan(begin);
        }
        std::optional<token_span> list = is_listed ? words : listed(words);
        if (is_given && !list) return std::nullopt;
        is_listed = false;
        if (step.starts_with('[')) {
            if (!list || step == "[?]") return std::nullopt;
            const bool container = !is_array && (has_word(type, "array") || has_word(type, "vector"));
            if (!is_array && !container) return std::nullopt;
            std::vector<token_span> parts = parts_of(*list);
            if (container) {
                // {{1, 2}} is the same as {1, 2} for numbers, and for lists of lists the inner one is an element's.
                const auto inner = parts.size() == 1 ? listed(parts[0]) : std::nullopt;
                const bool of_lists = inner && !inner->empty() && (*inner)[0].is("{");
                const auto open = std::ranges::find_if(type, [](const source_token& word) { return word.is("<"); });
                if (open == type.end()) return std::nullopt;
                type = type.subspan(static_cast<std::size_t>(open - type.begin()) + 1);
                type = split_at_commas(type.first(type.size() - 1), true)[0];
                if (inner && !of_lists && !is_integer(type)) return std::nullopt;
                if (inner) parts = parts_of(*inner);
            }
            std::size_t index = 0;
            for (const char digit : step.substr(1, step.size() - 2))
                index = std::min<std::size_t>(index * 10 + static_cast<std::size_t>(digit - '0'), 1U << 20);
            if (index >= parts.size() && !(is_sized && path.empty())) return std::nullopt;
            if (index >= parts.size()) return member_value{};
            words = parts[index];
            if (words.empty() || words[0].is_any({"[", "."})) return std::nullopt;
            is_array = is_array && path.starts_with('[');
            continue;
        }
        // A member of a class without constructors and bases.
        const auto owner = type_meant(without_qualifiers(type), at, {});
        const source_scope* scope = owner && owner->arguments.empty() ? names_.scope(owner->scope) : nullptr;
        const auto member = scope == nullptr ? std::nullopt : names_.member_named(step, owner->scope);
        if (is_array || !member) return std::nullopt;
        std::optional<token_span> found;
        const std::vector<token_span> parts = list ? parts_of(*list) : std::vector<token_span>{};
        if (!parts.empty() && parts[0].size() > 1 && parts[0][0].is(".")) {
            for (const token_span part : parts)
                if (part.size() > 2 && part[1].is(step) && part[2].is_any({"=", "{"}))
                    found = part.subspan(part[2].is("=") ? 3 : 2);
        } else if (member->position < parts.size()) {
            found = parts[member->position];
        }
        is_array = member->is_array;
        type = member->type;
        if (!found) {  // its own initialiser
            at = member->name;
            if (member->form == '(' || (member->form == 0 && !list)) return std::nullopt;
            if (member->form == 0) return path.empty() ? std::optional(member_value{}) : std::nullopt;
            is_listed = member->form == '{';
            found = member->value;
            if (is_listed && path.empty() && parts_of(member->value).size() > 1) {  // dim3 block{32, 4}
                const std::size_t open = static_cast<std::size_t>(member->value.data() - tokens.data()) - 1;
                found = token_span(tokens).subspan(open, member->value.size() + 2);
            }
        }
        words = *found;
        is_given = true;
    }
    return member_value{words, at};
}

std::optional<object_state> source_values::state_of(std::string_view name, std::size_t at) const
{
    const auto found = names_.find(name, at);
    return found && is_followed(*found) ? state_of(*found, at) : std::nullopt;
}

std::optional<object_state> source_values::state_of(const source_declaration& variable, std::size_t at) const
{
    object_state state{.declared = variable, .assigned = {}, .doubtful = {}};
    if (variable.is_constant) return state;
    const source_scope* around = names_.scope(variable.scope);
    if (visits_ > max_visits) return std::nullopt;
    const bool is_local = around != nullptr && around->kind != scope_kind::file && around->kind != scope_kind::type;
    const std::vector<change>& changes = changes_of(variable);
    if (!is_local) {
        // Variables visible to other files may be changed there.
        if (variable.is_static && changes.empty()) return state;
        return std::nullopt;
    }
    // A static variable keeps what an earlier call assigned.
    if (variable.is_static && !changes.empty()) return std::nullopt;
    const int here = names_.scope_of(at);
    // A block of its own, `{ threads = 64; }`, is always executed.
    const auto block_around = [&](std::size_t place) {
        int number = names_.scope_of(place);
        while (number >= 0 && names_.head_of(*names_.scope(number)).empty()) number = names_.scope(number)->outer;
        return number;
    };
    const auto may_come_back = [&](std::size_t later) {
        for (int number = here; number >= 0; number = names_.scope(number)->outer) {
            const source_scope& scope = *names_.scope(number);
            if (scope.holds(variable.name) || (state.begins_unknown() && number == variable.scope)) return false;
            if (is_lambda(names_, scope) || (may_run_again(names_, scope) && scope.holds(later))) return true;
        }
        return false;
    };
    bool comes_back = false;
    for (int number = here; number >= 0 && !comes_back; number = names_.scope(number)->outer) {
        comes_back = may_run_again(names_, *names_.scope(number));
        if (names_.scope(number)->holds(variable.name)) break;
    }
    const auto may_jump_back = [&](std::size_t later) {
        const std::vector<source_token>& tokens = names_.text().tokens;
        for (const std::size_t jump : names_.places("goto")) {
            if (jump < later || jump + 1 >= tokens.size() || !names_.encloses(variable.scope, names_.scope_of(jump)))
                continue;
            for (const std::size_t place : names_.places(tokens[jump + 1].text))
                if (place > variable.name && place < at && place + 1 < tokens.size() && tokens[place + 1].is(":"))
                    return true;
        }
        return false;
    };
    const auto behind = std::ranges::lower_bound(changes, at, {}, &change::at);
    for (auto next = behind; next != changes.begin();) {
        const change& one = *--next;
        ++visits_;
        const std::string_view path = std::string_view(one.path).substr(0, one.path.find("[?]"));
        const bool is_covered = std::ranges::any_of(
            state.assigned, [&](const auto& later) { return is_within(path, later.path); });  // by a later assignment
        if (one.for_ever || is_covered) continue;
        if (one.value.empty() || !one.on_the_way || path.size() < one.path.size() || may_be_passed_by(one.at, at) ||
            !names_.encloses(block_around(one.at), here)) {
            if (std::ranges::find(state.doubtful, path) == state.doubtful.end()) state.doubtful.emplace_back(path);
        } else {
            state.assigned.push_back({one.path, one.value, one.at});
            if (one.path.empty()) break;  // what was before does not count
        }
    }
    std::ranges::reverse(state.assigned);
    if (comes_back || !names_.places("goto").empty())
        for (auto later = behind; later != changes.end(); ++later) {
            ++visits_;
            if (!later->for_ever && (may_come_back(later->at) || may_jump_back(later->at)))
                state.doubtful.push_back(later->path);
        }
    // A pointer may change it at any time, also behind an assignment.
    if (changed_for_ever_.contains(variable.name)) state.doubtful.emplace_back();
    return state;
}

// Whether a label is between them, to which a switch or a goto may jump.
bool source_values::may_be_passed_by(std::size_t change, std::size_t at) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    const int around = names_.scope_of(change);
    const auto between = [&](std::string_view word) {
        const std::vector<std::size_t>& all = names_.places(word);
        const auto first = std::upper_bound(all.begin(), all.end(), change);
        return std::span(first, std::lower_bound(first, all.end(), at));  // clang 14 knows no std::ranges::subrange
    };
    const auto is_label = [&](std::size_t place) { return place + 1 < tokens.size() && tokens[place + 1].is(":"); };
    for (const std::size_t place : between("case"))
        if (names_.scope_of(place) == around) return true;
    for (const std::size_t place : between("default"))
        if (names_.scope_of(place) == around && is_label(place)) return true;
    for (const std::size_t jump : names_.places("goto"))
        if (jump < change && jump + 1 < tokens.size() && names_.encloses(around, names_.scope_of(jump)))
            for (const std::size_t place : between(tokens[jump + 1].text))
                if (is_label(place)) return true;
    return false;
}

std::vector<source_values::given_value> source_values::values_given(const source_declaration& variable) const
{
    std::vector<given_value> all;
    if (variable.form != 0) all.push_back({"", variable.value, variable.name});
    for (const change& one : changes_of(variable))
        all.push_back({one.path, one.is_update ? token_span{} : one.value, one.at});
    return all;
}

const std::vector<source_values::change>& source_values::changes_of(const source_declaration& variable) const
{
    const auto [known, is_new] = changes_.try_emplace(variable.name);
    if (!is_new) return known->second;
    const std::string_view name = names_.text().tokens[variable.name].text;
    const source_scope* around = names_.scope(variable.scope);
    std::vector<change> changes;
    for (const std::size_t place : names_.places(name)) {
        if (place <= variable.name || (around != nullptr && place > around->close)) continue;
        const auto meant = names_.find(name, place);
        if (!meant || !same(*meant, variable)) continue;
        if (auto one = change_at(place)) changes.push_back(std::move(*one));
    }
    if (std::ranges::any_of(changes, &change::for_ever)) changed_for_ever_.insert(variable.name);
    return known->second = std::move(changes);
}

namespace {

bool ends_operand(const source_token& token)
{
    return token.kind == source_token_kind::number || token.is(")") || token.is("]") ||
           (token.kind == source_token_kind::identifier && !token.is_any({"return", "case", "co_return"}));
}

// Where `case 3:`, `default:` or `name:` begins, given its colon; `nullopt` if the colon belongs to ?:.
std::optional<std::size_t> begin_of_label(const std::vector<source_token>& tokens, std::size_t colon)
{
    constexpr std::size_t longest = 20;
    for (std::size_t i = colon; i-- > 0 && colon - i < longest;) {
        if (tokens[i].is_any({";", "{", "}", "?", ":"})) break;
        const bool name = i + 1 == colon && tokens[i].kind == source_token_kind::identifier && i > 0 &&
                          tokens[i - 1].is_any({";", "{", "}", ":"});
        if (name || tokens[i].is("case")) return i;
    }
    return std::nullopt;
}

// Whether this ; is one of those in `for (i = 0; i < n; i = i + 1)`.
bool is_in_head_of_loop(const std::vector<source_token>& tokens, std::size_t semicolon)
{
    constexpr std::size_t longest = 100;
    int depth = 0;
    for (std::size_t i = semicolon; i-- > 0 && semicolon - i < longest;) {
        if (tokens[i].is_any({")", "]", "}"})) ++depth;
        if (tokens[i].is_any({"(", "[", "{"}) && depth-- == 0)
            return tokens[i].is("(") && i > 0 && tokens[i - 1].is("for");
    }
    return false;
}

// Whether executing the statement always executes this assignment: true for `a = b = 32, c = 1`. A label may precede
// the statement: every jump to it executes the statement.
bool is_on_the_way(const std::vector<source_token>& tokens, std::size_t place)
{
    constexpr std::size_t longest = 100;
    if (tokens[place].branch >= 0) return false;
    for (std::size_t i = place; i > 0 && place - i < longest;) {
        const source_token& before = tokens[i - 1];
        if (before.is(";") && is_in_head_of_loop(tokens, i - 1)) return false;
        if (before.is_any({";", "{", "}"})) return true;
        if (before.is(":")) return begin_of_label(tokens, i - 1).has_value();
        if (before.is("]")) {
            i = opening_bracket(tokens, i - 1, longest);
            if (tokens[i].is("]")) return false;
            continue;
        }
        const bool word = before.kind == source_token_kind::identifier && !before.is_any({"else", "do"});
        if (!word && before.kind != source_token_kind::number && !before.is_any({"=", ",", ".", "->", "::"}))
            return false;
        --i;
    }
    return false;
}

// The value after the last = of `b = c = 32`.
token_span last_value(token_span words)
{
    int depth = 0;
    for (std::size_t i = words.size(); i-- > 0;) {
        if (words[i].is_any({")", "}", "]"})) ++depth;
        if (words[i].is_any({"(", "{", "["})) --depth;
        const bool compound = i > 0 && words[i - 1].end == words[i].begin &&
                              words[i - 1].is_any({"+", "-", "*", "/", "%", "&", "|", "^", "<<"});
        if (depth == 0 && words[i].is("=") && !compound) return words.subspan(i + 1);
    }
    return words;
}

// The position after the value of an assignment that begins there.
std::size_t end_of_assigned(const std::vector<source_token>& tokens, std::size_t at)
{
    for (; at < tokens.size() && !tokens[at].is_any({";", ",", ")"}); ++at)
        if (tokens[at].is_any({"(", "{", "["})) at = closing_bracket(tokens, at);
    return std::min(at, tokens.size());
}

// "cudaLaunchKernelEx": the name of the function called with this bracket, skipping template arguments.
std::string_view function_before(const std::vector<source_token>& tokens, std::size_t bracket)
{
    std::size_t i = bracket;
    if (i > 0 && tokens[i - 1].is(">")) {
        int depth = 0;
        while (i-- > 0 && bracket - i < 100) {
            if (tokens[i].is(">")) ++depth;
            if (tokens[i].is("<") && --depth == 0) break;
            if (tokens[i].is("<<<")) return ">>>";
        }
    }
    return i > 0 ? tokens[i - 1].text : std::string_view{};
}

}  // namespace

// How the text changes the named variable here; `nullopt` if it only reads it.
std::optional<source_values::change> source_values::change_at(std::size_t place) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    const member_path path = path_behind(tokens, place + 1);
    change one{.at = place, .path = path.text, .value = {}};
    if (place == 0 || path.end >= tokens.size()) return std::nullopt;
    const source_token &before = tokens[place - 1], &next = tokens[path.end];
    const auto follows = [&](std::size_t i, std::string_view sign) {
        return i + 1 < tokens.size() && tokens[i + 1].is(sign) && tokens[i].end == tokens[i + 1].begin;
    };
    one.on_the_way = is_on_the_way(tokens, before.is_any({"++", "--"}) ? place - 1 : place);
    if (next.is("=")) {
        const std::size_t end = end_of_assigned(tokens, path.end + 1);
        one.value = last_value(token_span(tokens).subspan(path.end + 1, end - path.end - 1));
        return one;
    }
    const bool compound = next.is_any({"+", "-", "*", "/", "%", "&", "|", "^", "<<"}) && follows(path.end, "=");
    const bool shifted = next.is(">") && follows(path.end, ">=");
    // The value of `threads *= 2` is that of these words, evaluated with the variable as it was before; of `threads++`,
    // that of the sign alone.
    one.is_update = compound || shifted || next.is_any({"++", "--"}) || before.is_any({"++", "--"});
    if (compound || shifted)
        one.value = token_span(tokens).subspan(place, end_of_assigned(tokens, path.end + 2) - place);
    else if (next.is_any({"++", "--"}))
        one.value = token_span(tokens).subspan(path.end, 1);
    else if (one.is_update)
        one.value = token_span(tokens).subspan(place - 1, path.end - place + 1);
    if (one.is_update) return one;
    if (next.is("(") && path.end > place + 1) return one;  // a member function
    const std::optional<std::size_t> bracket = bracket_around(tokens, place);
    const bool in_call = bracket && tokens[*bracket].is("(");
    if (before.is("&") && !(place > 1 && ends_operand(tokens[place - 2]))) {
        if (bracket && tokens[*bracket].is("[")) return std::nullopt;  // captured by a lambda, whose text is examined
        if (place > 2 && tokens[place - 2].is("=") && tokens[place - 3].is("attrs")) return std::nullopt;
        const std::string_view function = in_call ? function_before(tokens, *bracket) : std::string_view{};
        if (function == "memset" && next.is(",") && tokens[path.end + 1].is("0")) {
            one.on_the_way = true;
            one.value = token_span(tokens).subspan(path.end + 1, 1);
            return one;
        }
        for (const std::string_view reads :
             {"cudaLaunchKernelEx", "cudaLaunchKernelExC", "cudaOccupancyMaxActiveClusters",
              "cudaOccupancyMaxPotentialClusterSize", "cudaGraphAddKernelNode", "cudaGraphAddNode",
              "cudaGraphKernelNodeSetParams", "cudaGraphExecKernelNodeSetParams"})
            if (function == reads) return std::nullopt;
        // Kernel arguments: void* arguments[] = {&n}, (void*[]){&n}.
        const auto is_before = [&](std::size_t back, std::string_view sign) {
            return *bracket >= back && tokens[*bracket - back].is(sign);
        };
        if (bracket && tokens[*bracket].is("{") &&
            (is_before(1, "=") || is_before(1, "]") || (is_before(1, ")") && is_before(2, "]"))))
            for (std::size_t i = *bracket; i > 0 && *bracket - i < 10; --i)
                if (tokens[i].is("void")) return std::nullopt;
        one.for_ever = !in_call;
        return one;
    }
    // A reference is bound to it, or a stream reads into it.
    const bool bound = before.is("=") && place > 2 && next.is(";") && tokens[place - 3].is_any({"&", "&&"});
    const bool read_into = before.is(">") && place > 1 && tokens[place - 2].is(">") && next.is_any({";", ">"});
    if (bound || read_into) {
        one.for_ever = bound;
        return one;
    }
    const bool whole_argument = in_call && before.is_any({"(", ","}) && next.is_any({",", ")"});
    if (whole_argument && may_change(place)) return one;
    return std::nullopt;
}

// Whether a call may change the variable passed as argument, because it takes a reference.
bool source_values::may_change(std::size_t argument) const
{
    const std::vector<source_token>& tokens = names_.text().tokens;
    const std::size_t bracket = bracket_around(tokens, argument).value_or(0);
    if (bracket == 0) return true;
    // (n + (t) - 1) / (t), as a macro writes it
    const source_token& before_bracket = tokens[bracket - 1];
    if (before_bracket.kind != source_token_kind::identifier && !before_bracket.is_any({">", ")", "]", "}"}))
        return false;
    const std::string_view name = function_before(tokens, bracket);
    for (const std::string_view harmless :
         {">>>",           "if",        "while",  "for",      "switch", "return",  "sizeof",   "decltype",
          "static_assert", "dim3",      "min",    "max",      "printf", "fprintf", "assert",   "static_cast",
          "make_uint3",    "make_int3", "int",    "unsigned", "size_t", "ceil",    "uint32_t", "int64_t",
          "uint64_t",      "float",     "double", "to_string"})
        if (name == harmless) return false;
    if (name.starts_with("cuda") || name.starts_with("__cuda")) return false;  // these write through pointers
    const std::size_t position =
        std::max<std::size_t>(split_at_commas(token_span(tokens).subspan(bracket + 1, argument - bracket - 1)).size(),
                              1) -
        1;
    bool known = false;
    for (const std::size_t place : names_.places(name)) {
        // A declaration: a type before it, and a parameter list after it.
        if (place == 0 || place + 1 >= tokens.size() || !tokens[place + 1].is("(") || place + 1 == bracket) continue;
        const source_token& before = tokens[place - 1];
        const bool typed = (before.kind == source_token_kind::identifier && !before.is_any({"return", "else"})) ||
                           before.is_any({">", "*", "&"});
        const std::size_t end = closing_bracket(tokens, place + 1);
        if (!typed || end == tokens.size() || !(end + 1 < tokens.size())) continue;
        const std::vector<token_span> parameters =
            split_at_commas(token_span(tokens).subspan(place + 2, end - place - 2));
        if (position >= parameters.size()) continue;
        const token_span parameter = parameters[position];
        if ((has_word(parameter, "&") || has_word(parameter, "&&")) && !has_word(parameter, "const")) return true;
        if (parameter.size() > 1) known = true;
    }
    // dim3 grid(n, threads): a type constructed from numbers.
    if (const auto declared = names_.find(name, argument);
        declared && declared->kind == declared_as::variable && declared->form == '(')
        return !(is_integer(declared->type) || is_extent_type(declared->type));
    return !known;
}

std::optional<source_values::returning_function> source_values::function_called(
    token_span name, const std::vector<token_span>& arguments, std::size_t at, const template_values& instance) const
{
    if (name.empty() || depth_ >= deepest_value) return std::nullopt;
    std::size_t last = name.size() - 1;
    if (name[last].is(">")) {
        const auto open = std::ranges::find_if(name, [](const source_token& token) { return token.is("<"); });
        last = static_cast<std::size_t>(open - name.begin());
        if (last == 0 || last == name.size()) return std::nullopt;
        --last;
    }
    const auto found = functions_.find(name[last].text);
    if (found == functions_.end()) return std::nullopt;
    std::optional<type_instance> owner;  // traits<3>::bytes()
    if (last >= 2 && name[last - 1].is("::")) owner = type_meant(name.subspan(0, last - 1), at, instance);
    const std::vector<source_token>& tokens = names_.text().tokens;
    std::optional<returning_function> only;
    for (const int number : found->second) {
        const source_scope& scope = *names_.scope(number);
        if (owner && scope.outer != owner->scope) continue;
        // The parameter list follows the name.
        std::size_t open = scope.head;
        while (open + 1 < scope.open && !(tokens[open].is(scope.name) && tokens[open + 1].is("("))) ++open;
        const std::size_t close = closing_bracket(tokens, open + 1);
        if (open + 1 >= scope.open || close >= scope.open) continue;
        const std::vector<token_span> parameters =
            split_at_commas(token_span(tokens).subspan(open + 2, close - open - 2));
        if (parameters.size() != arguments.size()) continue;
        if (only) return std::nullopt;
        const bool returns =
            scope.open + 1 < scope.close && tokens[scope.open + 1].is("return") && tokens[scope.close - 1].is(";");
        if (!returns || tokens[open].branch >= 0) return std::nullopt;
        const token_span body = token_span(tokens).subspan(scope.open + 2, scope.close - scope.open - 3);
        if (has_word(body, ";")) return std::nullopt;
        // Values computed with numbers of other kinds are unknown.
        for (const source_token& word : token_span(tokens).subspan(scope.head, close - scope.head))
            if (word.is_any({"float", "double", "half", "__half"})) return std::nullopt;
        returning_function function{.value = body, .at = scope.open + 1, .arguments = {}};
        if (owner) function.arguments = owner->arguments;
        for (std::size_t i = 0; i < parameters.size(); ++i) {
            const auto value = integer(arguments[i], at, instance);
            const token_span own = parameters[i].subspan(
                0, static_cast<std::size_t>(
                       std::ranges::find_if(parameters[i], [](const source_token& token) { return token.is("="); }) -
                       parameters[i].begin()));
            if (own.empty() || own.back().kind != source_token_kind::identifier) return std::nullopt;
            if (value) function.arguments[std::string(own.back().text)] = std::to_string(*value);
        }
        only = std::move(function);
    }
    return only;
}

}  // namespace launchbox
