// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "support/error.hpp"

namespace launchbox {

namespace {

using kind = python_node::kind;
using list_elements = std::vector<python_value>;

constexpr std::int64_t max_steps = 1'000'000;  // nodes, elements and characters
constexpr int deepest_value = 100;

const python_sequence* sequence_in(const python_value& value)
{
    return std::get_if<python_sequence>(&value.value);
}

const std::string* text_in(const python_value& value)
{
    return std::get_if<std::string>(&value.value);
}

// True is 1.
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

std::string type_of(const python_value& value)
{
    constexpr std::array names{"None", "bool", "int", "float", "str"};
    if (const python_sequence* sequence = sequence_in(value))
        return std::array{"list", "tuple", "range"}[static_cast<std::size_t>(sequence->what)];
    return names[value.value.index()];
}

python_value listed(list_elements elements, python_sequence::kind what = python_sequence::kind::list)
{
    return {python_sequence{what, std::make_shared<const list_elements>(std::move(elements))}};
}

class evaluation {
public:
    evaluation(const python_scope& scope, const std::string& text) : scope_(scope), text_(text) {}

    python_value of(const python_node& node);

private:
    python_value name(const python_node& node) const;
    python_value unary(const python_node& node);
    python_value binary(const python_node& node, const python_value& a, const python_value& b);
    python_value whole_result(const python_node& node, std::int64_t a, std::int64_t b);
    python_value fraction_result(const python_node& node, double a, double b);
    python_value power(const python_node& node, const python_value& a, const python_value& b);
    python_value joined(const python_node& node, const python_value& a, const python_value& b);
    python_value repeated(const python_node& node, const python_value& what, std::int64_t times);
    bool compared(const python_node& node, const std::string& sign, const python_value& a, const python_value& b);
    bool equal(const python_node& node, const python_value& a, const python_value& b, int depth = 0);
    int order(const python_node& node, const python_value& a, const python_value& b, int depth = 0);
    bool contains(const python_node& node, const python_value& in, const python_value& value);
    python_value comprehension(const python_node& node);
    void run_loop(const python_node& node, std::size_t loop, list_elements& into);
    python_value element(const python_node& node);
    python_value call(const python_node& node);
    python_value range(const python_node& node, const list_elements& arguments);
    python_value extreme(const python_node& node, const list_elements& arguments);
    python_value as_whole(const python_node& node, const python_value& value);
    python_value as_fraction(const python_node& node, const python_value& value);
    python_value rounded(const python_node& node, const list_elements& arguments);

    // What a name or expression stands for where a list is wanted.
    python_value of_list(const python_node& node)
    {
        if (node.what == kind::name && local(node.word) == nullptr)
            if (const auto found = scope_.lists.find(node.word); found != scope_.lists.end()) return found->second;
        return of(node);
    }

    [[nodiscard]] const python_value* local(const std::string& name) const
    {
        for (auto item = locals_.rbegin(); item != locals_.rend(); ++item)
            if (item->first == name) return &item->second;
        return nullptr;
    }

    list_elements elements_of(const python_node& node, const python_value& value)
    {
        if (const python_sequence* sequence = sequence_in(value)) {
            work(node, sequence->elements->size());
            return *sequence->elements;
        }
        if (const std::string* text = text_in(value)) {
            work(node, text->size());
            list_elements letters(text->size());
            for (std::size_t i = 0; i < letters.size(); ++i) letters[i].value = std::string(1, (*text)[i]);
            return letters;
        }
        refuse(node, "a value of the type " + type_of(value) + " is no list");
    }

    void work(const python_node& node, std::size_t amount)
    {
        if (amount > static_cast<std::size_t>(max_steps - done_))
            refuse(node, "it needs more than 1,000,000 steps or elements");
        done_ += static_cast<std::int64_t>(amount);
    }

    [[noreturn]] void refuse(const python_node& node, const std::string& what) const
    {
        throw error(what + " (" + python_place(text_, node.column) + ")", "write it in another way");
    }

    [[noreturn]] void too_large(const python_node& node) const
    {
        refuse(node, "a whole number does not fit in 64 bits");
    }

    [[noreturn]] void wrong_types(const python_node& node, const std::string& sign, const python_value& a,
                                  const python_value& b) const
    {
        refuse(node, sign + " has no meaning for " + type_of(a) + " and " + type_of(b));
    }

