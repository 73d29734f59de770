// Arithmetic and bits.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "tune/t1/lua_translation.hpp"

namespace launchbox::to_lua {

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
        if (a.low < 0 || (a.may_be_zero() && b.low < 0))
            refuse(node, "a power of a value that may be negative or zero");
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
        if (right.may_fail) refuse(node, "a division that may be by zero after " + sign);
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

}  // namespace launchbox::to_lua
