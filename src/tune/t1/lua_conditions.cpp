// What is true or false: and, or, not, comparisons, `in`, a choice between two values.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tune/t1/lua_translation.hpp"

namespace launchbox::to_lua {

piece translation::logic(const python_node& node)
{
    const bool is_or = node.word == "or";
    std::vector<piece> parts;
    for (const python_node& part : node.parts) parts.push_back(of(part));
    const bool truths =
        std::all_of(parts.begin(), parts.end(), [](const piece& part) { return part.what == type::boolean; });
    if (truths) {
        piece result = parts[0];
        for (std::size_t i = 1; i < parts.size(); ++i)
            result = made(result, node.word, parts[i], is_or ? or_level : and_level, type::boolean);
        return result;
    }
    // It gives an operand: `a or b` is a if a else b.
    piece result = parts.back();
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
        const piece truth = as_truth(parts[i], node.parts[i]);
        result = is_or ? either(node, truth, parts[i], result) : either(node, truth, result, parts[i]);
    }
    return result;
}

piece translation::comparison(const python_node& node)
{
    piece result;
    for (std::size_t i = 0; i < node.signs.size(); ++i) {
        const std::string& sign = node.signs[i];
        piece one;
        if (sign == "in" || sign == "not in") {
            one = contained(node, of(node.parts[i]), node.parts[i + 1]);
            if (sign == "not in") one = {"not " + in(one, unary_level), unary_level, type::boolean, 0, 1, one.may_fail};
        } else {
            one = compared(node, sign, of(node.parts[i]), of(node.parts[i + 1]));
        }
        result = i == 0 ? one : made(result, "and", one, and_level, type::boolean);
    }
    return result;
}

piece translation::compared(const python_node& node, const std::string& sign, piece a, piece b)
{
    const bool equality = sign == "==" || sign == "!=";
    if (a.what == type::text || b.what == type::text) {
        if (!equality) refuse(node, "the order of strings");
        if (a.what != b.what) return {.text = sign == "==" ? "false" : "true"};
    } else if (a.what != type::boolean || b.what != type::boolean || !equality) {
        a = as_number(a, node);
        b = as_number(b, node);
    }
    return {in(a, compare_level + 1) + " " + (sign == "!=" ? "~=" : sign) + " " + in(b, compare_level + 1),
            compare_level,
            type::boolean,
            0,
            1,
            a.may_fail || b.may_fail};
}

piece translation::contained(const python_node& node, const piece& value, const python_node& list)
{
    std::vector<piece> choices;
    std::vector<std::string> bound;
    const bool display = list.what == kind::list || list.what == kind::tuple;
    if (display && !is_constant(list, bound)) {
        for (const python_node& part : list.parts) choices.push_back(of(part));
    } else {
        if (!is_constant(list, bound)) refuse(list, "`in` something that depends on parameters");
        const python_value constant_list = value_of(list, scope_, text_);
        const python_sequence* sequence = std::get_if<python_sequence>(&constant_list.value);
        if (sequence == nullptr) refuse(list, "`in` a string");
        const std::vector<python_value>& elements = *sequence->elements;
        // range(8, 1024, 8) is no list of 127 comparisons.
        std::vector<std::int64_t> integers;
        for (const python_value& element : elements)
            if (const std::int64_t* number = std::get_if<std::int64_t>(&element.value)) integers.push_back(*number);
        const bool even = integers.size() == elements.size() && integers.size() > 6 && value.what == type::int64 &&
                          integers[0] >= 0 && integers[1] > integers[0] && integers.back() < (std::int64_t{1} << 40);
        const std::int64_t step = even ? integers[1] - integers[0] : 1;
        bool regular = even;
        for (std::size_t i = 1; regular && i < integers.size(); ++i) regular = integers[i] - integers[i - 1] == step;
        if (regular) {
            const std::string x = in(value, compare_level + 1);
            std::string text =
                x + " >= " + std::to_string(integers[0]) + " and " + x + " <= " + std::to_string(integers.back());
            if (step > 1)
                text +=
                    " and (" + value.text + ") % " + std::to_string(step) + " == " + std::to_string(integers[0] % step);
            return {text, and_level, type::boolean, 0, 1, value.may_fail};
        }
        for (const python_value& element : elements) {
            if (std::holds_alternative<std::monostate>(element.value) ||
                std::holds_alternative<python_sequence>(element.value))
                continue;  // no parameter is one
            choices.push_back(constant(list, element));
        }
    }
    if (choices.empty()) return {.text = "false"};
    piece result;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        const piece one = compared(node, "==", value, choices[i]);
        result = i == 0 ? one : made(result, "or", one, or_level, type::boolean);
    }
    return result;
}

piece translation::choice(const python_node& node)
{
    return either(node, condition(node.parts[1]), of(node.parts[0]), of(node.parts[2]));
}

// condition ? a : b. In Lua `c and a or b` is that when a is true, as numbers and strings are, 0 too.
piece translation::either(const python_node& node, const piece& condition, piece a, piece b)
{
    const bool fails = condition.may_fail || a.may_fail || b.may_fail;
    if (a.what == type::boolean && b.what == type::boolean)
        return {in(condition, and_level) + " and " + in(a, and_level + 1) + " or not " + in(condition, unary_level) +
                    " and " + in(b, and_level + 1),
                or_level,
                type::boolean,
                0,
                1,
                fails};
    if ((a.what == type::text) != (b.what == type::text)) refuse(node, "a value that may be a string or a number");
    if (a.what != type::text) {
        a = as_number(a, node);
        b = as_number(b, node);
    }
    piece result{in(condition, and_level) + " and " + in(a, and_level + 1) + " or " + in(b, and_level),
                 or_level,
                 a.what,
                 std::min(a.low, b.low),
                 std::max(a.high, b.high),
                 fails};
    if (a.what != b.what) result.what = type::float64;
    return result;
}

}  // namespace launchbox::to_lua