    const python_scope& scope_;
    const std::string& text_;
    std::vector<std::pair<std::string, python_value>> locals_;
    std::int64_t done_ = 0;
};

python_value evaluation::of(const python_node& node)
{
    work(node, 1);
    switch (node.what) {
        case kind::constant:
            return std::visit([](const auto& literal) { return python_value{literal}; }, node.literal);
        case kind::name:
            return name(node);
        case kind::list:
        case kind::tuple: {
            list_elements elements;
            for (const python_node& part : node.parts) elements.push_back(of(part));
            return listed(std::move(elements),
                          node.what == kind::list ? python_sequence::kind::list : python_sequence::kind::tuple);
        }
        case kind::comprehension:
            return comprehension(node);
        case kind::unary:
            return unary(node);
        case kind::binary: {
            const python_value left = of(node.parts[0]);
            return binary(node, left, of(node.parts[1]));
        }
        case kind::logic: {
            python_value value;
            for (const python_node& part : node.parts) {
                value = of(part);
                if (truth_of(value) == (node.word == "or")) break;
            }
            return value;
        }
        case kind::comparison: {
            python_value left = of(node.parts[0]);
            for (std::size_t i = 0; i < node.signs.size(); ++i) {
                python_value right = of(node.parts[i + 1]);
                if (!compared(node, node.signs[i], left, right)) return {false};
                left = std::move(right);
            }
            return {true};
        }
        case kind::choice:
            return of(truth_of(of(node.parts[1])) ? node.parts[0] : node.parts[2]);
        case kind::element:
            return element(node);
        case kind::call:
            return call(node);
    }
    refuse(node, "unknown expression");
}

python_value evaluation::name(const python_node& node) const
{
    if (const python_value* value = local(node.word)) return *value;
    if (const auto found = scope_.names.find(node.word); found != scope_.names.end()) return found->second;
    refuse(node, "nothing is named " + node.word.substr(0, 80));
}

python_value evaluation::unary(const python_node& node)
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
        refuse(node, node.word + " has no meaning for a value of the type " + type_of(value));
    return {node.word == "-" ? -*number : *number};
}

python_value evaluation::binary(const python_node& node, const python_value& a, const python_value& b)
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

python_value evaluation::whole_result(const python_node& node, std::int64_t a, std::int64_t b)
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

python_value evaluation::fraction_result(const python_node& node, double a, double b)
{
    const std::string& sign = node.word;
    if (sign == "+") return {a + b};
    if (sign == "-") return {a - b};
    if (sign == "*") return {a * b};
    if (sign != "/" && sign != "//" && sign != "%") refuse(node, sign + " has no meaning for fractions");
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

python_value evaluation::power(const python_node& node, const python_value& a, const python_value& b)
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

python_value evaluation::joined(const python_node& node, const python_value& a, const python_value& b)
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
    return listed(std::move(elements), one->what);
}

python_value evaluation::repeated(const python_node& node, const python_value& what, std::int64_t times)
{
    times = std::max<std::int64_t>(times, 0);
    const python_sequence* sequence = sequence_in(what);
    if (sequence != nullptr && sequence->what == python_sequence::kind::range)
        refuse(node, "* has no meaning for a range");
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
    return listed(std::move(elements), sequence->what);
}

bool evaluation::compared(const python_node& node, const std::string& sign, const python_value& a,
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

bool evaluation::equal(const python_node& node, const python_value& a, const python_value& b, int depth)
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
    if (const std::string* one = text_in(a), *other = text_in(b); one != nullptr && other != nullptr) {
        work(node, one->size());
        return *one == *other;
    }
    if (const python_sequence* one = sequence_in(a), *other = sequence_in(b); one != nullptr && other != nullptr) {
        if (one->what != other->what || one->elements->size() != other->elements->size()) return false;
        for (std::size_t i = 0; i < one->elements->size(); ++i)
            if (!equal(node, (*one->elements)[i], (*other->elements)[i], depth + 1)) return false;
        return true;
    }
    return std::holds_alternative<std::monostate>(a.value) && std::holds_alternative<std::monostate>(b.value);
}

int evaluation::order(const python_node& node, const python_value& a, const python_value& b, int depth)
{
    work(node, 1);
    if (depth > deepest_value) refuse(node, "lists are nested too deeply");
    if (number_in(a) && number_in(b)) {
        const auto one = integer_in(a), other = integer_in(b);
        const long double x = one ? static_cast<long double>(*one) : static_cast<long double>(*number_in(a));
        const long double y = other ? static_cast<long double>(*other) : static_cast<long double>(*number_in(b));
        return x < y ? -1 : x > y ? 1 : 0;
    }
    if (const std::string* one = text_in(a), *other = text_in(b); one != nullptr && other != nullptr) {
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

bool evaluation::contains(const python_node& node, const python_value& in, const python_value& value)
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

python_value evaluation::comprehension(const python_node& node)
{
    list_elements elements;
    run_loop(node, 0, elements);
    return listed(std::move(elements));
}

void evaluation::run_loop(const python_node& node, std::size_t loop, list_elements& into)
{
    if (loop == node.loops.size()) {
        into.push_back(of(node.parts[0]));
        return;
    }
    const python_node::loop& here = node.loops[loop];
    const python_node& iterable = node.parts[here.iterable];
    for (const python_value& value : elements_of(node, of_list(iterable))) {
        work(node, 1);
        const std::size_t outside = locals_.size();
        if (here.targets.size() == 1) {
            locals_.emplace_back(here.targets[0], value);
        } else {
            const list_elements parts = elements_of(node, value);
            if (parts.size() != here.targets.size()) refuse(node, "a `for` with another number of names than values");
            for (std::size_t i = 0; i < parts.size(); ++i) locals_.emplace_back(here.targets[i], parts[i]);
        }
        if (std::all_of(here.conditions.begin(), here.conditions.end(),
                        [&](std::size_t condition) { return truth_of(of(node.parts[condition])); }))
            run_loop(node, loop + 1, into);
        locals_.resize(outside);
    }
}

python_value evaluation::element(const python_node& node)
{
    const python_value from = of_list(node.parts[0]);
    const python_value wanted = of(node.parts[1]);
    const auto at = integer_in(wanted);
    const python_sequence* sequence = sequence_in(from);
    const std::string* text = text_in(from);
    if (!at || (sequence == nullptr && text == nullptr)) wrong_types(node, "[...]", from, wanted);
    const auto size = static_cast<std::int64_t>(sequence != nullptr ? sequence->elements->size() : text->size());
    if (*at >= size || *at < -size) refuse(node, "there is no element " + std::to_string(*at));
    const auto place = static_cast<std::size_t>(*at < 0 ? *at + size : *at);
    return sequence != nullptr ? (*sequence->elements)[place] : python_value{std::string(1, (*text)[place])};
}

constexpr std::array<std::string_view, 18> functions{"range", "list",  "tuple", "max", "min", "abs",
                                                     "len",   "int",   "float", "str", "sum", "sorted",
                                                     "pow",   "round", "bool",  "any", "all", "reversed"};

bool takes_lists(const std::string& function)
{
    for (const char* letter : {"max", "min", "sum", "len", "sorted", "list", "tuple", "reversed"})
        if (function == letter) return true;
    return false;
}

python_value evaluation::call(const python_node& node)
{
    const std::string& function = node.word;
    if (std::find(functions.begin(), functions.end(), function) == functions.end())
        refuse(node, "the function " + function.substr(0, 80) + " is not supported");
    list_elements arguments;
    for (const python_node& part : node.parts)
        arguments.push_back(node.parts.size() == 1 && takes_lists(function) ? of_list(part) : of(part));
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
            return listed({}, function == "list" ? python_sequence::kind::list : python_sequence::kind::tuple);
        refuse(node, function + " takes one value here");
    }
    const python_value& value = arguments[0];
    if (function == "abs") {
        if (const auto integer = integer_in(value)) {
            if (*integer == std::numeric_limits<std::int64_t>::min()) too_large(node);
            return {*integer < 0 ? -*integer : *integer};
        }
        if (!number_in(value)) refuse(node, "abs has no meaning for a value of the type " + type_of(value));
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
        python_node plus{.what = kind::binary, .word = "+", .column = node.column};
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
    return listed(std::move(elements),
                  function == "tuple" ? python_sequence::kind::tuple : python_sequence::kind::list);
}

python_value evaluation::range(const python_node& node, const list_elements& arguments)
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
    return listed(std::move(elements), python_sequence::kind::range);
}

python_value evaluation::extreme(const python_node& node, const list_elements& arguments)
{
    if (arguments.empty()) refuse(node, node.word + " of nothing");
    const list_elements elements = arguments.size() == 1 ? elements_of(node, arguments[0]) : arguments;
    if (elements.empty()) refuse(node, node.word + " of an empty list");
    const python_value* best = &elements[0];
    for (const python_value& value : elements)
        if (compared(node, node.word == "max" ? ">" : "<", value, *best)) best = &value;
    return *best;
}

python_value evaluation::as_whole(const python_node& node, const python_value& value)
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
        refuse(node, "int of a string that is no whole number");
    }
    refuse(node, "int has no meaning for a value of the type " + type_of(value));
}

