// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_value.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace launchbox {

const python_sequence* sequence_in(const python_value& value)
{
    return std::get_if<python_sequence>(&value.value);
}

const std::string* text_in(const python_value& value)
{
    return std::get_if<std::string>(&value.value);
}

std::optional<std::int64_t> integer_in(const python_value& value)
{
    if (const bool* truth = std::get_if<bool>(&value.value)) return *truth ? 1 : 0;
    if (const std::int64_t* number = std::get_if<std::int64_t>(&value.value)) return *number;
    return std::nullopt;
}

std::optional<double> number_in(const python_value& value)
{
    if (const double* number = std::get_if<double>(&value.value)) return *number;
    if (const auto integer = integer_in(value)) return static_cast<double>(*integer);
    return std::nullopt;
}

std::string python_type_of(const python_value& value)
{
    constexpr std::array names{"None", "bool", "int", "float", "str"};
    if (const python_sequence* sequence = sequence_in(value))
        return std::array{"list", "tuple", "range"}[static_cast<std::size_t>(sequence->what)];
    return names[value.value.index()];
}

python_value python_list(list_elements elements, python_sequence::kind what)
{
    return {python_sequence{what, std::make_shared<const list_elements>(std::move(elements))}};
}

python_value python_of(const parameter_value& value)
{
    return std::visit([](const auto& item) { return python_value{item}; }, value);
}

python_value python_list_of(const std::vector<parameter_value>& values)
{
    list_elements elements(values.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        std::visit([&](const auto& item) { elements[i].value = item; }, values[i]);
    return python_list(std::move(elements));
}

bool truth_of(const python_value& value)
{
    if (const auto number = number_in(value)) return *number != 0;
    if (const std::string* text = text_in(value)) return !text->empty();
    if (const python_sequence* sequence = sequence_in(value)) return !sequence->elements->empty();
    return false;
}

std::string repr_of(const python_value& value)
{
    if (const bool* truth = std::get_if<bool>(&value.value)) return *truth ? "True" : "False";
    if (const std::int64_t* integer = std::get_if<std::int64_t>(&value.value)) return std::to_string(*integer);
    if (const std::string* text = text_in(value)) return "'" + *text + "'";
    if (const python_sequence* sequence = sequence_in(value)) {
        std::string list;
        for (const python_value& element : *sequence->elements) list += (list.empty() ? "" : ", ") + repr_of(element);
        return sequence->what == python_sequence::kind::tuple
                   ? "(" + list + (sequence->elements->size() == 1 ? ",)" : ")")
                   : "[" + list + "]";
    }
    const double* number = std::get_if<double>(&value.value);
    if (number == nullptr) return "None";
    if (std::isnan(*number)) return "nan";
    if (std::isinf(*number)) return *number > 0 ? "inf" : "-inf";
    // The shortest text that reads back; with an exponent only where Python has one.
    const double size = std::fabs(*number);
    const bool plain = size == 0 || (size >= 1e-4 && size < 1e16);
    std::array<char, 64> text{};
    const auto end = std::to_chars(text.data(), text.data() + text.size(), *number,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    std::string result(text.data(), end.ptr);
    if (plain && result.find('.') == std::string::npos) result += ".0";
    return result;
}

}  // namespace launchbox
