// Expressions of the user over named values of any type, such as `precision == "half" and threads <= sm.max_threads`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "support/error.hpp"
#include "support/expression/parameter_value.hpp"

namespace launchbox {

/// Names with dots, such as "sm.max_threads", beside those of an `assignment`.
using named_constants = std::map<std::string, parameter_value>;

/// An error in an expression, or in its value; `text()`: the whole expression, for callers that know its place.
class expression_error : public error {
public:
    expression_error(std::string text, const std::string& what, std::string hint)
        : error(what, std::move(hint)), text_(std::move(text))
    {
    }

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    std::string text_;
};

/// Lua's operators (+ - * / // % ^ & | ~ << >> == ~= < <= > >= and or not) on whole numbers, fractions, words in quotes
/// and true and false; `min`, `max` and `ceil_div(a, b)`; names, also dotted; brackets. Nothing else: there is nothing
/// in it that can run for long or need memory. Not for use by two threads at once.
class value_expression {
public:
    /// Throws `expression_error` if `text` is not an expression. Names are looked up when it is evaluated.
    explicit value_expression(std::string text);
    ~value_expression();
    value_expression(value_expression&&) noexcept;
    value_expression& operator=(value_expression&&) noexcept;

    /// The names that it uses, each once.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The value. Throws `expression_error` for a name that neither has, and for what cannot be calculated, such as "a"
    /// < 1.
    [[nodiscard]] parameter_value operator()(const assignment& values, const named_constants& constants = {}) const;

    /// The same where only this type makes sense; throws `expression_error` for another. 8.0 is a whole number.
    [[nodiscard]] bool truth(const assignment& values, const named_constants& constants = {}) const;
    [[nodiscard]] std::int64_t integer(const assignment& values, const named_constants& constants = {}) const;

private:
    struct machine;
    struct evaluation;
    std::string text_;
    std::vector<std::string> names_;
    std::unique_ptr<machine> machine_;
};

}  // namespace launchbox
