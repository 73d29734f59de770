// SPDX-License-Identifier: Apache-2.0
#include "app/init/kernel_parameters.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>

#include "source/source_statements.hpp"
#include "support/error.hpp"
#include "tune/backend/argument_check.hpp"

namespace launchbox {

namespace {

std::optional<element_type> known_type(const std::string& name)
{
    try {
        return element_type_of(name);
    } catch (const error&) {
        return std::nullopt;
    }
}

// "const float" for `const float* __restrict__`, with spaces as C++ writes them.
std::string words_text(token_span words)
{
    std::string text;
    for (const source_token& word : words) {
        const bool glue = word.is_any({"::", "<", ">", ",", "*", "(", ")"}) || text.ends_with("::") ||
                          text.ends_with("<") || text.ends_with("(");
        text += (text.empty() || glue ? "" : " ") + std::string(word.text);
    }
    return text;
}

// Follows aliases, macros and template arguments to a type that specs have, or else to the last name found.
std::string resolved(const source_view& view, const template_values& instance, std::string name)
{
    for (int steps = 0; steps < 16 && !known_type(name); ++steps) {
        if (const auto meant = instance.find(name); meant != instance.end() && meant->second != name) {
            name = meant->second;
            continue;
        }
        token_span words = view.names.alias(name);
        if (words.empty())
            for (const source_directive& directive : view.source.directives)
                if (directive.name == "define" && directive.tokens.size() > 1 && directive.tokens[0].is(name))
                    words = token_span(directive.tokens).subspan(1);
        if (words.empty()) break;
        name = words_text(without_qualifiers(words));
    }
    return name;
}

// From a signature's "float const*" or "float (*) [64]".
void take_signature(kernel_parameter& one, std::string type)
{
    if (const std::size_t array = type.find("(*)"); array != std::string::npos) {
        type = type.substr(0, array) + "*";
        one.shown = type;
    }
    const parameter_type read = read_parameter_type(type);
    one.is_pointer = read.is_pointer;
    std::string of = read.of;
    if (one.is_pointer) {
        const std::size_t star = type.rfind('*');
        std::string pointee = type.substr(0, star);
        while (pointee.ends_with(' ')) pointee.pop_back();
        one.is_constant = pointee.ends_with(" const") || pointee.starts_with("const ");
        one.is_pointer_to_pointer = pointee.find('*') != std::string::npos;
    }
    for (const std::string_view space : {"std::", "cuda::std::"})
        if (of.starts_with(space) && known_type(of.substr(space.size()))) of.erase(0, space.size());
    if (const auto known = known_type(of)) {
        one.type = of;
        one.bytes = known->bytes;
    }
    if (of == "void") one.bytes = 1;
}

void take_text(kernel_parameter& one, const source_view& view, const template_values& instance,
               const parameter_in_text& text, std::size_t at)
{
    const auto star = std::ranges::find_if(text.type, [](const source_token& word) { return word.is("*"); });
    one.is_pointer = star != text.type.end() || text.is_array;
    one.is_pointer_to_pointer =
        std::ranges::count_if(text.type, [](const source_token& word) { return word.is("*"); }) > 1;
    const token_span front = text.type.first(static_cast<std::size_t>(star - text.type.begin()));
    one.is_constant = has_word(front, "const");
    std::vector<source_token> words = without_qualifiers(front);
    std::erase_if(words, [](const source_token& word) {
        return word.is_any({"__restrict__", "__restrict", "__grid_constant__", "struct", "typename", "enum"});
    });
    const std::string name = resolved(view, instance, words_text(words));
    if (const auto known = known_type(name)) {
        one.type = name;
        one.bytes = known->bytes;
    } else if (name == "void") {
        one.bytes = 1;
    } else if (const auto bytes = view.values.size_of(words, at, instance)) {
        one.bytes = bytes;
    }
}

// An enumeration is passed as its number.
void take_enumeration(kernel_parameter& one, const source_view& view, const parameter_in_text& text)
{
    if (!one.type.empty() || text.type.empty()) return;
    for (const source_token& word : text.type) {
        const auto number = view.names.type_named(word.text);
        const source_scope* scope = number ? view.names.scope(*number) : nullptr;
        if (scope == nullptr) continue;
        const token_span head = view.names.head_of(*scope);
        if (!has_word(head, "enum")) continue;
        one.type = "int";
        one.bytes = 4;
        one.is_enumeration = true;
        for (std::size_t i = 0; i + 1 < head.size(); ++i)
            if (head[i].is(":")) {
                const std::string under = words_text(without_qualifiers(head.subspan(i + 1)));
                if (const auto known = known_type(under)) one.type = under, one.bytes = known->bytes;
            }
    }
}

bool is_assigned(const std::vector<source_token>& tokens, std::size_t at)
{
    return at + 1 < tokens.size() && tokens[at].is("=") && !tokens[at + 1].is("=");
}

// += and the like, and ++.
bool is_changed(const std::vector<source_token>& tokens, std::size_t at)
{
    if (at + 1 >= tokens.size()) return true;
    if (tokens[at].is_any({"++", "--", ".", "->"})) return true;
    return tokens[at].is_any({"+", "-", "*", "/", "%", "|", "&", "^", "<<", ">"}) && tokens[at + 1].is("=") &&
           tokens[at].end == tokens[at + 1].begin;
}

// &x, and not a & x.
bool is_prefix(const std::vector<source_token>& tokens, std::size_t at)
{
    if (at == 0 || tokens[at].is_any({"++", "--"})) return true;
    const source_token& before = tokens[at - 1];
    return !(before.kind == source_token_kind::identifier || before.kind == source_token_kind::number ||
             before.is_any({")", "]"})) ||
           before.is("return");
}

// f(x[i]): the function may change it.
bool is_whole_argument(const std::vector<source_token>& tokens, std::size_t at, std::size_t end)
{
    if (at < 2 || end >= tokens.size() || !tokens[at - 1].is_any({"(", ","}) || !tokens[end].is_any({")", ","}))
        return false;
    const statement_begin begin = begin_of_statement(tokens, at);
    const std::size_t bracket = begin.bracket.value_or(0);
    if (bracket == 0 || !tokens[bracket].is("(")) return false;
    const source_token& function = tokens[bracket - 1];
    return function.kind == source_token_kind::identifier &&
           !function.is_any({"if", "while", "for", "switch", "return", "float", "double", "int", "unsigned", "min",
                             "max", "fmaxf", "fminf", "fmaf", "fma", "expf", "sqrtf", "fabsf", "__ldg"});
}

// Looks only at the kernel's own text: memory that is handed to a function may be used in any way.
void look_at_uses(kernel_parameter& one, const source_view& view, const kernel_in_text& kernel)
{
    if (kernel.scope < 0) return;
    const std::vector<source_token>& tokens = view.source.tokens;
    const source_scope& body = view.scopes.scopes[static_cast<std::size_t>(kernel.scope)];
    bool written = false, read = false, other = false;
    for (const std::size_t at : view.names.places(one.name)) {
        if (!body.holds(at) || (at > 0 && tokens[at - 1].is_any({".", "->", "::"}))) continue;
        std::size_t end = at + 1;
        const bool element = end < tokens.size() && tokens[end].is("[");
        while (end < tokens.size() && tokens[end].is("["))
            end = std::min(closing_bracket(tokens, end) + 1, tokens.size());
        const bool moved = !element && end + 1 < tokens.size() && tokens[end].is("+") && tokens[end + 1].is("=");
        const bool tested = !element && end + 1 < tokens.size() && tokens[end].is_any({"!=", "=="}) &&
                            tokens[end + 1].is_any({"nullptr", "NULL"});
        if (tested || moved) continue;
        const bool address =
            !element || (at > 0 && tokens[at - 1].is_any({"&", "*", "++", "--"}) && is_prefix(tokens, at - 1));
        if (!address && is_assigned(tokens, end))
            written = true;
        else if (address || is_changed(tokens, end) || is_whole_argument(tokens, at, end))
            other = true;
        else
            read = true;
        if (!element) {
            one.may_be_index |= one.is_whole();
            continue;
        }
        // A value that is read but not stored as an element: an index, a count, a loop bound.
        const statement_begin begin = begin_of_statement(tokens, at);
        const bool in_bracket = begin.bracket && tokens[*begin.bracket].is("[");
        const bool declares =
            begin.first + 1 < at && !tokens[begin.first + 1].is("[") && !declarators(tokens, begin.first).empty();
        one.may_be_index |= one.is_whole() && (in_bracket || declares);
    }
    one.is_only_written = written && !read && !other;
    one.is_only_read = read && !written && !other;
}

}  // namespace

bool kernel_parameter::is_whole() const
{
    const auto known = known_type(type);
    return known &&
           (known->what == element_type::kind::signed_integer || known->what == element_type::kind::unsigned_integer);
}

bool kernel_parameter::is_fraction() const
{
    const auto known = known_type(type);
    return known && (known->what == element_type::kind::floating || known->what == element_type::kind::half ||
                     known->what == element_type::kind::bfloat16);
}

template_values instance_of(const kernel_choice& choice)
{
    template_values instance;
    if (choice.defined_in == nullptr) return instance;
    const std::vector<std::string> arguments = template_arguments_of(choice.info->short_form);
    const auto& parameters = choice.text.template_parameters;
    for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
        if (parameters[i].is_pack) break;
        if (!parameters[i].name.empty()) instance[std::string(parameters[i].name)] = arguments[i];
    }
    return instance;
}

