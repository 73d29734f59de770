// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/t1_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>

#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"
#include "support/text/terminal.hpp"
#include "support/text/toml_text.hpp"
#include "tune/t1/t1_reader.hpp"

namespace launchbox {

using namespace t1;

namespace {

constexpr std::size_t max_parameters = 64, max_values = 100'000, max_conditions = 1000;

void translate_name(t1_reader& of, const json& root);
void translate_parameters(t1_reader& of, const json& space);
std::vector<parameter_value> values_of(const t1_reader& of, const json& parameter, const std::string& place);
void take_constants(t1_reader& of, const json& root);
std::string baseline_of(t1_reader& of, const json& space);
void translate_conditions(t1_reader& of, const json& space);

}  // namespace

bool looks_like_json(std::string_view text)
{
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
    const std::size_t begin = text.find_first_not_of(" \t\r\n");
    return begin != std::string_view::npos && text[begin] == '{';
}

t1_translation translate_t1(const std::string& file, const std::string& text, const std::string& folder)
{
    json root;
    try {
        root = json::parse(text);
    } catch (const json::exception& failure) {
        const std::string what = failure.what();
        throw error(
            file + " looks like JSON, but is not valid: " + escape_for_terminal(what.substr(what.find("] ") + 2, 200)),
            "give a T1 problem, or a spec (docs/tune_spec.md)");
    }
    const json& space = member(root, "ConfigurationSpace");
    if (!space.is_object() || !member(space, "TuningParameters").is_array() ||
        member(space, "TuningParameters").empty())
        throw error(file + " is JSON, but not a T1 problem: it has no ConfigurationSpace with TuningParameters",
                    "give a T1 problem, or a spec (docs/tune_spec.md)");

    t1_reader of{file, folder};
    of.write("# Made by launchbox from the T1 problem " +
             escape_for_terminal(std::filesystem::path(file).filename().string()) + ".\n");
    of.name_others(
        root, "",
        {"General", "ConfigurationSpace", "KernelSpecification", "Search", "Budget", "BenchmarkConfig", "$schema"});
    of.name_others(space, "ConfigurationSpace", {"TuningParameters", "Conditions"});
    t1_reader body{file, folder};
    translate_parameters(body, space);
    take_constants(body, root);
    translate_conditions(body, space);
    const std::string baseline = baseline_of(body, space);

    translate_name(of, root);
    if (!baseline.empty()) of.write("baseline = { " + baseline + " }");
    of.write("");
    // The baseline stands before the parameters that it needs.
    of.result.spec += body.result.spec;
    of.result.notes.insert(of.result.notes.end(), body.result.notes.begin(), body.result.notes.end());
    of.names = std::move(body.names);
    of.parameters = std::move(body.parameters);
    translate_kernel(of, root);
    return std::move(of.result);
}

namespace t1 {

void t1_reader::note_here(const std::string& place, const std::string& what)
{
    note(place, what);
    write("# " + escape_for_terminal(place + ": " + what));
}

void t1_reader::name_others(const json& object, const std::string& place, std::initializer_list<const char*> known)
{
    if (!object.is_object()) return;
    for (const auto& [key, value] : object.items())
        if (!value.is_null() &&
            std::none_of(known.begin(), known.end(), [&, &name = key](const char* letter) { return name == letter; }))
            note(place + (place.empty() ? "" : ".") + key, "not translated: launchbox has nothing like it");
}

std::string python_text(const json& value)
{
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "True" : "False";
    if (value.is_number()) return value.dump();
    if (value.is_array() &&
        std::none_of(value.begin(), value.end(), [](const json& element) { return element.is_structured(); })) {
        std::string list;
        for (const json& element : value)
            list += (list.empty() ? "" : ", ") +
                    (element.is_string() ? toml_string(element.get<std::string>()) : python_text(element));
        return "[" + list + "]";
    }
    return "None";
}

const json& member(const json& object, const char* key)
{
    static const json nothing;
    if (!object.is_object()) return nothing;
    const auto found = object.find(key);
    return found == object.end() ? nothing : *found;
}

}  // namespace t1

namespace {

void translate_name(t1_reader& of, const json& root)
{
    std::string name;
    for (const auto& [section, key] :
         {std::pair("General", "BenchmarkName"), std::pair("KernelSpecification", "BenchmarkName"),
          std::pair("KernelSpecification", "KernelName")})
        if (const json& given = member(member(root, section), key); name.empty() && given.is_string())
            name = given.get<std::string>();
    if (name.empty()) name = std::filesystem::path(of.file).stem().string();
    for (char& c : name)
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
              c == '.'))
            c = '_';
    if (name.empty() || name[0] == '.' || name[0] == '-') name = "t1" + name;
    of.write("[tunable]");
    of.write("name = \"" + name.substr(0, 100) + "\"");
    const json& general = member(root, "General");
    of.name_others(
        general, "General",
        {"BenchmarkName", "FormatVersion", "OutputFormat", "OutputType", "OutputFile", "LoggingLevel", "TimeUnit"});
    if (member(general, "OutputFile").is_string())
        of.note("General.OutputFile", "not translated: --store FILE names the file of results");
}

