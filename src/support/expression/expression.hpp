// Size expressions of the user, such as "4*threads" or "(threads + 31)//32 * 128", evaluated by Lua.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace launchbox {

/// An integer expression in named integers, with Lua's operators: + - * // % ^ comparisons, and, or, not; `min`, `max`
/// and `ceil_div(a, b)` are there, and nothing else. Not for use by two threads at once.
class expression {
public:
    /// Throws `error` with the place of the mistake when `text` is no expression or names something unknown.
    expression(std::string text, const std::vector<std::string>& names);
    ~expression();
    expression(expression&&) noexcept;
    expression& operator=(expression&&) noexcept;

    /// The value. Throws `error` when it is not a whole number, or takes more than a fraction of a second to compute.
    [[nodiscard]] std::int64_t operator()(const std::map<std::string, std::int64_t>& values) const;

    [[nodiscard]] const std::string& text() const { return text_; }

private:
    struct machine;
    struct evaluation;
    std::string text_;
    std::unique_ptr<machine> machine_;
};

}  // namespace launchbox