std::vector<kernel_parameter> parameters_of(const kernel_choice& choice)
{
    const auto types = parameters_of_signature(choice.info->demangled);
    static const std::vector<parameter_in_text> none;
    const std::vector<parameter_in_text>& texts = choice.defined_in != nullptr ? choice.text.parameters : none;
    const source_view* view = choice.defined_in != nullptr ? &*choice.defined_in->view : nullptr;
    const template_values instance = instance_of(choice);
    std::vector<kernel_parameter> all;
    for (std::size_t i = 0; i < (types ? types->size() : texts.size()); ++i) {
        kernel_parameter& one = all.emplace_back();
        const parameter_in_text* text = i < texts.size() && !texts[i].is_pack ? &texts[i] : nullptr;
        one.name = text != nullptr && !text->name.empty() ? std::string(text->name) : fmt::format("arg{}", i + 1);
        for (std::size_t other = 0; other + 1 < all.size(); ++other)
            if (all[other].name == one.name) one.name += "_";
        one.shown = text != nullptr ? words_text(text->type) : (*types)[i];
        if (text != nullptr && text->is_array) one.shown += "*";
        if (text != nullptr) take_text(one, *view, instance, *text, choice.text.at);
        if (types) take_signature(one, (*types)[i]);
        if (text != nullptr && !one.is_pointer) take_enumeration(one, *view, *text);
        if (const auto known = instance.find(one.shown); known != instance.end()) one.shown = known->second;
        one.is_handle = one.shown.find("cudaTextureObject_t") != std::string::npos ||
                        one.shown.find("cudaSurfaceObject_t") != std::string::npos;
        if (text == nullptr) continue;
        for (const source_token& word : text->type) {
            const auto known = instance.find(word.text);
            if (known != instance.end() && known->second == one.type && !one.is_pointer_to_pointer)
                one.template_type = known->first;
        }
        look_at_uses(one, *view, choice.text);
    }
    return all;
}

