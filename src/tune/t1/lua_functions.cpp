// Functions that are called.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "tune/t1/lua_translation.hpp"

namespace launchbox::to_lua {

piece translation::call(const python_node& node)
{
    const std::string& function = node.word;
    // max([a, b]), sum((a, b)), any([a, b]).
    std::vector<const python_node*> arguments;
    const bool display =
        node.parts.size() == 1 && (node.parts[0].what == kind::list || node.parts[0].what == kind::tuple);
    for (const python_node& part : display ? node.parts[0].parts : node.parts) arguments.push_back(&part);
    if ((function == "max" || function == "min") && arguments.size() >= 2) return extreme(function, arguments);
    if (display && !arguments.empty()) {
        if (function == "sum") return sum(node, arguments);
        if (function == "any" || function == "all") return any_or_all(node, arguments);
    }
    if (function == "pow" && node.parts.size() == 2) return power(node, number(node.parts[0]), number(node.parts[1]));
    if (node.parts.size() == 1 && !display) {
        if (function == "bool") return condition(node.parts[0]);
        if (function == "abs") return absolute(number(node.parts[0]));
        if (function == "float") return to_float(number(node.parts[0]));
        if (function == "int" || function == "round") return to_integer(node, number(node.parts[0]));
    }
    refuse(node, function.substr(0, 80) + " of parameters");
}

piece translation::extreme(const std::string& function, const std::vector<const python_node*>& arguments)
{
    const bool less = function == "min";
    piece result{.text = function + "(", .level = atom_level, .what = type::int64};
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const piece argument = number(*arguments[i]);
        result.low = i == 0 ? argument.low
                     : less ? std::min(result.low, argument.low)
                            : std::max(result.low, argument.low);
        result.high = i == 0 ? argument.high
                      : less ? std::min(result.high, argument.high)
                             : std::max(result.high, argument.high);
        if (argument.what == type::float64) result.what = type::float64;
        result.may_fail |= argument.may_fail;
        result.text += (i == 0 ? "" : ", ") + argument.text;
    }
    result.text += ")";
    return result;
}

piece translation::sum(const python_node& node, const std::vector<const python_node*>& arguments)
{
    piece result = checked(node, number(*arguments.front()));
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const piece argument = number(*arguments[i]);
        const bool integers = result.what == type::int64 && argument.what == type::int64;
        piece total = made(result, "+", argument, sum_level, integers ? type::int64 : type::float64);
        from_corners(total, result, argument, [](extended x, extended y) { return x + y; });
        result = checked(node, total);
    }
    return result;
}

piece translation::any_or_all(const python_node& node, const std::vector<const python_node*>& arguments)
{
    const bool any = node.word == "any";
    piece result = condition(*arguments.front());
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const piece argument = condition(*arguments[i]);
        if (argument.may_fail) refuse(node, "a division that may be by zero in " + node.word);
        result = made(result, any ? "or" : "and", argument, any ? or_level : and_level, type::boolean);
    }
    return result;
}

piece translation::absolute(const piece& value)
{
    if (value.low >= 0) return value;
    const extended bound = std::max(-value.low, std::fabs(value.high));
    return {"max(" + value.text + ", -" + in(value, unary_level + 1) + ")",
            atom_level,
            value.what,
            value.may_be_zero() ? 0 : std::min(std::fabs(value.low), std::fabs(value.high)),
            bound,
            value.may_fail};
}

piece translation::to_float(const piece& value)
{
    if (value.what == type::float64) return value;
    return {in(value, sum_level) + " + 0.0", sum_level, type::float64, value.low, value.high, value.may_fail};
}

// int() and round().
piece translation::to_integer(const python_node& node, const piece& value) const
{
    if (value.what == type::int64) return value;
    if (node.word == "round") refuse(node, "round of a fraction");
    if (std::max(-value.low, value.high) > exact_in_float64) refuse(node, "int of a value that may be too large");
    // // 1 rounds down, and int() towards 0; `| 0` makes an integer of it.
    const std::string x = in(value, product_level), minus = "-" + in(value, unary_level + 1);
    const std::string text =
        value.low >= 0 ? x + " // 1"
                       : "(" + in(value, compare_level + 1) + " >= 0 and " + x + " // 1 or -(" + minus + " // 1))";
    return {text + " | 0", bit_or, type::int64, std::trunc(value.low), std::trunc(value.high), value.may_fail};
}

}  // namespace launchbox::to_lua
