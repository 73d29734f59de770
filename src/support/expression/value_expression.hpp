// User expressions over named values of any type, such as `precision == "half" and threads <= sm.max_threads`.
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

/// Dotted names, such as "sm.max_threads", in addition to those of an `assignment`.
using named_constants = std::map<std::string, parameter_value>;

/// An error in an expression or its value; `text()` is the whole expression, for callers that know its place.
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

/// Lua's operators (+ - * / // % ^ & | ~ << >> == ~= < <= > >= and or not) on whole numbers, fractions, quoted words
/// and true and false; `min`, `max` and `ceil_div(a, b)`; names, which may be dotted; brackets. Nothing else, so that
/// it can neither run for long nor need much memory. Not thread-safe.
class value_expression {
public:
    /// Throws `expression_error` if `text` is not an expression. Names are looked up when it is evaluated.
    explicit value_expression(std::string text);
    ~value_expression();
    value_expression(value_expression&&) noexcept;
    value_expression& operator=(value_expression&&) noexcept;

    /// The distinct names that it uses.
    [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The value. Throws `expression_error` for a name that neither has, and for operations that are not defined, such
    /// as "a" < 1.
    [[nodiscard]] parameter_value operator()(const assignment& values, const named_constants& constants = {}) const;

    /// The same if only this type makes sense; throws `expression_error` for another. 8.0 is a whole number.
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
