// SPDX-License-Identifier: Apache-2.0
#include "app/init/source_tunables.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/init/kernel_parameters.hpp"
#include "source/source_constants.hpp"
#include "source/source_statements.hpp"
#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

// Constants that cannot have another value: a warp is 32 threads, masks are bits, mathematical constants are fixed.
bool is_of_the_machine(std::string_view name, std::string_view value)
{
    std::string capitals;
    for (const char c : name) capitals += to_upper(c);
    if (value.starts_with("0x") || value.starts_with("0X")) return true;
    for (const char* word : {"WARP_SIZE", "WARPSIZE", "WARP_THREADS", "MASK", "VERSION", "DEBUG", "SEED", "EPS"})
        if (capitals.find(word) != std::string::npos) return true;
    return false;
}

std::optional<std::int64_t> plain_number(token_span value)
{
    while (value.size() > 2 && value.front().is("(") && value.back().is(")"))
        value = value.subspan(1, value.size() - 2);
    if (value.size() != 1 || value[0].kind != source_token_kind::number) return std::nullopt;
    return evaluate_constant(value, {.value = {}});
}

bool is_tested(const source_text& source, std::string_view name)
{
    for (const source_directive& directive : source.directives) {
        const bool condition = directive.name == "if" || directive.name == "elif";
        if (condition && std::ranges::any_of(directive.tokens, [&](const auto& word) { return word.is(name); }))
            return true;
    }
    return false;
}

}  // namespace

bool is_whole_number_type(const source_view& view, token_span type)
{
    std::vector<source_token> words = without_qualifiers(type);
    for (int steps = 0; steps < 8; ++steps) {
        if (words.empty() || integer_type_named(words) || has_word(words, "auto")) return true;
        if (words.size() > 1) return false;
        if (words[0].is_any({"uint", "ulong", "ushort", "uchar"})) return true;
        const token_span meant = view.names.alias(words[0].text);
        if (meant.empty()) return false;
        words = without_qualifiers(meant);
    }
    return false;
}

namespace {

void add_template(const kernel_choice& choice, source_tunables& all)
{
    const std::vector<std::string> arguments = template_arguments_of(choice.info->short_form);
    const std::vector<parameter_in_text>& parameters = choice.text.template_parameters;
    for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i) {
        if (parameters[i].is_pack) break;
        const auto value = integer_in_name(arguments[i]);
        // A bool or an enumerator chooses between two kernels.
        const bool is_number = value && arguments[i] != "true" && arguments[i] != "false" &&
                               is_whole_number_type(*choice.defined_in->view, parameters[i].type);
        if (parameters[i].is_type() || parameters[i].name.empty() || !is_number || *value < 0) continue;
        source_tunable& one = all.found.emplace_back();
        one = {.name = std::string(parameters[i].name), .value = *value, .line = choice.text.line};
        for (const std::string& other : choice.other_instances) {
            const std::vector<std::string> others = template_arguments_of(other);
            if (const auto also = i < others.size() ? integer_in_name(others[i]) : std::nullopt; also && *also >= 0)
                one.also.push_back(*also);
        }
    }
}

// Visible to the kernel: defined in the file, a namespace, a class, or the kernel itself.
bool is_seen(const source_view& view, const constant_definition& definition)
{
    for (const std::size_t at : view.names.places(definition.name)) {
        if (view.source.tokens[at].text.data() != definition.name.data()) continue;
        const source_scope* scope = view.names.scope(view.names.scope_of(at));
        return scope == nullptr || scope->kind != scope_kind::host;
    }
    return true;  // a macro
}

void add_constants(const kernel_choice& choice, source_tunables& all)
{
    const std::set<std::string_view> used = names_behind(choice);
    std::set<std::string_view> done;
    for (const read_source_view& file : choice.views) {
        if (file.is_preprocessed) continue;
        const std::vector<constant_definition> constants = constant_definitions(file.view->source);
        const bool is_source = &file == &choice.views.front();
        for (const constant_definition& definition : constants) {
            const std::string_view name = definition.name;
            if (definition.block || !used.contains(name) || definition.value.empty()) continue;
            const auto value = plain_number(definition.value);
            if (!value || *value < 1 || is_of_the_machine(name, definition.value.back().text)) continue;
            if (!is_seen(*file.view, definition) || is_tested(file.view->source, name)) continue;
            const bool is_own =
                std::ranges::any_of(choice.text.template_parameters,
                                    [&](const auto& one) { return one.name == name; }) ||
                std::ranges::any_of(choice.text.parameters, [&](const auto& one) { return one.name == name; });
            if (is_own || !done.insert(name).second) continue;
            const auto times = std::ranges::count_if(constants, [&](const auto& other) { return other.name == name; });
            if (times > 1)
                all.remarks.push_back(
                    fmt::format("{} is defined {} times in {}: not a parameter", name, times, file.file));
            else if (!is_source)
                all.remarks.push_back(
                    fmt::format("{} is defined in {}: to tune it, move it into the source", name, file.file));
            else
                all.found.push_back(
                    {.name = std::string(name), .value = *value, .is_constant = true, .line = definition.line});
        }
    }
}

}  // namespace

source_tunables tunables_of(const kernel_choice& choice)
{
    source_tunables all;
    if (choice.defined_in == nullptr) return all;
    add_template(choice, all);
    add_constants(choice, all);
    return all;
}

std::vector<std::int64_t> values_around(std::int64_t value)
{
    std::vector<std::int64_t> values{value};
    if (value == 0) {
        values = {0, 1, 2, 4};  // for example a second launch bound
    } else if ((value & (value - 1)) == 0) {
        for (const std::int64_t other : {value / 4, value / 2, value * 2, value * 4}) values.push_back(other);
        if (value < 4) values.push_back(value * 8);
    } else {
        for (const std::int64_t other : {value / 2, value - 2, value - 1, value + 1, value + 2, value * 2})
            values.push_back(other);
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    if (value > 0) std::erase_if(values, [](std::int64_t one) { return one < 1; });
    return values;
}

std::vector<std::int64_t> block_sizes_around(std::int64_t value, std::int64_t least, std::int64_t most)
{
    std::vector<std::int64_t> values;
    for (std::int64_t size = 1; size <= most; size *= 2)
        if (size >= least) values.push_back(size);
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
    std::ranges::sort(values);
    return values;
}

}  // namespace launchbox
