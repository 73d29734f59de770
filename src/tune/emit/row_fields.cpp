// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/row_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <set>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

bool is_keyword(const std::string& text)
{
    static const std::set<std::string> keywords{
        "alignas", "alignof", "and",       "asm",       "auto",      "bool",      "break",    "case",
        "catch",   "char",    "char8_t",   "class",     "co_await",  "co_return", "co_yield", "compl",
        "concept", "const",   "consteval", "constexpr", "constinit", "continue",  "decltype", "default",
        "delete",  "do",      "double",    "else",      "enum",      "explicit",  "export",   "extern",
        "false",   "float",   "for",       "friend",    "goto",      "if",        "inline",   "int",
        "long",    "mutable", "namespace", "new",       "noexcept",  "not",       "nullptr",  "operator",
        "or",      "private", "protected", "public",    "register",  "requires",  "return",   "short",
        "signed",  "sizeof",  "static",    "struct",    "switch",    "template",  "this",     "throw",
        "true",    "try",     "typedef",   "typeid",    "typename",  "union",     "unsigned", "using",
        "virtual", "void",    "volatile",  "wchar_t",   "while",     "xor"};
    return keywords.count(text) != 0;
}

row_field::kind kind_of(const parameter_value& value)
{
    if (std::holds_alternative<bool>(value)) return row_field::kind::boolean;
    if (std::holds_alternative<double>(value)) return row_field::kind::float64;
    if (std::holds_alternative<std::string>(value)) return row_field::kind::enumerator;
    const std::int64_t number = std::get<std::int64_t>(value);
    const bool fits =
        number >= std::numeric_limits<std::int32_t>::min() && number <= std::numeric_limits<std::int32_t>::max();
    return fits ? row_field::kind::int32 : row_field::kind::int64;
}

bool is_number(row_field::kind what)
{
    return what == row_field::kind::int32 || what == row_field::kind::int64 || what == row_field::kind::float64;
}

void widen(row_field& field, const parameter_value& value)
{
    const row_field::kind what = kind_of(value);
    if (what != field.what && !(is_number(what) && is_number(field.what)))
        throw error("the parameter " + escape_for_terminal(field.parameter) + " has values of several types",
                    "a member of a row has one type: strings, numbers, or booleans");
    if (is_number(what)) field.what = std::max(field.what, what);
    if (what == row_field::kind::enumerator) field.enumerators.push_back(std::get<std::string>(value));
}

void check_names(const std::vector<std::string>& texts, const std::string& of)
{
    std::set<std::string> names;
    for (const std::string& text : texts)
        if (!names.insert(identifier_of(text)).second)
            throw error(fmt::format("two {} would be '{}' in C++", of, identifier_of(text)),
                        "rename one in the spec, or use --format json");
}

std::string value_text(const row_field& field, const parameter_value& value, const std::string& row_type)
{
    if (field.what == row_field::kind::enumerator)
        return "decltype(" + row_type + "::" + field.name + ")::" + identifier_of(parameter_text(value));
    return parameter_text(value);
}

}  // namespace

std::string identifier_of(const std::string& text)
{
    std::string name;
    for (const char letter : text) {
        const auto byte = static_cast<unsigned char>(letter);
        name += byte < 128 && std::isalnum(byte) != 0 ? letter : '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "_");
    return is_keyword(name) ? name + "_" : name;
}

std::vector<row_field> row_fields(const std::vector<const recorded_run*>& runs)
{
    std::vector<row_field> fields;
    std::vector<std::string> names;
    for (const recorded_run* run : runs)
        for (const stored_result& result : run->results) {
            const auto& values = result.parameters.values;
            if (fields.empty())
                for (const auto& [name, value] : values) {
                    fields.push_back({.name = identifier_of(name), .parameter = name, .what = kind_of(value)});
                    names.push_back(name);
                }
            bool same = values.size() == fields.size();
            for (std::size_t i = 0; same && i < fields.size(); ++i) {
                same = values[i].first == fields[i].parameter;
                if (same) widen(fields[i], values[i].second);
            }
            if (!same)
                throw error("runs of '" + escape_for_terminal(run->info.name) + "' have different parameters",
                            "they are of different specs: measure again with one spec, or give only the runs of one");
        }
    if (fields.empty()) throw error("no run has a result", "run launchbox tune");
    check_names(names, "parameters");
    for (row_field& field : fields) {
        std::sort(field.enumerators.begin(), field.enumerators.end());
        field.enumerators.erase(std::unique(field.enumerators.begin(), field.enumerators.end()),
                                field.enumerators.end());
        check_names(field.enumerators, "values of " + field.name);
    }
    return fields;
}

std::vector<std::string> row_values(const std::vector<row_field>& fields, const assignment& candidate,
                                    const std::string& row_type)
{
    std::vector<std::string> values;
    for (const row_field& field : fields) {
        const parameter_value* value = candidate.find(field.parameter);
        if (value == nullptr)
            throw error("a candidate has no value of " + field.parameter, "the record is of another spec");
        values.push_back(value_text(field, *value, row_type));
    }
    return values;
}

std::optional<assignment> candidate_with(const recorded_run& run, const std::vector<row_field>& fields,
                                         const std::vector<std::string>& values, const std::string& row_type)
{
    for (const stored_result& result : run.results)
        if (row_values(fields, result.parameters, row_type) == values) return result.parameters;
    return std::nullopt;
}

std::string row_struct(const std::vector<row_field>& fields, const std::string& row_type, bool for_launch_box)
{
    std::string text = "struct " + row_type + " {\n";
    bool has_min_blocks = false, plain = true;
    for (const row_field& field : fields) {
        std::string type = "int";
        if (field.what == row_field::kind::boolean) type = "bool";
        if (field.what == row_field::kind::int64) type = "std::int64_t";
        if (field.what == row_field::kind::float64) type = "double";
        if (field.what == row_field::kind::enumerator) {
            type = "enum class " + field.name + "_values { ";
            for (const std::string& enumerator : field.enumerators)
                type += (&enumerator == &field.enumerators.front() ? "" : ", ") + identifier_of(enumerator);
            type += " }";
            text += "    " + type + ";\n";
            type = field.name + "_values";
        }
        text += "    " + type + " " + field.name + " = {};\n";
        has_min_blocks |= field.name == "min_blocks";
        plain &= field.what == row_field::kind::int32;
    }
    if (for_launch_box && !has_min_blocks) text += "    static constexpr int min_blocks = 0;  // not given\n";
    if (!plain && for_launch_box)
        text += "    friend constexpr bool operator==(const " + row_type + "&, const " + row_type + "&) = default;\n";
    return text + "};\n";
}

std::string in_capitals(std::string text)
{
    for (char& letter : text)
        if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
    return text;
}

}  // namespace launchbox
