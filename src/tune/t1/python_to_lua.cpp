// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_to_lua.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "support/error.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox {

namespace {

using kind = python_node::kind;
using extended = long double;  // holds both types of number as they are

// How tightly Lua's operators bind.
enum level {
    or_level = 1,
    and_level,
    compare_level,
    bit_or,
    bit_xor,
    bit_and,
    shift_level,
    sum_level = 10,
    product_level,
    unary_level,
    power_level = 14,
    atom_level = 20
};

enum class type { boolean, int64, float64, text };

// A part of the expression in Lua, and what is known of its value.
struct piece {
    std::string text;
    int level = atom_level;
    type what = type::boolean;
    extended low = 0, high = 1;  // of a number; booleans are 0 and 1 when they are used as one
    bool may_fail = false;       // a division by zero, which must not be tried where Python would not

    [[nodiscard]] bool may_be_zero() const { return low <= 0 && high >= 0; }
};

constexpr extended max_integer = 9.2e18L;
constexpr extended exact_in_float64 = 9007199254740992.0L;  // 2^53

class translation {
public:
    translation(const python_expression& source, const python_names& names) : text_(source.text()), names_(names)
    {
        scope_.names = names.constants;
        for (const auto& [name, variable] : names.variables) scope_.lists[name] = python_list_of(variable.values);
    }

    piece condition(const python_node& node) { return as_truth(of(node), node); }
    piece number(const python_node& node) { return as_number(of(node), node); }

private:
    piece of(const python_node& node);
    piece variable(const python_names::variable& of) const;
    piece constant(const python_node& node, const python_value& value) const;
    piece unary(const python_node& node);
    piece binary(const python_node& node);
    piece integer_division(const python_node& node, const piece& a, const piece& b);
    piece float_division(const piece& a, const piece& b, const std::string& sign);
    piece power(const python_node& node, const piece& a, const piece& b);
    piece bits(const python_node& node, const piece& a, const piece& b);
    piece logic(const python_node& node);
    piece comparison(const python_node& node);
    piece compared(const python_node& node, const std::string& sign, piece a, piece b);
    piece contained(const python_node& node, const piece& value, const python_node& in);
    piece choice(const python_node& node);
    piece either(const python_node& node, const piece& condition, piece a, piece b);
    piece call(const python_node& node);
    piece extreme(const std::string& function, const std::vector<const python_node*>& arguments);
    piece sum(const python_node& node, const std::vector<const python_node*>& arguments);
    piece any_or_all(const python_node& node, const std::vector<const python_node*>& arguments);
    static piece absolute(const piece& value);
    static piece to_float(const piece& value);
    piece to_integer(const python_node& node, const piece& value) const;

    piece as_truth(piece of, const python_node& node) const;
    piece as_number(piece of, const python_node& node) const;
    [[nodiscard]] bool is_constant(const python_node& node, std::vector<std::string>& bound) const;
    piece checked(const python_node& node, piece of) const;

    static std::string in(const piece& of, int level) { return of.level >= level ? of.text : "(" + of.text + ")"; }
    static piece made(const piece& a, const std::string& sign, const piece& b, int level, type what)
    {
        return {in(a, level) + " " + sign + " " + in(b, level + 1), level, what, 0, 1, a.may_fail || b.may_fail};
    }

    [[noreturn]] void refuse(const python_node& node, const std::string& what) const
    {
        throw error(what + " (" + python_place(text_, node.column) + ")");
    }

    const std::string& text_;
    const python_names& names_;
    python_scope scope_;
};

// Limits of a * b, and the like, from the corners.
template <class Function>
void from_corners(piece& result, const piece& a, const piece& b, const Function& function)
{
    result.low = std::numeric_limits<extended>::infinity();
    result.high = -result.low;
    for (const extended x : {a.low, a.high})
        for (const extended y : {b.low, b.high}) {
            const extended value = function(x, y);
            if (std::isnan(value)) {
                result.low = -std::numeric_limits<extended>::infinity();
                result.high = std::numeric_limits<extended>::infinity();
                return;
            }
            result.low = std::min(result.low, value);
            result.high = std::max(result.high, value);
        }
}

std::string lua_literal(const std::string& text)
{
    std::string result = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') result += '\\';
        result += c;
    }
    return result + "'";
}

