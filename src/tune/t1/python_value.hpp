// Values of Python expressions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "support/expression/parameter_value.hpp"

namespace launchbox {

struct python_value;

struct python_sequence {
    enum class kind { list, tuple, range };
    kind what = kind::list;
    std::shared_ptr<const std::vector<python_value>> elements = {};  ///< never null in a value
};

struct python_value {
    std::variant<std::monostate, bool, std::int64_t, double, std::string, python_sequence> value = {};
};

using list_elements = std::vector<python_value>;

python_value python_list(list_elements elements, python_sequence::kind what = python_sequence::kind::list);
python_value python_of(const parameter_value& value);
python_value python_list_of(const std::vector<parameter_value>& values);

/// bool() and repr() of Python.
bool truth_of(const python_value& value);
std::string repr_of(const python_value& value);

/// What a value holds, or null.
const python_sequence* sequence_in(const python_value& value);
const std::string* text_in(const python_value& value);

/// The value as a number; True is 1.
std::optional<std::int64_t> integer_in(const python_value& value);
std::optional<double> number_in(const python_value& value);

/// "int", "tuple": as Python says it.
std::string python_type_of(const python_value& value);

}  // namespace launchbox
