// SPDX-License-Identifier: Apache-2.0
#include "advice/lint/launched_kernels.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "advice/lint/launched_functions.hpp"

namespace launchbox {

namespace {

constexpr std::string_view anonymous = "(anonymous namespace)::";

// Where the name of the function itself begins and ends.
struct name_place {
    std::size_t begin = 0, end = 0;
};

name_place place_of_name(std::string_view short_form)
{
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < short_form.size(); ++i) {
        if (short_form.substr(i).starts_with(anonymous)) i += anonymous.size() - 1, begin = i + 1;
        const char c = short_form[i];
        if (c == '<') {
            // Template arguments of the function end the name; those of a class do not.
            int angles = 0;
            std::size_t end = i;
            for (; end < short_form.size(); ++end) {
                if (short_form[end] == '<') ++angles;
                if (short_form[end] == '>' && --angles == 0) break;
            }
            if (!short_form.substr(std::min(end + 1, short_form.size())).starts_with("::")) return {begin, i};
            i = end;
        } else if (c == '(') {
            ++depth;
        } else if (c == ')') {
            --depth;
        } else if (c == ':' && depth == 0) {
            begin = i + 1;
        }
    }
    return {begin, short_form.size()};
}

// "a::b" for "a::b::merge<int>"; anonymous namespaces are left out.
std::string qualifiers_of(std::string_view short_form)
{
    std::string text(short_form.substr(0, place_of_name(short_form).begin));
    for (std::size_t at = text.find(anonymous); at != std::string::npos; at = text.find(anonymous))
        text.erase(at, anonymous.size());
    while (text.ends_with(":")) text.pop_back();
    return text;
}

std::string tokens_text(token_span words)
{
    std::string text;
    for (const source_token& word : without_qualifiers(words)) {
        if (!text.empty() && word.kind == source_token_kind::identifier && text.back() != ':') text += ' ';
        text += word.text;
    }
    return text;
}

// "tile" for "a::tile<3>": the last name, without template arguments.
std::string_view last_name(std::string_view type)
{
    const std::string_view plain = type.substr(0, type.find('<'));
    const std::size_t colon = plain.rfind(':');
    return colon == std::string_view::npos ? plain : plain.substr(colon + 1);
}

// For explicit types: whether they are the same, or certainly different.
bool are_other_types(const std::string& a, const std::string& b)
{
    const auto is_plain = [](const std::string& name) {
        for (const char* one : {"float", "double", "int", "unsigned int", "unsigned", "long", "short", "char", "bool",
                                "unsigned char", "long long", "unsigned long", "__half", "__nv_bfloat16"})
            if (name == one) return true;
        return false;
    };
    const auto in_full = [](const std::string& name) { return name == "unsigned" ? "unsigned int" : name; };
    return is_plain(a) && is_plain(b) && in_full(a) != in_full(b);
}

class launch_matcher {
public:
    launch_matcher(const source_view& view, const std::vector<linted_kernel>& kernels) : view_(view), kernels_(kernels)
    {
        const std::vector<source_token>& tokens = view.source.tokens;
        for (const std::size_t word : view.names.places("namespace"))
            if (word > 0 && word + 1 < tokens.size() && tokens[word - 1].is("inline"))
                inline_namespaces_.insert(tokens[word + 1].text);
        for (std::size_t i = 0; i < kernels.size(); ++i) by_name_[function_name(kernels[i].short_form)].push_back(i);
    }

    [[nodiscard]] launched_functions functions_of(const source_launch& launch) const
    {
        return functions_launched(view_, launch, [&](std::string_view name) { return by_name_.contains(name); });
    }

