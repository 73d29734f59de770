// Operators and comparisons.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "tune/t1/python_evaluation.hpp"

namespace launchbox {

namespace {

constexpr int deepest_value = 100;

}  // namespace

python_value python_evaluation::unary(const python_node& node)
{
    const python_value value = of(node.parts[0]);
    if (node.word == "not") return {!truth_of(value)};
    const auto integer = integer_in(value);
    if (integer) {
        if (node.word == "+") return {*integer};
        if (node.word == "~") return {~*integer};
        if (*integer == std::numeric_limits<std::int64_t>::min()) too_large(node);
        return {-*integer};
    }
    const double* number = std::get_if<double>(&value.value);
    if (number == nullptr || node.word == "~")
        refuse(node, node.word + " does not apply to a value of the type " + python_type_of(value));
    return {node.word == "-" ? -*number : *number};
}

python_value python_evaluation::binary(const python_node& node, const python_value& a, const python_value& b)
{
    const auto whole_a = integer_in(a), whole_b = integer_in(b);
    if (node.word == "+" && (sequence_in(a) != nullptr || text_in(a) != nullptr)) return joined(node, a, b);
    if (node.word == "*") {
        if ((sequence_in(a) != nullptr || text_in(a) != nullptr) && whole_b) return repeated(node, a, *whole_b);
        if ((sequence_in(b) != nullptr || text_in(b) != nullptr) && whole_a) return repeated(node, b, *whole_a);
    }
    if (node.word == "**") return power(node, a, b);
    if (whole_a && whole_b) {
        const bool truths = std::holds_alternative<bool>(a.value) && std::holds_alternative<bool>(b.value);
        python_value result = whole_result(node, *whole_a, *whole_b);
        if (truths && (node.word == "&" || node.word == "|" || node.word == "^")) return {integer_in(result) != 0};
        return result;
    }
    const auto number_a = number_in(a), number_b = number_in(b);
    if (!number_a || !number_b) wrong_types(node, node.word, a, b);
    return fraction_result(node, *number_a, *number_b);
}

python_value python_evaluation::whole_result(const python_node& node, std::int64_t a, std::int64_t b)
{
    constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
    const std::string& sign = node.word;
    std::int64_t result = 0;
    bool overflow = false;
    if (sign == "+") overflow = __builtin_add_overflow(a, b, &result);
    if (sign == "-") overflow = __builtin_sub_overflow(a, b, &result);
    if (sign == "*") overflow = __builtin_mul_overflow(a, b, &result);
    if (sign == "&") result = a & b;
    if (sign == "|") result = a | b;
    if (sign == "^") result = a ^ b;
    if (sign == "<<" || sign == ">>") {
        if (b < 0) refuse(node, "a shift by a negative number");
        if (sign == ">>") return {a >> std::min<std::int64_t>(b, 63)};
        if (a == 0) return {std::int64_t{0}};
        overflow = b > 62 || __builtin_mul_overflow(a, std::int64_t{1} << b, &result);
    }
    if (sign == "/" || sign == "//" || sign == "%") {
        if (b == 0) refuse(node, "a division by zero");
        if (sign == "/") return {static_cast<double>(static_cast<long double>(a) / static_cast<long double>(b))};
        if (b == -1) {
            if (sign == "%") return {std::int64_t{0}};
            if (a == smallest) too_large(node);
            return {-a};
        }
        const bool below = a % b != 0 && (a % b < 0) != (b < 0);
        result = sign == "//" ? a / b - (below ? 1 : 0) : a % b + (below ? b : 0);
    }
    if (overflow) too_large(node);
    return {result};
}

python_value python_evaluation::fraction_result(const python_node& node, double a, double b)
{
    const std::string& sign = node.word;
    if (sign == "+") return {a + b};
    if (sign == "-") return {a - b};
    if (sign == "*") return {a * b};
    if (sign != "/" && sign != "//" && sign != "%") refuse(node, sign + " does not apply to fractions");
    if (b == 0) refuse(node, "a division by zero");
    if (sign == "/") return {a / b};
    // As Python does it: a // b may differ from floor(a / b).
    double rest = std::fmod(a, b);
    double quotient = (a - rest) / b;
    if (rest != 0) {
        if ((b < 0) != (rest < 0)) {
            rest += b;
            quotient -= 1;
        }
    } else {
        rest = std::copysign(0.0, b);
    }
    if (sign == "%") return {rest};
    if (quotient == 0) return {std::copysign(0.0, a / b)};
    double integer = std::floor(quotient);
    if (quotient - integer > 0.5) integer += 1;
    return {integer};
}

python_value python_evaluation::power(const python_node& node, const python_value& a, const python_value& b)
{
    const auto base = integer_in(a), exponent = integer_in(b);
    if (base && exponent && *exponent >= 0) {
        if (*base == 0 || *base == 1) return {*exponent == 0 ? std::int64_t{1} : *base};
        if (*base == -1) return {std::int64_t{*exponent % 2 == 0 ? 1 : -1}};
        if (*exponent > 63) too_large(node);
        std::int64_t result = 1;
        for (std::int64_t i = 0; i < *exponent; ++i)
            if (__builtin_mul_overflow(result, *base, &result)) too_large(node);
        return {result};
    }
    const auto of = number_in(a), to = number_in(b);
    if (!of || !to) wrong_types(node, "**", a, b);
    if (*of == 0 && *to < 0) refuse(node, "a division by zero");
    if (*of < 0 && *to != std::floor(*to)) refuse(node, "complex numbers are not supported");
    const double result = std::pow(*of, *to);
    if (std::isinf(result) && std::isfinite(*of) && std::isfinite(*to)) refuse(node, "a fraction is too large");
    return {result};
}

python_value python_evaluation::joined(const python_node& node, const python_value& a, const python_value& b)
{
    if (const std::string* text = text_in(a)) {
        const std::string* more = text_in(b);
        if (more == nullptr) wrong_types(node, "+", a, b);
        work(node, text->size() + more->size());
        return {*text + *more};
    }
    const python_sequence *one = sequence_in(a), *other = sequence_in(b);
    if (other == nullptr || one->what != other->what || one->what == python_sequence::kind::range)
        wrong_types(node, "+", a, b);
    work(node, one->elements->size() + other->elements->size());
    list_elements elements = *one->elements;
    elements.insert(elements.end(), other->elements->begin(), other->elements->end());
    return python_list(std::move(elements), one->what);
}

python_value python_evaluation::repeated(const python_node& node, const python_value& what, std::int64_t times)
{
    times = std::max<std::int64_t>(times, 0);
    const python_sequence* sequence = sequence_in(what);
    if (sequence != nullptr && sequence->what == python_sequence::kind::range)
        refuse(node, "* does not apply to a range");
    const std::size_t size = sequence != nullptr ? sequence->elements->size() : text_in(what)->size();
    if (size > 0 && times > max_steps / static_cast<std::int64_t>(size))
        work(node, static_cast<std::size_t>(max_steps) + 1);
    work(node, size * static_cast<std::size_t>(times));
    if (sequence == nullptr) {
        std::string text;
        for (std::int64_t i = 0; size > 0 && i < times; ++i) text += *text_in(what);
        return {text};
    }
    list_elements elements;
    for (std::int64_t i = 0; size > 0 && i < times; ++i)
        elements.insert(elements.end(), sequence->elements->begin(), sequence->elements->end());
    return python_list(std::move(elements), sequence->what);
}

bool python_evaluation::compared(const python_node& node, const std::string& sign, const python_value& a,
                                 const python_value& b)
{
    if (sign == "in") return contains(node, b, a);
    if (sign == "not in") return !contains(node, b, a);
    if (sign == "==") return equal(node, a, b);
    if (sign == "!=") return !equal(node, a, b);
    if ((number_in(a) && std::isnan(*number_in(a))) || (number_in(b) && std::isnan(*number_in(b)))) return false;
    const int result = order(node, a, b);
    if (sign == "<") return result < 0;
    if (sign == "<=") return result <= 0;
    if (sign == ">") return result > 0;
    return result >= 0;
}

bool python_evaluation::equal(const python_node& node, const python_value& a, const python_value& b, int depth)
{
    work(node, 1);
    if (depth > deepest_value) refuse(node, "lists are nested too deeply");
    // `long double` holds both types of number as they are.
    if (const auto one = number_in(a), other = number_in(b); one && other) {
        const auto exact = [](const python_value& value) {
            const auto integer = integer_in(value);
            return integer ? static_cast<long double>(*integer) : static_cast<long double>(*number_in(value));
        };
        return exact(a) == exact(b);
    }
    if (const std::string *one = text_in(a), *other = text_in(b); one != nullptr && other != nullptr) {
        work(node, one->size());
        return *one == *other;
    }
    if (const python_sequence *one = sequence_in(a), *other = sequence_in(b); one != nullptr && other != nullptr) {
        if (one->what != other->what || one->elements->size() != other->elements->size()) return false;
        for (std::size_t i = 0; i < one->elements->size(); ++i)
            if (!equal(node, (*one->elements)[i], (*other->elements)[i], depth + 1)) return false;
        return true;
    }
    return std::holds_alternative<std::monostate>(a.value) && std::holds_alternative<std::monostate>(b.value);
}

int python_evaluation::order(const python_node& node, const python_value& a, const python_value& b, int depth)
{
    work(node, 1);
    if (depth > deepest_value) refuse(node, "lists are nested too deeply");
    if (number_in(a) && number_in(b)) {
        const auto one = integer_in(a), other = integer_in(b);
        const long double x = one ? static_cast<long double>(*one) : static_cast<long double>(*number_in(a));
        const long double y = other ? static_cast<long double>(*other) : static_cast<long double>(*number_in(b));
        return x < y ? -1 : x > y ? 1 : 0;
    }
    if (const std::string *one = text_in(a), *other = text_in(b); one != nullptr && other != nullptr) {
        work(node, std::min(one->size(), other->size()));
        return one->compare(*other);
    }
    const python_sequence *one = sequence_in(a), *other = sequence_in(b);
    if (one == nullptr || other == nullptr || one->what != other->what || one->what == python_sequence::kind::range)
        wrong_types(node, "a comparison", a, b);
    for (std::size_t i = 0; i < std::min(one->elements->size(), other->elements->size()); ++i)
        if (!equal(node, (*one->elements)[i], (*other->elements)[i], depth + 1))
            return order(node, (*one->elements)[i], (*other->elements)[i], depth + 1);
    return one->elements->size() < other->elements->size() ? -1 : one->elements->size() > other->elements->size();
}

bool python_evaluation::contains(const python_node& node, const python_value& in, const python_value& value)
{
    if (const std::string* text = text_in(in)) {
        const std::string* part = text_in(value);
        if (part == nullptr) wrong_types(node, "in", value, in);
        work(node, text->size() + part->size());
        return text->find(*part) != std::string::npos;
    }
    const python_sequence* sequence = sequence_in(in);
    if (sequence == nullptr) wrong_types(node, "in", value, in);
    return std::any_of(sequence->elements->begin(), sequence->elements->end(),
                       [&](const python_value& element) { return equal(node, value, element); });
}

}  // namespace launchbox