std::vector<int> functions_behind(const kernel_choice& choice)
{
    std::vector<int> found;
    if (choice.defined_in == nullptr || choice.text.scope < 0) return found;
    const source_view& view = *choice.defined_in->view;
    std::unordered_map<std::string_view, std::vector<int>> functions;
    for (std::size_t number = 0; number < view.scopes.scopes.size(); ++number) {
        const source_scope& scope = view.scopes.scopes[number];
        const source_scope* outer = view.names.scope(scope.outer);
        const bool is_function = outer == nullptr || outer->kind == scope_kind::file || outer->kind == scope_kind::type;
        if (is_function && !scope.name.empty() && scope.kind != scope_kind::host)
            functions[scope.name].push_back(static_cast<int>(number));
    }
    found.push_back(choice.text.scope);
    std::set<int> known{choice.text.scope};
    for (std::size_t next = 0; next < found.size(); ++next) {
        const source_scope& body = view.scopes.scopes[static_cast<std::size_t>(found[next])];
        for (std::size_t i = body.open; i < std::min(body.close, view.source.tokens.size()); ++i) {
            const auto named = functions.find(view.source.tokens[i].text);
            if (named == functions.end()) continue;
            for (const int number : named->second)
                if (known.insert(number).second) found.push_back(number);
        }
    }
    return found;
}

std::set<std::string_view> names_behind(const kernel_choice& choice)
{
    std::set<std::string_view> names;
    if (choice.defined_in == nullptr) return names;
    const source_view& view = *choice.defined_in->view;
    std::unordered_map<std::string_view, std::vector<token_span>> macros;
    for (const source_directive& directive : view.source.directives)
        if (directive.name == "define" && !directive.tokens.empty())
            macros[directive.tokens[0].text].push_back(token_span(directive.tokens).subspan(1));
    std::deque<std::string_view> waiting;
    const auto add = [&](token_span words) {
        for (const source_token& word : words)
            if (word.kind == source_token_kind::identifier && names.insert(word.text).second)
                waiting.push_back(word.text);
    };
    for (const int number : functions_behind(choice)) {
        const source_scope& scope = view.scopes.scopes[static_cast<std::size_t>(number)];
        const std::size_t end = std::min(scope.close, view.source.tokens.size());
        add(token_span(view.source.tokens).subspan(scope.head, end - scope.head));
    }
    for (; !waiting.empty(); waiting.pop_front()) {
        if (const auto macro = macros.find(waiting.front()); macro != macros.end())
            for (const token_span& words : macro->second) add(words);
        const auto found = view.names.find(waiting.front(), choice.text.at);
        if (found && found->kind == declared_as::variable && found->is_constant) add(found->value);
    }
    return names;
}

std::optional<bool> reads_block_size(const kernel_choice& choice)
{
    const std::set<std::string_view> names = names_behind(choice);
    if (names.empty()) return std::nullopt;
    for (const std::string_view word : {"blockDim", "num_threads", "this_thread_block", "thread_block", "this_grid",
                                        "dim_threads", "group_dim", "block_dim"})
        if (names.contains(word)) return true;
    return false;
}

}  // namespace launchbox