[[noreturn]] void fail(const t1_reader& of, const std::string& place, const std::string& what, const std::string& hint)
{
    throw error(of.file + ": " + escape_for_terminal(place + ": " + what), escape_for_terminal(hint));
}

// What C++ and Python can name may be a word of ours.
std::string name_here(const t1_reader& of, const std::string& name)
{
    const auto taken = [&](const std::string& word) {
        for (const char* ours : {"sm", "device", "arch", "output", "name", "weight"})
            if (word == ours) return true;
        for (const auto& [item, variable] : of.names.variables)
            if (variable.name == word) return true;
        return !is_name(word);
    };
    std::string result = name;
    while (taken(result)) result += "_";
    return result;
}

std::string toml_value(const parameter_value& value)
{
    if (const std::string* text = std::get_if<std::string>(&value)) return toml_string(*text);
    if (const double* number = std::get_if<double>(&value)) return repr_of({*number});
    return parameter_text(value);
}

// 32, 64, ..., 1024 as a range where that is shorter to read.
std::string toml_values(const std::vector<parameter_value>& values)
{
    std::vector<std::int64_t> integers;
    for (const parameter_value& value : values)
        if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) integers.push_back(*number);
    constexpr std::size_t written_out = 10;
    if (integers.size() == values.size() && integers.size() > written_out &&
        std::abs(integers[0]) < (std::int64_t{1} << 40)) {
        const std::int64_t step = integers[1] - integers[0];
        bool regular = step > 0 && step < (std::int64_t{1} << 40);
        for (std::size_t i = 1; regular && i < integers.size(); ++i) regular = integers[i] - integers[i - 1] == step;
        if (regular)
            return fmt::format("{{ from = {}, to = {}{} }}", integers.front(), integers.back(),
                               step == 1 ? "" : fmt::format(", step = {}", step));
    }
    std::string list;
    for (const parameter_value& value : values) list += (list.empty() ? "" : ", ") + toml_value(value);
    return "[" + list + "]";
}

void translate_parameters(t1_reader& of, const json& space)
{
    const json& parameters = member(space, "TuningParameters");
    if (parameters.size() > max_parameters)
        fail(of, "ConfigurationSpace.TuningParameters", fmt::format("there are {} parameters", parameters.size()),
             "at most 64 are allowed; tune fewer at once");
    of.write("[parameters]");
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const json& parameter = parameters[i];
        const std::string place = fmt::format("ConfigurationSpace.TuningParameters[{}]", i);
        if (!parameter.is_object() || !member(parameter, "Name").is_string())
            fail(of, place, "there is no Name", "give every parameter a name");
        const std::string name = parameter["Name"].get<std::string>();
        const bool right =
            !name.empty() && name.size() <= 90 && !(name[0] >= '0' && name[0] <= '9') &&
            std::all_of(name.begin(), name.end(), [](char c) {
                return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
            });
        if (!right)
            fail(of, place + ".Name", "'" + name.substr(0, 80) + "' cannot be a macro", "use letters, digits and _");
        if (of.names.variables.contains(name)) fail(of, place + ".Name", name + " appears twice", "rename one of them");
        of.name_others(parameter, place, {"Name", "Type", "Values", "Default"});
        const std::string here = name_here(of, name);
        if (here != name)
            of.note_here(place + ".Name", "called " + here + " here, since " + name +
                                              " is a word of launchbox's expressions; the macro keeps its name");
        std::vector<parameter_value> values = values_of(of, parameter, place + ".Values");
        std::vector<parameter_value> once;
        std::map<parameter_value, int> seen;
        for (const parameter_value& value : values)
            if (seen[value]++ == 0) once.push_back(value);
        if (once.size() < values.size()) of.note_here(place + ".Values", "duplicate values are used once");
        of.write(here + " = " + toml_values(once));
        of.names.variables[name] = {here, std::move(once)};
        of.parameters.push_back(name);
    }
    of.write("");
}

