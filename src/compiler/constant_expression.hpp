// Integer expressions in source text, as far as their values can be known from the text alone.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "compiler/source_tokens.hpp"

namespace launchbox {

struct expression_names {
    std::function<std::optional<std::int64_t>(std::string_view)> value;  ///< of a name, when known
    std::function<std::optional<bool>(std::string_view)> defined = {};   ///< `defined(name)`, in an #if
};

/// The value; nullopt when it is not known. `0 && x` is known whatever x is. Reads integers, parentheses and the
/// operators of #if without `?:`; anything else is not known.
std::optional<std::int64_t> evaluate_constant(std::span<const source_token> tokens, const expression_names& names);

}  // namespace launchbox