python_value evaluation::as_fraction(const python_node& node, const python_value& value)
{
    if (const auto number = number_in(value)) return {*number};
    if (const std::string* text = text_in(value)) {
        double number = 0;
        const auto [end, failure] = std::from_chars(text->data(), text->data() + text->size(), number);
        if (failure == std::errc() && end == text->data() + text->size() && std::isfinite(number)) return {number};
        refuse(node, "float of a string that is no number");
    }
    refuse(node, "float has no meaning for a value of the type " + type_of(value));
}

python_value evaluation::rounded(const python_node& node, const list_elements& arguments)
{
    if (arguments.size() != 1) refuse(node, "round takes one number here");
    if (const auto integer = integer_in(arguments[0])) return {*integer};
    const auto number = number_in(arguments[0]);
    if (!number) refuse(node, "round has no meaning for a value of the type " + type_of(arguments[0]));
    return as_whole(node, {std::nearbyint(*number)});  // halves to the even number, as Python does
}

}  // namespace

python_expression::python_expression(std::string text) : text_(std::move(text)), root_(read_python(text_)) {}

python_value python_expression::operator()(const python_scope& scope) const
{
    return value_of(root_, scope, text_);
}

python_value value_of(const python_node& node, const python_scope& scope, const std::string& text)
{
    return evaluation(scope, text).of(node);
}

bool takes_a_list(const python_node& node, const python_scope& scope)
{
    const bool place =
        (node.what == kind::call && node.parts.size() == 1 && takes_lists(node.word)) || node.what == kind::element;
    return place && node.parts[0].what == kind::name && scope.lists.contains(node.parts[0].word);
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
    return listed(std::move(elements));
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
