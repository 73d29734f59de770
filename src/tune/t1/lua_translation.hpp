// The translation of one Python expression to Lua: each part with its text and what is known of its value.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "support/error.hpp"
#include "tune/t1/python_to_lua.hpp"

namespace launchbox::to_lua {

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

}  // namespace launchbox::to_lua
