// Regular expressions written by users.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace launchbox {

/// A regular expression, matched in time linear in the text, whatever the expression (RE2's syntax: no backreferences,
/// no lookahead or lookbehind). Text is bytes.
class pattern {
public:
    /// Throws `error`, with RE2's message, if the text is not a regular expression.
    explicit pattern(const std::string& text);
    pattern(pattern&&) noexcept;
    ~pattern();

    [[nodiscard]] int groups() const;

    /// The first group of the first match; empty if that group did not take part in it; `nullopt` without a match.
    [[nodiscard]] std::optional<std::string_view> find_first_group(std::string_view text) const;

private:
    std::unique_ptr<re2::RE2> expression_;
};

}  // namespace launchbox