piece translation::of(const python_node& node)
{
    std::vector<std::string> bound;
    if (node.what != kind::name || names_.constants.contains(node.word))
        if (is_constant(node, bound)) return constant(node, value_of(node, scope_, text_));
    switch (node.what) {
        case kind::name: {
            if (const auto found = names_.variables.find(node.word); found != names_.variables.end())
                return variable(found->second);
            refuse(node, "nothing is named " + node.word.substr(0, 80));
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
    refuse(node, "None or a list where a number is wanted");
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
    if (of.what == type::text) refuse(node, "a string where a number is wanted");
    if (of.what != type::boolean) return of;
    return {"(" + in(of, and_level) + " and 1 or 0)", atom_level, type::int64, of.low, of.high, of.may_fail};
}

piece translation::checked(const python_node& node, piece of) const
{
    if (of.what == type::int64 && !(of.low >= -max_integer && of.high <= max_integer))
        refuse(node, "a whole number that may leave 64 bits");
    return of;
}

piece translation::unary(const python_node& node)
{
    if (node.word == "not") {
        const piece value = condition(node.parts[0]);
        return {"not " + in(value, unary_level), unary_level, type::boolean, 0, 1, value.may_fail};
    }
    piece value = number(node.parts[0]);
    if (node.word == "+") return value;
    if (node.word == "~" && value.what != type::int64) refuse(node, "~ of a fraction");
    // `- -x`: two signs beside each other would begin a comment.
    piece result{
        node.word + in(value, unary_level + 1), unary_level, value.what, -value.high, -value.low, value.may_fail};
    if (node.word == "~") result.low -= 1, result.high -= 1;
    return checked(node, result);
}

piece translation::binary(const python_node& node)
{
    const std::string& sign = node.word;
    const piece left = of(node.parts[0]), right = of(node.parts[1]);
    if (sign == "&" || sign == "|" || sign == "^") return bits(node, left, right);
    const piece a = as_number(left, node.parts[0]), b = as_number(right, node.parts[1]);
    const type what = a.what == type::int64 && b.what == type::int64 ? type::int64 : type::float64;
    if (sign == "+" || sign == "-" || sign == "*") {
        // `a - -b` is fine, and `a --b` a comment: there is always a blank.
        piece result = made(a, sign, b, sign == "*" ? product_level : sum_level, what);
        from_corners(result, a, b, [&](extended x, extended y) {
            return sign == "+" ? x + y : sign == "-" ? x - y : x * y;
        });
        return checked(node, result);
    }
    if (sign == "<<" || sign == ">>") {
        if (what != type::int64) refuse(node, "a shift of fractions");
        if (a.low < 0 || b.low < 0 || b.high > 62) refuse(node, "a shift that may be of a negative number or too far");
        piece result = made(a, sign, b, shift_level, what);
        from_corners(result, a, b, [&](extended x, extended y) {
            return sign == "<<" ? x * std::exp2(y) : std::floor(x / std::exp2(y));
        });
        return checked(node, result);
    }
    if (sign == "**") return power(node, a, b);
    if (sign == "/" || what == type::float64) {
        for (const piece* operand : {&a, &b})
            if (operand->what == type::int64 && std::max(-operand->low, operand->high) > exact_in_float64)
                refuse(node, "a division of numbers that a fraction cannot hold");
        return float_division(a, b, sign);
    }
    return integer_division(node, a, b);
}

piece translation::integer_division(const python_node& node, const piece& a, const piece& b)
{
    piece result = made(a, node.word, b, product_level, type::int64);
    result.may_fail |= b.may_be_zero();
    if (node.word == "%") {
        result.low = b.low < 0 ? b.low + 1 : 0;
        result.high = b.high > 0 ? b.high - 1 : 0;
        if (a.low >= 0) result.high = std::min(result.high, std::max<extended>(a.high, 0));
        return result;
    }
    if (b.may_be_zero()) {
        result.high = std::max(std::fabs(a.low), std::fabs(a.high));
        result.low = -result.high;
    } else {
        from_corners(result, a, b, [](extended x, extended y) { return std::floor(x / y); });
    }
    return checked(node, result);
}

// Python raises for a division by zero, and Lua has no number for it only among whole ones: then `1 // 0` is tried.
piece translation::float_division(const piece& a, const piece& b, const std::string& sign)
{
    piece result{.text = {}, .level = product_level, .what = type::float64, .may_fail = a.may_fail || b.may_fail};
    const std::string x = in(a, product_level), y = in(b, product_level + 1);
    if (sign == "//") {
        // Not floor(a / b): 1.0 // 0.1 is 9.
        result.text = "((" + x + " - " + x + " % " + y + ") / " + y + " + 0.5) // 1";
    } else {
        result.text = x + " " + sign + " " + y;
    }
    if (b.may_be_zero()) {
        result.text = "(" + in(b, compare_level + 1) + " ~= 0 and " + result.text + " or 1 // 0)";
        result.level = atom_level;
        result.may_fail = true;
    }
    constexpr extended infinite = std::numeric_limits<extended>::infinity();
    if (sign == "%") {
        result.low = std::min<extended>(b.low, 0);
        result.high = std::max<extended>(b.high, 0);
    } else if (b.may_be_zero()) {
        result.low = -infinite;
        result.high = infinite;
    } else {
        from_corners(result, a, b, [&](extended p, extended q) { return sign == "/" ? p / q : std::floor(p / q); });
    }
    // Rounding may take it across a limit that is near.
    if (result.low > 0 && result.low < 1e-300L) result.low = 0;
    if (result.high < 0 && result.high > -1e-300L) result.high = 0;
    return result;
}

piece translation::power(const python_node& node, const piece& a, const piece& b)
{
    if (a.what != type::int64 || b.what != type::int64 || b.low < 0) {
        if (a.low < 0 || (a.may_be_zero() && b.low < 0)) refuse(node, "a power of what may be negative or zero");
        piece result{in(a, power_level + 1) + " ^ " + in(b, power_level + 1),
                     power_level,
                     type::float64,
                     0,
                     0,
                     a.may_fail || b.may_fail};
        from_corners(result, a, b, [](extended x, extended y) { return std::pow(x, y); });
        // It may be 0 by rounding, and Python raises where it is too large.
        if (!(result.high < 1e300L)) refuse(node, "a power that may be too large");
        if (result.low < 1e-300L) result.low = 0;
        return result;
    }
    piece result{.text = {}, .level = atom_level, .what = type::int64, .may_fail = a.may_fail || b.may_fail};
    const extended base = std::max(std::fabs(a.low), std::fabs(a.high));
    result.high = std::max<extended>(std::pow(base, b.high), 1);
    result.low = a.low < 0 ? -result.high : 0;
    if (a.low > 0) result.low = std::pow(a.low, b.low);
    if (a.low == 2 && a.high == 2 && b.high <= 62) {
        result.text = "1 << " + in(b, shift_level + 1);
        result.level = shift_level;
    } else if (b.low == b.high && b.low >= 1 && b.low <= 4) {
        for (int i = 0; i < static_cast<int>(b.low); ++i)
            result.text += (i == 0 ? "" : " * ") + in(a, product_level + 1);
        result.level = product_level;
    } else if (result.high <= exact_in_float64) {
        // ^ gives a fraction; `| 0` makes it a whole number again.
        result.text = in(a, power_level + 1) + " ^ " + in(b, power_level + 1) + " | 0";
        result.level = bit_or;
    } else {
        refuse(node, "a power that may be too large");
    }
    return checked(node, result);
}

piece translation::bits(const python_node& node, const piece& left, const piece& right)
{
    const std::string& sign = node.word;
    if (left.what == type::boolean && right.what == type::boolean) {
        // Both sides are tried, unlike `and`: what may fail on the right must not be hidden.
        if (right.may_fail) refuse(node, "a division that may be by zero behind " + sign);
        if (sign == "&") return made(left, "and", right, and_level, type::boolean);
        if (sign == "|") return made(left, "or", right, or_level, type::boolean);
        return compared(node, "!=", left, right);
    }
    const piece a = as_number(left, node), b = as_number(right, node);
    if (a.what != type::int64 || b.what != type::int64) refuse(node, sign + " of fractions");
    piece result = made(a, sign == "^" ? "~" : sign, b,
                        sign == "&"   ? bit_and
                        : sign == "|" ? bit_or
                                      : bit_xor,
                        type::int64);
    extended bound = 1;
    const extended size = std::max({std::fabs(a.low), std::fabs(a.high), std::fabs(b.low), std::fabs(b.high)});
    while (bound <= size) bound *= 2;
    result.high = std::min(bound - 1, max_integer);
    result.low = a.low >= 0 && b.low >= 0 ? 0 : -result.high;
    return result;
}

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
    if (std::max(-value.low, value.high) > exact_in_float64) refuse(node, "int of what may be too large");
    // // 1 rounds down, and int() towards 0; `| 0` makes an integer of it.
    const std::string x = in(value, product_level), minus = "-" + in(value, unary_level + 1);
    const std::string text =
        value.low >= 0 ? x + " // 1"
                       : "(" + in(value, compare_level + 1) + " >= 0 and " + x + " // 1 or -(" + minus + " // 1))";
    return {text + " | 0", bit_or, type::int64, std::trunc(value.low), std::trunc(value.high), value.may_fail};
}

// What we say is an expression has to be one.
std::string verified(const std::string& text)
{
    const value_expression expression(text);
    return text;
}

}  // namespace

std::vector<std::string> conditions_in_lua(const python_expression& condition, const python_names& names)
{
    translation translate(condition, names);
    const python_node& root = condition.root();
    if (root.what == kind::logic && root.word == "and") {
        std::vector<std::string> conditions;
        bool alone = true;
        for (const python_node& part : root.parts) {
            const piece one = translate.condition(part);
            alone = alone && !one.may_fail;
            conditions.push_back(verified(one.text));
        }
        if (alone) return conditions;
    }
    return {verified(translate.condition(root).text)};
}

std::string number_in_lua(const python_expression& number, const python_names& names)
{
    return verified(translation(number, names).number(number.root()).text);
}

}  // namespace launchbox
