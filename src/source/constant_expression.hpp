// Integer expressions in source text, as far as their values can be known from the text alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "source/source_tokens.hpp"

namespace launchbox {

using token_span = std::span<const source_token>;

/// What an expression refers to. If a function is missing, what it would answer is unknown.
struct expression_names {
    /// A name with all that belongs to it: `T`, `cfg::T`, `tile<16>::size`, `block.x`, `set[0].val.x`.
    std::function<std::optional<std::int64_t>(token_span name)> value;
    /// `defined(name)`, in an #if.
    std::function<std::optional<bool>(std::string_view)> defined = {};
    /// A function's value. Casts to integers, `min` and `max` are known without it.
    std::function<std::optional<std::int64_t>(token_span name, const std::vector<token_span>& arguments)> call = {};
    /// What follows `sizeof`, without brackets: a type or an expression.
    std::function<std::optional<std::int64_t>(token_span)> size_of = {};
};

/// The value; nullopt if unknown, as is anything but an integer. `0 && x` is known whatever x is.
std::optional<std::int64_t> evaluate_constant(token_span tokens, const expression_names& names);

/// The type that these words name: "unsigned int", "std::size_t". Of others, such as float and classes, nothing.
struct integer_type {
    int bytes = 0;
    bool is_signed = true;

    /// The value itself, where the type holds it; else nullopt.
    [[nodiscard]] std::optional<std::int64_t> holds(std::optional<std::int64_t> value) const;
};
std::optional<integer_type> integer_type_named(token_span words);

/// The words of a type without const, static and the like, which change no value.
std::vector<source_token> without_qualifiers(token_span words);

/// Where what is between `open` and its bracket ends: the place of the closing one. `tokens.size()`: nowhere. Of `<`
/// only where it can be a list of template arguments.
std::size_t closing_bracket(token_span tokens, std::size_t open);

/// The parts between commas outside of all brackets; empty if there are no tokens. In `types`, such as the parameters
/// of a template, every `<` after a name is a bracket; elsewhere it may be a comparison.
std::vector<token_span> split_at_commas(token_span tokens, bool types = false);

}  // namespace launchbox
