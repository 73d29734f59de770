// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "app/init/spec_maker.hpp"
#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"
#include "support/text/terminal.hpp"
#include "support/text/toml_text.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

// Keeps the sum of all buffers small.
std::int64_t usual_size(std::size_t sizes)
{
    constexpr std::array<std::int64_t, 5> usual{1 << 20, 1 << 20, 1024, 256, 64};
    return sizes < usual.size() ? usual[sizes] : 16;
}

constexpr std::string_view of_the_launch = "of the launch";

}  // namespace

bool mentions(const std::string& expression, const std::string& name)
{
    try {
        const value_expression read(expression);
        return std::ranges::find(read.names(), name) != read.names().end();
    } catch (const error&) {
        return false;
    }
}

std::optional<std::int64_t> whole_number(const std::string& text)
{
    if (text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos)
        return std::nullopt;
    return std::stoll(text);
}

std::string spec_maker::fresh(const std::string& wanted)
{
    std::string name;
    for (const char c : wanted.substr(0, 80))
        name += (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ? c : '_';
    if (name.empty() || (name[0] >= '0' && name[0] <= '9')) name.insert(0, "n");
    while (!is_name(name) || taken_.contains(name)) name += "_";
    taken_.insert(name);
    return name;
}

void spec_maker::refuse_what_no_spec_gives() const
{
    std::vector<std::string> missing;
    for (const kernel_parameter& one : parameters_) {
        const std::string type = one.shown.empty() ? "type that the source does not show" : one.shown;
        std::string why;
        if (one.is_handle)
            why = "a texture or surface";
        else if (one.is_pointer_to_pointer)
            why = fmt::format("pointers in device memory ({})", type);
        else if (!one.is_pointer && !one.is_whole() && !one.is_fraction())
            why = fmt::format("a {} by value", type);
        if (!why.empty()) missing.push_back(fmt::format("{} is {}", one.name, why));
    }
    if (missing.empty()) return;
    const std::string name = escape_for_terminal(own_name());
    throw error(
        fmt::format("{}: a spec cannot describe all arguments of {}: {}",
                    choice_.defined_in != nullptr ? fmt::format("{}:{}", choice_.defined_in->file, choice_.text.line)
                                                  : request_.file,
                    name, escape_for_terminal(fmt::format("{}", fmt::join(missing, "; ")))),
        fmt::format("tune a launch of your program instead: launchbox capture -k {0} -o {0} -- ./app", name));
}

// A constant that determines how much memory is allocated is not a tuning parameter, unless the block size depends on
// it.
void spec_maker::leave_out_sizes_of_the_problem()
{
    for (const placed_words& part : words_.block.parts)
        if (!part.words.empty()) (void)expressions_.text(part);
    const std::set<std::string, std::less<>> in_block = expressions_.followed();
    expressions_.forget();
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        if (passed(i) == nullptr) continue;
        if (!parameters_[i].is_pointer) {
            (void)expressions_.text(*passed(i));
            continue;
        }
        const auto variable = variable_in(*passed(i), host_);
        const auto memory = variable ? allocation_of(*variable, passed(i)->at, host_) : std::nullopt;
        if (memory) (void)expressions_.text(memory->size);
    }
    const std::set<std::string, std::less<>> in_memory = expressions_.followed();
    expressions_.forget();
    std::erase_if(tunables_.found, [&](const source_tunable& one) {
        if (!one.is_constant || in_block.contains(one.name) || !in_memory.contains(one.name)) return false;
        tunables_.remarks.push_back(
            fmt::format("{} (line {}) is part of the problem's size, and stays {}", one.name, one.line, one.value));
        return true;
    });
}

void spec_maker::name_tunables()
{
    for (const source_tunable& one : tunables_.found) {
        // A macro or constant keeps its name, because `constants` refers to it.
        const std::string name =
            one.is_constant && is_name(one.name) && taken_.insert(one.name).second ? one.name : fresh(one.name);
        tunable_names_[one.name] = name;
        if (one.is_constant) expressions_.names[one.name] = name;
        expressions_.alike.emplace(plain_name(one.name), name);
    }
    if (!choice_.launch) return;
    const function_name_in_text function =
        function_meant(host_, choice_.launch->launch->function, choice_.launch->launch->first);
    const std::vector<parameter_in_text>& own = choice_.text.template_parameters;
    for (std::size_t i = 0; i < std::min(own.size(), function.arguments.size()); ++i) {
        const token_span given = function.arguments[i];
        const auto known = tunable_names_.find(std::string(own[i].name));
        if (given.size() == 1 && given[0].kind == source_token_kind::identifier && known != tunable_names_.end())
            expressions_.names.emplace(std::string(given[0].text), known->second);
    }
}

