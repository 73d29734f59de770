// Evaluates integer expressions in source text, as far as the text alone tells.
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

/// What an expression refers to. If a function is missing, its answer counts as unknown.
struct expression_names {
    /// A name with its qualifiers and members: `T`, `cfg::T`, `tile<16>::size`, `block.x`, `set[0].val.x`.
    std::function<std::optional<std::int64_t>(token_span name)> value;
    /// `defined(name)`, in an #if.
    std::function<std::optional<bool>(std::string_view)> defined = {};
    /// A function's value. Casts to integers, `min` and `max` are known without it.
    std::function<std::optional<std::int64_t>(token_span name, const std::vector<token_span>& arguments)> call = {};
    /// The operand of `sizeof` without brackets: a type or an expression.
    std::function<std::optional<std::int64_t>(token_span)> size_of = {};
};

/// The value; `nullopt` if unknown, or not an integer. `0 && x` is known whatever x is.
std::optional<std::int64_t> evaluate_constant(token_span tokens, const expression_names& names);

/// The type that these words name: "unsigned int", "std::size_t". Nothing for others, such as float and classes.
struct integer_type {
    int bytes = 0;
    bool is_signed = true;

    /// The value if the type can represent it; else `nullopt`.
    [[nodiscard]] std::optional<std::int64_t> holds(std::optional<std::int64_t> value) const;
};
std::optional<integer_type> integer_type_named(token_span words);

/// The words of a type without const, static and others that do not change a value.
std::vector<source_token> without_qualifiers(token_span words);

/// The position of the bracket that closes the one at `open`; `tokens.size()` if there is none. `<` counts only if it
/// can begin template arguments.
std::size_t closing_bracket(token_span tokens, std::size_t open);

/// The parts between commas outside of all brackets; empty if there are no tokens. With `types`, as for template
/// parameters, every `<` after a name is a bracket; otherwise it may be a comparison.
std::vector<token_span> split_at_commas(token_span tokens, bool types = false);

}  // namespace launchbox