// Of one type: True among numbers is 1, a whole number among fractions is one.
std::vector<parameter_value> values_of(const t1_reader& of, const json& parameter, const std::string& place)
{
    const json& given = member(parameter, "Values");
    if (given.is_null() || given.is_object())
        fail(of, place, "there are no values", "write \"Values\": \"[32, 64, 128]\"");
    python_value value;
    try {
        const std::string text = python_text(given);
        // Python's own: {"word"} and sets are no lists.
        value = python_expression(text)();
    } catch (const error& failure) {
        fail(of, place, failure.what(), failure.hint());
    }
    const python_sequence* sequence = std::get_if<python_sequence>(&value.value);
    const std::vector<python_value> elements = sequence != nullptr ? *sequence->elements : std::vector{value};
    if (elements.empty()) fail(of, place, "the list is empty", "give at least one value");
    if (elements.size() > max_values)
        fail(of, place, fmt::format("there are {} values", elements.size()), "at most 100,000 are allowed");
    const auto has = [&](auto example) {
        return std::any_of(elements.begin(), elements.end(), [&](const python_value& element) {
            return std::holds_alternative<decltype(example)>(element.value);
        });
    };
    const bool texts = has(std::string()), fractions = has(0.0), integers = has(std::int64_t{0}), truths = has(true);
    if (has(std::monostate()) || has(python_sequence()) || (texts && (fractions || integers || truths)))
        fail(of, place, "the values are not all numbers, strings or booleans", "give values of one type");
    std::vector<parameter_value> values;
    for (const python_value& element : elements) {
        const bool* truth = std::get_if<bool>(&element.value);
        const std::int64_t* integer = std::get_if<std::int64_t>(&element.value);
        const double* number = std::get_if<double>(&element.value);
        if (number != nullptr && !std::isfinite(*number)) fail(of, place, "a value is not finite", "take it out");
        if (const std::string* text = std::get_if<std::string>(&element.value))
            values.emplace_back(*text);
        else if (fractions)
            values.emplace_back(number != nullptr    ? *number
                                : integer != nullptr ? static_cast<double>(*integer)
                                : *truth             ? 1.0
                                                     : 0.0);
        else if (integers)
            values.emplace_back(integer != nullptr ? *integer : std::int64_t{*truth ? 1 : 0});
        else
            values.emplace_back(*truth);
    }
    return values;
}

// ProblemSize becomes a workload; plain numbers of BenchmarkConfig are constants.
void take_constants(t1_reader& of, const json& root)
{
    if (const json& config = member(root, "BenchmarkConfig"); config.is_object())
        for (const auto& [key, value] : config.items())
            if (value.is_number_integer() && value <= INT64_MAX && !of.names.variables.contains(key))
                of.names.constants[key] = {value.get<std::int64_t>()};
    const json& given = member(member(root, "KernelSpecification"), "ProblemSize");
    if (given.is_null()) return;
    const std::string place = "KernelSpecification.ProblemSize";
    std::vector<parameter_value> sizes;
    for (const json& element : given.is_array() ? given : json::array({given})) {
        std::optional<std::int64_t> size;
        try {
            const python_value value = python_expression(python_text(element))();
            if (const std::int64_t* integer = std::get_if<std::int64_t>(&value.value);
                integer != nullptr && *integer > 0)
                size = *integer;
        } catch (const error&) {
        }
        if (!size || sizes.size() == 3)
            return of.note_here(place, "not translated: it is not one, two or three whole numbers above 0");
        sizes.emplace_back(*size);
    }
    if (sizes.empty()) return;
    // Named as the readers of recorded results name them.
    of.write("[[workload]]");
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const std::string name = name_here(of, std::string(1, "xyz"[i]));
        const std::int64_t size = std::get<std::int64_t>(sizes[i]);
        of.write(fmt::format("{} = {}", name, size));
        // A key that no expression can name: it is reached as ProblemSize[i].
        const std::string key = "ProblemSize " + name;
        of.names.variables[key] = {name, {size}};
        of.names.elements["ProblemSize"].push_back(key);
    }
    of.write("");
    of.names.constants["ProblemSize"] = python_list_of(sizes);
}