    void add(const source_launch& launch, std::vector<kernel_launch>& all) const
    {
        const launched_functions functions = functions_of(launch);
        const bool several =
            !functions.is_complete || std::ranges::any_of(functions.all, [&](const launched_functions::one& each) {
                const launched_functions::one& first = functions.all.front();
                return &each != &first && (each.function.has_arguments || each.function.name != first.function.name ||
                                           each.function.qualifiers != first.function.qualifiers);
            });
        std::map<std::size_t, std::vector<launch_figures>> known;  // of each kernel
        for (const launched_functions::one& each : functions.all) {
            const std::vector<candidate> found = kernels_named(each.function, each.at);
            const bool own_names = view_.names.function_of(each.at) == view_.names.function_of(launch.first);
            const template_values called = values_along(each.calls, launch.first);
            for (const candidate& one : found) {
                template_values instance = own_names ? one.instance : template_values{};
                instance.insert(called.begin(), called.end());
                for (const launch_figures& figures : sizes_of(view_, launch, instance)) {
                    std::vector<launch_figures>& before = known[one.kernel];
                    if (std::ranges::find(before, figures) != before.end()) continue;
                    before.push_back(figures);
                    all.push_back({.launch = &launch,
                                   .kernel = one.kernel,
                                   .surely = one.surely && !several,
                                   .in_turn = one.surely && several,
                                   .figures = figures});
                }
            }
        }
    }

private:
    struct candidate {
        std::size_t kernel = 0;
        bool surely = true;
        template_values instance;
    };

    // The values of parameters of the functions around the launch, as the calls give them.
    [[nodiscard]] template_values values_along(const std::vector<source_values::call_in_text>& calls,
                                               std::size_t launch) const
    {
        std::size_t levels = 0, inside = launch;
        for (; levels < calls.size() && view_.names.scope(calls[levels].scope)->holds(inside); ++levels)
            inside = calls[levels].place;
        template_values values;
        for (; levels > 0; --levels) values = view_.values.values_of_call(calls[levels - 1], values);
        return values;
    }

    [[nodiscard]] std::vector<candidate> kernels_named(const function_name_in_text& function, std::size_t at) const
    {
        std::vector<candidate> found;
        if (const auto named = by_name_.find(function.name); named != by_name_.end())
            for (const std::size_t i : named->second)
                if (auto one = match(function, at, i)) found.push_back(*std::move(one));
        keep_nearest(at, found);
        // The launch need not name the instance: if only one exists, it is that one.
        for (candidate& one : found) {
            const auto is_beside = [&](const candidate& other) {
                return kernels_[other.kernel].info->architecture == kernels_[one.kernel].info->architecture;
            };
            one.surely |= std::ranges::count_if(found, is_beside) == 1;
        }
        return found;
    }

    [[nodiscard]] std::optional<candidate> match(const function_name_in_text& function, std::size_t at,
                                                 std::size_t number) const
    {
        const std::string& short_form = kernels_[number].short_form;
        if (!function.qualifiers.empty()) {
            std::string path;
            for (const std::string_view one : function.qualifiers)
                if (!inline_namespaces_.contains(one)) path.append("::").append(one);
            if (!("::" + qualifiers_of(short_form)).ends_with(path)) return std::nullopt;
        }
        candidate found{.kernel = number, .surely = true, .instance = {}};
        const std::vector<std::string> own = template_arguments_of(short_form);
        // Of a pack there are as many as the launch names, or more.
        if (short_form.ends_with('>') && function.arguments.size() > own.size()) return std::nullopt;
        if (function.arguments.size() < own.size()) found.surely = false;  // deduced arguments, or defaults
        for (std::size_t i = 0; i < std::min(function.arguments.size(), own.size()); ++i) {
            token_span given = function.arguments[i];
            // using real = float, or a template parameter
            if (given.size() == 1 && !view_.names.find(given[0].text, at))
                if (const token_span other = view_.names.alias(given[0].text); other.size() == 1) given = other;
            if (given.size() == 1 && given[0].kind == source_token_kind::identifier) {
                const auto meant = view_.names.find(given[0].text, at);
                if (meant && meant->kind == declared_as::template_parameter) {
                    found.instance[std::string(given[0].text)] = own[i];
                    continue;
                }
            }
            const auto mine = integer_in_name(own[i]);
            const auto value = view_.values.integer(given, at, found.instance);
            if (mine && value) {
                if (*mine != *value) return std::nullopt;
                continue;
            }
            const std::string text = tokens_text(given);
            if (are_other_types(text, own[i]) || is_other_class(given, own[i], at)) return std::nullopt;
            if (text != own[i]) found.surely = false;
        }
        return found;
    }

