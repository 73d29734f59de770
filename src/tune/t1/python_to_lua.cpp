// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_to_lua.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/expression/value_expression.hpp"
#include "tune/t1/lua_translation.hpp"

namespace launchbox::to_lua {

namespace {

std::string lua_literal(const std::string& text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + "'";
}

// What we say is an expression has to be one.
std::string verified(const std::string& text)
{
    const value_expression expression(text);
    return text;
}

}  // namespace

piece translation::of(const python_node& node)
{
    std::vector<std::string> bound;
    if (node.what != kind::name || names_.constants.contains(node.word))
        if (is_constant(node, bound)) return constant(node, value_of(node, scope_, text_));
    switch (node.what) {
        case kind::name: {
            if (const auto found = names_.variables.find(node.word); found != names_.variables.end())
                return variable(found->second);
            refuse(node, "unknown name " + node.word.substr(0, 80));
        }
        case kind::unary:
            return unary(node);
        case kind::binary:
            return binary(node);
        case kind::logic:
            return logic(node);
        case kind::comparison:
            return comparison(node);
        case kind::choice:
            return choice(node);
        case kind::call:
            return call(node);
        case kind::element: {
            // ProblemSize[1]
            const python_node &list = node.parts[0], &at = node.parts[1];
            const std::int64_t* place = std::get_if<std::int64_t>(&at.literal);
            if (list.what == kind::name && at.what == kind::constant && place != nullptr)
                if (const auto found = names_.elements.find(list.word); found != names_.elements.end())
                    if (*place >= 0 && *place < static_cast<std::int64_t>(found->second.size()))
                        return variable(names_.variables.at(found->second[static_cast<std::size_t>(*place)]));
            refuse(node, "an element of a list, chosen by parameters");
        }
        default:
            refuse(node, "a list that depends on parameters");
    }
}

// Without names that change: then it has a value here and now.
bool translation::is_constant(const python_node& node, std::vector<std::string>& bound) const
{
    if (node.what == kind::name)
        return names_.constants.contains(node.word) || std::find(bound.begin(), bound.end(), node.word) != bound.end();
    if (node.what == kind::element && node.parts[0].what == kind::name && names_.elements.contains(node.parts[0].word))
        return false;
    const std::size_t outside = bound.size();
    for (const python_node::loop& loop : node.loops)
        bound.insert(bound.end(), loop.targets.begin(), loop.targets.end());
    bool constant = true;
    for (std::size_t i = 0; constant && i < node.parts.size(); ++i) {
        if (i == 0 && takes_a_list(node, scope_)) continue;
        const bool iterable = std::any_of(node.loops.begin(), node.loops.end(),
                                          [&](const python_node::loop& loop) { return loop.iterable == i; });
        if (iterable && node.parts[i].what == kind::name && scope_.lists.contains(node.parts[i].word)) continue;
        constant = is_constant(node.parts[i], bound);
    }
    bound.resize(outside);
    return constant;
}

piece translation::variable(const python_names::variable& of) const
{
    piece result{.text = of.name};
    const auto has = [&](auto example) {
        return std::any_of(of.values.begin(), of.values.end(), [&](const parameter_value& value) {
            return std::holds_alternative<decltype(example)>(value);
        });
    };
    result.what = has(std::string())     ? type::text
                  : has(0.0)             ? type::float64
                  : has(std::int64_t{0}) ? type::int64
                                         : type::boolean;
    if (result.what != type::int64 && result.what != type::float64) return result;
    result.low = std::numeric_limits<extended>::infinity();
    result.high = -result.low;
    for (const parameter_value& constant : of.values) {
        const double* number = std::get_if<double>(&constant);
        const std::int64_t* integer = std::get_if<std::int64_t>(&constant);
        const extended value = number != nullptr    ? static_cast<extended>(*number)
                               : integer != nullptr ? static_cast<extended>(*integer)
                                                    : 1;
        result.low = std::min(result.low, value);
        result.high = std::max(result.high, value);
    }
    return result;
}

piece translation::constant(const python_node& node, const python_value& value) const
{
    if (const bool* truth = std::get_if<bool>(&value.value))
        return {.text = *truth ? "true" : "false", .low = *truth ? 1.0L : 0.0L, .high = *truth ? 1.0L : 0.0L};
    if (const std::string* text = std::get_if<std::string>(&value.value)) {
        if (std::any_of(text->begin(), text->end(), [](char c) { return c < ' ' || c > '~'; }))
            refuse(node, "a string with characters that are not ASCII");
        return {.text = lua_literal(*text), .what = type::text};
    }
    if (const std::int64_t* integer = std::get_if<std::int64_t>(&value.value))
        return checked(node, {.text = std::to_string(*integer),
                              .level = *integer < 0 ? unary_level : atom_level,
                              .what = type::int64,
                              .low = static_cast<extended>(*integer),
                              .high = static_cast<extended>(*integer)});
    if (const double* number = std::get_if<double>(&value.value)) {
        if (!std::isfinite(*number)) refuse(node, "a number that is not finite");
        return {.text = repr_of(value),
                .level = std::signbit(*number) ? unary_level : atom_level,
                .what = type::float64,
                .low = *number,
                .high = *number};
    }
    refuse(node, "None or a list where a number is expected");
}

piece translation::as_truth(piece of, const python_node& node) const
{
    switch (of.what) {
        case type::boolean:
            return of;
        case type::text:
            return {in(of, compare_level + 1) + " ~= ''", compare_level, type::boolean, 0, 1, of.may_fail};
        default:
            break;
    }
    static_cast<void>(node);
    return {in(of, compare_level + 1) + " ~= 0", compare_level, type::boolean, 0, 1, of.may_fail};
}

piece translation::as_number(piece of, const python_node& node) const
{
    if (of.what == type::text) refuse(node, "a string where a number is expected");
    if (of.what != type::boolean) return of;
    return {"(" + in(of, and_level) + " and 1 or 0)", atom_level, type::int64, of.low, of.high, of.may_fail};
}

piece translation::checked(const python_node& node, piece of) const
{
    if (of.what == type::int64 && !(of.low >= -max_integer && of.high <= max_integer))
        refuse(node, "a whole number that may exceed 64 bits");
    return of;
}

}  // namespace launchbox::to_lua

namespace launchbox {

std::vector<std::string> conditions_in_lua(const python_expression& condition, const python_names& names)
{
    to_lua::translation translate(condition, names);
    const python_node& root = condition.root();
    if (root.what == python_node::kind::logic && root.word == "and") {
        std::vector<std::string> conditions;
        bool alone = true;
        for (const python_node& part : root.parts) {
            const to_lua::piece one = translate.condition(part);
            alone = alone && !one.may_fail;
            conditions.push_back(to_lua::verified(one.text));
        }
        if (alone) return conditions;
    }
    return {to_lua::verified(translate.condition(root).text)};
}

std::string number_in_lua(const python_expression& number, const python_names& names)
{
    return to_lua::verified(to_lua::translation(number, names).number(number.root()).text);
}

}  // namespace launchbox