void translate_conditions(t1_reader& of, const json& space)
{
    const json& conditions = member(space, "Conditions");
    if (conditions.is_null() || (conditions.is_array() && conditions.empty())) return;
    if (!conditions.is_array())
        return of.note_here("ConfigurationSpace.Conditions", "not translated: it is not a list");
    of.write("[constraints]\nall = [");
    std::size_t count = 0;
    for (std::size_t i = 0; i < conditions.size(); ++i) {
        const std::string place = fmt::format("ConfigurationSpace.Conditions[{}]", i);
        const json& expression = conditions[i].is_string() ? conditions[i] : member(conditions[i], "Expression");
        of.name_others(conditions[i], place, {"Expression", "Parameters"});
        const auto left_out = [&](const std::string& why) {
            of.result.spec += "  ";
            of.note_here(place + ".Expression", "LEFT OUT, so the space is larger than the problem's: " + why);
        };
        if (!expression.is_string()) {
            left_out("it is not a string");
            continue;
        }
        try {
            const std::vector<std::string> ours =
                conditions_in_lua(python_expression(expression.get<std::string>()), of.names);
            if (count + ours.size() > max_conditions) throw error("there are more than 1,000 conditions");
            for (const std::string& our : ours) of.write("  " + toml_string(our) + ",");
            count += ours.size();
        } catch (const error& failure) {
            left_out(failure.what());
        }
    }
    of.write("]\n");
}

// Every parameter's Default, where they are a candidate.
std::string baseline_of(t1_reader& of, const json& space)
{
    const json& parameters = member(space, "TuningParameters");
    python_scope scope{of.names.constants};
    std::string baseline;
    std::size_t given = 0;
    for (std::size_t i = 0; i < parameters.size(); ++i) given += member(parameters[i], "Default").is_null() ? 0 : 1;
    if (given == 0) return {};
    const auto none = [&](const std::string& why) {
        of.note("ConfigurationSpace.TuningParameters[].Default", "there is no baseline: " + why);
        return std::string();
    };
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        const auto& variable = of.names.variables.at(of.parameters[i]);
        const json& one = member(parameters[i], "Default");
        const json& value = one.is_array() && one.size() == 1 ? one[0] : one;  // seen in the wild: [0]
        if (value.is_null()) return none(of.parameters[i] + " has no Default");
        std::optional<parameter_value> found;
        for (const parameter_value& known : variable.values) {
            const double* number = std::get_if<double>(&known);
            const std::int64_t* integer = std::get_if<std::int64_t>(&known);
            const bool* truth = std::get_if<bool>(&known);
            const bool same =
                std::holds_alternative<std::string>(known) ? value.is_string() && value == std::get<std::string>(known)
                : value.is_boolean()
                    ? (truth != nullptr ? *truth == value.get<bool>()
                                        : (integer != nullptr && *integer == (value.get<bool>() ? 1 : 0)))
                : value.is_string() ? value == (truth != nullptr ? (*truth ? "True" : "False") : parameter_text(known))
                : value.is_number() ? (number != nullptr    ? value == *number
                                       : integer != nullptr ? value == *integer
                                                            : value == (*truth ? 1 : 0))
                                    : false;
            if (same) found = known;
        }
        if (!found)
            return none(fmt::format("the Default of {}, {}, is none of its values", of.parameters[i],
                                    value.dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 40)));
        baseline += (baseline.empty() ? "" : ", ") + variable.name + " = " + toml_value(*found);
        scope.names[of.parameters[i]] = python_of(*found);
        scope.lists[of.parameters[i]] = python_list_of(variable.values);
    }
    const json& conditions = member(space, "Conditions");
    for (std::size_t i = 0; conditions.is_array() && i < conditions.size(); ++i) {
        const json& expression = conditions[i].is_string() ? conditions[i] : member(conditions[i], "Expression");
        if (!expression.is_string()) continue;
        try {
            if (!truth_of(python_expression(expression.get<std::string>())(scope)))
                return none(fmt::format("the Defaults break Conditions[{}]: {}", i,
                                        expression.get<std::string>().substr(0, 200)));
        } catch (const error&) {
            // It is left out of the spec as well, or fails there for these values and says so.
        }
    }
    return baseline;
}

}  // namespace

}  // namespace launchbox