    // Whether the words name a class of this text that is certainly not the one in a kernel's name.
    [[nodiscard]] bool is_other_class(token_span given, std::string_view own, std::size_t at) const
    {
        std::string_view name;
        std::size_t i = 0;
        for (; i < given.size() && !given[i].is("<"); ++i)
            if (given[i].kind == source_token_kind::identifier) name = given[i].text;
        // Other names may stand for any type.
        const bool is_class = !given.empty() && view_.names.type_named(name) && view_.names.alias(name).empty() &&
                              !view_.names.find(given[0].text, at);
        if (!is_class) return false;
        if (last_name(own) != name) return true;
        if (i == given.size() || !given.back().is(">")) return false;
        const std::vector<std::string> values = template_arguments_of(own);
        const std::vector<token_span> arguments = split_at_commas(given.subspan(i + 1, given.size() - i - 2), true);
        for (std::size_t k = 0; k < std::min(values.size(), arguments.size()); ++k) {
            const auto mine = integer_in_name(values[k]);
            const auto value = view_.values.integer(arguments[k], at);
            if ((mine && value && *mine != *value) || are_other_types(tokens_text(arguments[k]), values[k]) ||
                is_other_class(arguments[k], values[k], at))
                return true;
        }
        return false;
    }

    // Of functions with one name in several namespaces, keeps those that the launch finds first.
    void keep_nearest(std::size_t at, std::vector<candidate>& found) const
    {
        std::string nearest;
        bool differ = false, any = false;
        const std::string here = view_.names.namespace_of(view_.names.scope_of(at));
        const auto path_of = [&](const candidate& one) { return qualifiers_of(kernels_[one.kernel].short_form); };
        for (const candidate& one : found) {
            const std::string path = path_of(one);
            differ |= path != path_of(found.front());
            const bool around = path.empty() || here == path || here.starts_with(path + "::");
            if (around && (!any || path.size() > nearest.size())) nearest = path;
            any |= around;
        }
        if (!differ) return;
        if (any)
            std::erase_if(found, [&](const candidate& one) { return path_of(one) != nearest; });
        else
            for (candidate& one : found) one.surely = false;
    }

    // "a::b" for "a::b::merge<int>", as the text may write it: without inline namespaces.
    [[nodiscard]] std::string qualifiers_of(std::string_view short_form) const
    {
        std::string text = launchbox::qualifiers_of(short_form);
        for (const std::string_view name : inline_namespaces_) {
            const std::string part = std::string(name) + "::";
            const std::size_t found = ("::" + text + "::").find("::" + part);
            if (found != std::string::npos) text = (text + "::").erase(found, part.size());
            while (text.ends_with(":")) text.pop_back();
        }
        return text;
    }

    const source_view& view_;
    const std::vector<linted_kernel>& kernels_;
    std::set<std::string_view> inline_namespaces_;
    std::map<std::string, std::vector<std::size_t>, std::less<>> by_name_;
};

}  // namespace

std::vector<std::string> template_arguments_of(std::string_view short_form)
{
    const std::size_t open = place_of_name(short_form).end;
    std::vector<std::string> arguments;
    if (open >= short_form.size() || short_form[open] != '<') return arguments;
    int depth = 0;
    std::string one;
    for (std::size_t i = open; i < short_form.size(); ++i) {
        const char c = short_form[i];
        const bool opens = c == '<' || c == '(' || c == '{' || c == '[',
                   closes = c == '>' || c == ')' || c == '}' || c == ']';
        if (opens && depth++ == 0) continue;
        if (closes && --depth == 0) break;
        if (c == ',' && depth == 1) {
            arguments.push_back(std::move(one));
            one.clear();
            continue;
        }
        if (c != ' ' || !one.empty()) one += c;
    }
    if (!one.empty()) arguments.push_back(std::move(one));
    return arguments;
}

std::optional<std::int64_t> integer_in_name(std::string_view text)
{
    if (text == "true") return 1;
    if (text == "false") return 0;
    if (text.starts_with("(") && text.find(')') != std::string_view::npos) text.remove_prefix(text.find(')') + 1);
    std::int64_t value = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc{}) return std::nullopt;
    const std::string_view suffix = text.substr(static_cast<std::size_t>(end - text.data()));
    return suffix.find_first_not_of("uUlL") == std::string_view::npos ? std::optional(value) : std::nullopt;
}

