// Python expressions over tuning parameters as expressions of our specs (value_expression.hpp), with the same meaning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "support/expression/parameter_value.hpp"
#include "tune/t1/python_expression.hpp"

namespace launchbox {

/// What the names of an expression are there, and here.
struct python_names {
    struct variable {
        std::string name;  ///< in the spec
        std::vector<parameter_value> values;
    };
    std::map<std::string, variable> variables = {};      ///< parameters, and values of workloads
    std::map<std::string, python_value> constants = {};  ///< lists too; where they have elements that are variables:
    std::map<std::string, std::vector<std::string>> elements = {};  ///< `ProblemSize[0]` is the variable of this name
};

/// As conditions that are true or false: several where the expression is `a and b` and each can be tried alone. Throws
/// `error` for what has no equal, and for what might not: whole numbers that could leave 64 bits, for instance.
std::vector<std::string> conditions_in_lua(const python_expression& condition, const python_names& names);

/// As a number.
std::string number_in_lua(const python_expression& number, const python_names& names);

}  // namespace launchbox