// Names for the arguments that are whole numbers, as the host calls them.
void spec_maker::name_sizes()
{
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const kernel_parameter& one = parameters_[i];
        if (!is_size(one)) continue;
        const placed_words* given = passed(i);
        const bool is_name_alone =
            given != nullptr && given->words.size() == 1 && given->words[0].kind == source_token_kind::identifier;
        if (given != nullptr && !is_name_alone) continue;
        if (is_name_alone && expressions_.names.contains(given->words[0].text)) continue;  // known already
        const std::string name = fresh(one.name);
        size_names_[i] = name;
        if (is_name_alone) expressions_.names[std::string(given->words[0].text)] = name;
    }
    // Of the other arguments, those that cannot be expressed by these become workload values, too.
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
        const kernel_parameter& one = parameters_[i];
        if (!is_size(one) || size_names_.contains(i)) continue;
        const bool is_number = passed(i) != nullptr && host_.values.integer(passed(i)->words, passed(i)->at, instance_);
        const auto text = passed(i) != nullptr && !is_number ? text_with_sizes(*passed(i), 0) : std::nullopt;
        if (text)
            size_texts_[i] = *text;
        else
            size_names_[i] = fresh(one.name);
    }
    std::size_t unknown = draft_.workload.size();  // those from expressions
    for (const auto& [i, name] : size_names_)
        unknown += passed(i) == nullptr || !host_.values.integer(passed(i)->words, passed(i)->at, instance_);
    std::size_t extents = 0;
    for (std::size_t i = 0; i < parameters_.size(); ++i)
        extents += is_size(parameters_[i]) &&
                   (passed(i) == nullptr || !host_.values.integer(passed(i)->words, passed(i)->at, instance_));
    unknown = std::max(unknown, extents);
    for (draft_workload_value& one : draft_.workload) {
        one.value = std::to_string(usual_size(unknown));
        sizes_.push_back(one.name);
    }
    for (const auto& [i, name] : size_names_) {
        sizes_.push_back(name);
        const auto value =
            passed(i) != nullptr ? host_.values.integer(passed(i)->words, passed(i)->at, instance_) : std::nullopt;
        if (value) {
            draft_.workload.push_back({name, std::to_string(*value), "as the source has it"});
        } else {
            draft_.workload.push_back(
                {name, std::to_string(usual_size(unknown)), "which value does your program pass? fill in"});
            fill_in(name);
        }
    }
    // Types that the source leaves open.
    for (const auto& [name, type] : instance_) {
        const bool used = std::ranges::any_of(
            parameters_, [&, &name = name](const kernel_parameter& one) { return one.template_type == name; });
        if (!used) continue;
        const std::string here = fresh(name);
        draft_.workload.push_back({here, toml_string(type), "the type; others as well: [\"float\", \"double\"]"});
        tunable_names_[name] = here;
    }
}

// Unknown names become workload values; this is undone if the text cannot be translated even so.
std::optional<std::string> spec_maker::text_with_sizes(const placed_words& words, std::int64_t usual)
{
    if (words.words.empty()) return std::nullopt;
    const std::vector<draft_workload_value> before = draft_.workload;
    const std::set<std::string> taken = taken_;
    const auto names = expressions_.names;
    const std::vector<std::string> filled = to_fill_in_;
    expressions_.unknown = [&](std::string_view name) {
        std::string own = fresh(std::string(name));
        expressions_.names[std::string(name)] = own;
        draft_.workload.push_back(
            {own, std::to_string(usual), std::string(of_the_launch) + "; not in the source: fill in"});
        fill_in(own);
        return own;
    };
    std::optional<std::string> text = expressions_.text(words);
    expressions_.unknown = {};
    if (text) return text;
    draft_.workload = before;
    taken_ = taken;
    expressions_.names = names;
    to_fill_in_ = filled;
    return std::nullopt;
}

// Values that only an abandoned expression used.
void spec_maker::forget_unused_sizes()
{
    std::vector<std::string> texts = draft_.threads;
    texts.insert(texts.end(), draft_.blocks.begin(), draft_.blocks.end());
    texts.push_back(draft_.dynamic_shared);
    for (const draft_argument& argument : draft_.arguments) {
        texts.push_back(argument.count);
        texts.push_back(argument.value);
    }
    std::erase_if(draft_.workload, [&](const draft_workload_value& one) {
        if (!one.comment.starts_with(of_the_launch)) return false;
        if (std::ranges::any_of(texts, [&](const std::string& text) { return mentions(text, one.name); })) return false;
        std::erase(to_fill_in_, one.name);
        return true;
    });
}

bool spec_maker::is_tuned(const std::string& expression) const
{
    return std::ranges::any_of(draft_.parameters,
                               [&](const draft_parameter& one) { return mentions(expression, one.name); }) ||
           std::ranges::any_of(tunables_.found, [&](const source_tunable& one) {
               return mentions(expression, tunable_names_.at(one.name));
           });
}

std::optional<std::int64_t> spec_maker::value_at_baseline(const std::string& expression) const
{
    assignment values;
    for (const draft_parameter& one : draft_.parameters)
        values.values.emplace_back(one.name, whole_number(one.baseline).value_or(0));
    for (const draft_workload_value& one : draft_.workload)
        if (const auto number = whole_number(one.value)) values.values.emplace_back(one.name, *number);
    try {
        return value_expression(expression).integer(values);
    } catch (const error&) {
        return std::nullopt;  // it also names limits of the GPU
    }
}

}  // namespace launchbox