std::string function_name(std::string_view short_form)
{
    const name_place place = place_of_name(short_form);
    return std::string(short_form.substr(place.begin, place.end - place.begin));
}

std::string instance_name(std::string_view short_form)
{
    return std::string(short_form.substr(place_of_name(short_form).begin));
}

function_name_in_text function_meant(const source_view& view, const function_name_in_text& named, std::size_t at)
{
    if (named.name.empty() || !named.qualifiers.empty() || named.has_arguments) return named;
    const auto declared = view.names.find(named.name, at);
    if (!declared || declared->kind != declared_as::variable || declared->is_array || declared->form == 0) return named;
    const auto object = view.values.state_of(named.name, at);
    const auto value = object ? view.values.member_of(*object, "", 0) : std::nullopt;
    return value && !value->words.empty() ? read_function_name(value->words) : function_name_in_text{};
}

std::vector<launch_figures> sizes_of(const source_view& view, const source_launch& launch,
                                     const template_values& instance)
{
    const auto is_same = [](std::string a, std::string b) {
        const auto number = integer_in_name(a);
        if (number) return number == integer_in_name(b);
        std::erase(a, ' ');
        std::erase(b, ' ');
        return a == b;
    };
    std::vector<template_values> instances;
    for (template_values& one : view.values.instances_around(launch.first)) {
        const bool fits = std::ranges::all_of(instance, [&](const auto& known) {
            const auto own = one.find(known.first);
            return own == one.end() || is_same(own->second, known.second);
        });
        if (fits) instances.push_back(std::move(one));
    }
    for (template_values& one : instances) one.insert(instance.begin(), instance.end());
    if (instances.empty()) instances.push_back(instance);
    std::vector<launch_figures> all;
    const auto add = [&](const template_values& one) {
        if (!one.empty() && is_never_reached(view.values, launch.first, one)) return;
        launch_figures figures = figures_of(launch, view.values, one);
        if (!volume_of(figures.block) || !figures.dynamic_shared_bytes) {
            template_values implied = one;
            add_implied_values(view.values, launch.first, implied);
            if (implied.size() > one.size()) figures = figures_of(launch, view.values, implied);
        }
        if (std::ranges::find(all, figures) == all.end()) all.push_back(figures);
    };
    for (const template_values& one : instances) add(one);
    const bool all_known = std::ranges::all_of(
        all, [](const launch_figures& figures) { return volume_of(figures.block) && figures.dynamic_shared_bytes; });
    if (all_known) return all;
    // Parameters of the functions around may be the same in all calls.
    const std::vector<template_values> calls = view.values.calls_around(launch.first);
    if (calls.empty()) return all;
    constexpr std::size_t max_sizes = 8;
    std::vector<launch_figures> without_calls = std::move(all);
    all.clear();
    for (const template_values& one : instances)
        for (const template_values& call : calls) {
            const bool fits = std::ranges::all_of(call, [&](const auto& value) {
                const auto own = one.find(value.first);
                return own == one.end() || value.first.starts_with('#') || is_same(own->second, value.second);
            });
            template_values both = one;
            both.insert(call.begin(), call.end());
            if (fits) add(both);
            if (all.size() > max_sizes) return without_calls;
        }
    return all;
}

std::vector<kernel_launch> launched_kernels(const source_view& view, const std::vector<linted_kernel>& kernels)
{
    const launch_matcher matcher(view, kernels);
    std::vector<kernel_launch> all;
    for (const source_launch& launch : view.launches)
        if (launch.branch < 0) matcher.add(launch, all);
    return all;
}

std::vector<const source_launch*> untold_launches(const source_view& view, const std::vector<linted_kernel>& kernels)
{
    const launch_matcher matcher(view, kernels);
    std::vector<const source_launch*> all;
    for (const source_launch& launch : view.launches)
        if (launch.branch < 0 && !matcher.functions_of(launch).is_complete) all.push_back(&launch);
    return all;
}

}  // namespace launchbox
