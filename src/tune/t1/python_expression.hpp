// Python expressions of other tuners' files, evaluated: lists of values, sizes, conditions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>

#include "tune/t1/python_syntax.hpp"
#include "tune/t1/python_value.hpp"

namespace launchbox {

/// What names stand for.
struct python_scope {
    std::map<std::string, python_value> names = {};
    /// A name alone in max(), min(), sum(), len(), sorted(), list(), or before [...], stands for this: tuners take a
    /// parameter there for the list of its values.
    std::map<std::string, python_value> lists = {};
};

/// Python's meaning: // rounds down, % has the sign of the divisor, / gives a fraction, True is 1, `and` and `or` give
/// an operand. What is other: whole numbers of more than 64 bits are an error, and so is more work than any file needs.
class python_expression {
public:
    /// Throws `error` as `read_python` does.
    explicit python_expression(std::string text);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const python_node& root() const { return root_; }

    /// Throws `error` where Python would raise, and for too much work.
    [[nodiscard]] python_value operator()(const python_scope& scope = {}) const;

private:
    std::string text_;
    python_node root_;
};

/// The value of a part of an expression; the same errors.
python_value value_of(const python_node& node, const python_scope& scope, const std::string& text);

/// Whether `node` is a call or a [...] in which a name alone stands for its list in `scope.lists`.
bool takes_a_list(const python_node& node, const python_scope& scope);

}  // namespace launchbox
