// The functions that can be called.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "tune/t1/python_evaluation.hpp"

namespace launchbox {

namespace {

constexpr std::array<std::string_view, 18> functions{"range", "list",  "tuple", "max", "min", "abs",
                                                     "len",   "int",   "float", "str", "sum", "sorted",
                                                     "pow",   "round", "bool",  "any", "all", "reversed"};

}  // namespace

bool takes_python_lists(const std::string& function)
{
    for (const char* letter : {"max", "min", "sum", "len", "sorted", "list", "tuple", "reversed"})
        if (function == letter) return true;
    return false;
}

python_value python_evaluation::call(const python_node& node)
{
    const std::string& function = node.word;
    if (std::find(functions.begin(), functions.end(), function) == functions.end())
        refuse(node, "the function " + function.substr(0, 80) + " is not supported");
    list_elements arguments;
    for (const python_node& part : node.parts)
        arguments.push_back(node.parts.size() == 1 && takes_python_lists(function) ? of_list(part) : of(part));
    if (function == "range") return range(node, arguments);
    if (function == "max" || function == "min") return extreme(node, arguments);
    if (function == "round") return rounded(node, arguments);
    if (function == "pow") {
        if (arguments.size() != 2) refuse(node, "pow takes two numbers here");
        return power(node, arguments[0], arguments[1]);
    }
    if (function == "sum" && arguments.size() == 2) {
        // The second is where the sum begins.
    } else if (arguments.size() != 1) {
        if (arguments.empty() && (function == "list" || function == "tuple"))
            return python_list({}, function == "list" ? python_sequence::kind::list : python_sequence::kind::tuple);
        refuse(node, function + " takes one value here");
    }
    const python_value& value = arguments[0];
    if (function == "abs") {
        if (const auto integer = integer_in(value)) {
            if (*integer == std::numeric_limits<std::int64_t>::min()) too_large(node);
            return {*integer < 0 ? -*integer : *integer};
        }
        if (!number_in(value)) refuse(node, "abs does not apply to a value of the type " + python_type_of(value));
        return {std::fabs(*number_in(value))};
    }
    if (function == "int") return as_whole(node, value);
    if (function == "float") return as_fraction(node, value);
    if (function == "bool") return {truth_of(value)};
    if (function == "str") {
        if (const std::string* text = text_in(value)) return {*text};
        if (sequence_in(value) != nullptr) refuse(node, "str of a list is not supported");
        return {repr_of(value)};
    }
    list_elements elements = elements_of(node, value);
    if (function == "len") return {static_cast<std::int64_t>(elements.size())};
    if (function == "any")
        return {std::any_of(elements.begin(), elements.end(), [](const auto& element) { return truth_of(element); })};
    if (function == "all")
        return {std::all_of(elements.begin(), elements.end(), [](const auto& element) { return truth_of(element); })};
    if (function == "sum") {
        python_value total = arguments.size() == 2 ? arguments[1] : python_value{std::int64_t{0}};
        python_node plus{.what = python_node::kind::binary, .word = "+", .column = node.column};
        for (const python_value& element : elements) {
            if (text_in(total) != nullptr) refuse(node, "sum of strings is not supported");
            total = binary(plus, total, element);
        }
        return total;
    }
    if (function == "sorted")
        std::stable_sort(elements.begin(), elements.end(),
                         [&](const python_value& a, const python_value& b) { return order(node, a, b) < 0; });
    if (function == "reversed") std::reverse(elements.begin(), elements.end());
    return python_list(std::move(elements),
                       function == "tuple" ? python_sequence::kind::tuple : python_sequence::kind::list);
}

python_value python_evaluation::range(const python_node& node, const list_elements& arguments)
{
    std::array<std::int64_t, 3> bounds{0, 0, 1};
    if (arguments.empty() || arguments.size() > 3) refuse(node, "range takes one, two or three numbers");
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const auto number = integer_in(arguments[i]);
        if (!number) refuse(node, "range takes whole numbers");
        bounds[arguments.size() == 1 ? 1 : i] = *number;
    }
    const auto [from, to, step] = bounds;
    if (step == 0) refuse(node, "range with a step of 0");
    __extension__ using int128 = __int128;
    const int128 distance = step > 0 ? static_cast<int128>(to) - from : static_cast<int128>(from) - to;
    const int128 stride = step > 0 ? static_cast<int128>(step) : -static_cast<int128>(step);
    const int128 count = distance <= 0 ? 0 : (distance + stride - 1) / stride;
    work(node, count > max_steps ? static_cast<std::size_t>(max_steps) + 1 : static_cast<std::size_t>(count));
    list_elements elements(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < elements.size(); ++i)
        elements[i].value = static_cast<std::int64_t>(from + static_cast<int128>(i) * step);
    return python_list(std::move(elements), python_sequence::kind::range);
}

python_value python_evaluation::extreme(const python_node& node, const list_elements& arguments)
{
    if (arguments.empty()) refuse(node, node.word + " of nothing");
    const list_elements elements = arguments.size() == 1 ? elements_of(node, arguments[0]) : arguments;
    if (elements.empty()) refuse(node, node.word + " of an empty list");
    const python_value* best = &elements[0];
    for (const python_value& value : elements)
        if (compared(node, node.word == "max" ? ">" : "<", value, *best)) best = &value;
    return *best;
}

python_value python_evaluation::as_whole(const python_node& node, const python_value& value)
{
    if (const auto integer = integer_in(value)) return {*integer};
    if (const double* number = std::get_if<double>(&value.value)) {
        constexpr double limit = 9223372036854775808.0;
        const double integer = std::trunc(*number);
        if (!(integer >= -limit && integer < limit)) too_large(node);
        return {static_cast<std::int64_t>(integer)};
    }
    if (const std::string* text = text_in(value)) {
        std::int64_t integer = 0;
        const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), integer);
        if (failure == std::errc() && end == text->data() + text->size()) return {integer};
        refuse(node, "int of a string that is not a whole number");
    }
    refuse(node, "int does not apply to a value of the type " + python_type_of(value));
}

python_value python_evaluation::as_fraction(const python_node& node, const python_value& value)
{
    if (const auto number = number_in(value)) return {*number};
    if (const std::string* text = text_in(value)) {
        double number = 0;
        const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
        if (failure == std::errc() && end == text->data() + text->size() && std::isfinite(number)) return {number};
        refuse(node, "float of a string that is not a number");
    }
    refuse(node, "float does not apply to a value of the type " + python_type_of(value));
}

python_value python_evaluation::rounded(const python_node& node, const list_elements& arguments)
{
    if (arguments.size() != 1) refuse(node, "round takes one number here");
    if (const auto integer = integer_in(arguments[0])) return {*integer};
    const auto number = number_in(arguments[0]);
    if (!number) refuse(node, "round does not apply to a value of the type " + python_type_of(arguments[0]));
    return as_whole(node, {std::nearbyint(*number)});  // halves to the even number, as Python does
}

}  // namespace launchbox
