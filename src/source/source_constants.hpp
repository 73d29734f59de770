// The integer constants that a file defines, in whatever branch of an #if.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/source_tokens.hpp"

namespace launchbox {

/// `#define NAME value`, `constexpr int NAME = value`, `const auto NAME = value`, `dim3 NAME(x, y)`.
struct constant_definition {
    std::string_view name;
    std::span<const source_token> value;
    bool block = false;  ///< a dim3: `value` is what is in its brackets
    int branch = -1;     ///< of the preprocessor
    int line = 0;
};

/// What is not surely one value everywhere has none: a name that is defined twice, or in a branch of an #if, or is a
/// parameter or variable elsewhere. `source` has to outlive it.
class source_constants {
public:
    explicit source_constants(const source_text& source);

    [[nodiscard]] const std::vector<constant_definition>& definitions() const { return definitions_; }

    /// The value of an expression; nullopt: not known.
    [[nodiscard]] std::optional<std::int64_t> value(std::span<const source_token> expression) const;

private:
    void read_macros(const source_text& source);
    void read_variables(const source_text& source);
    void doubt(const source_text& source);
    [[nodiscard]] const constant_definition* only(std::string_view name) const;
    [[nodiscard]] std::optional<std::int64_t> named(std::string_view name) const;

    std::vector<constant_definition> definitions_;
    std::unordered_map<std::string_view, std::size_t> place_;  // in definitions_; `many` when there are several
    mutable std::unordered_map<std::string_view, std::optional<std::int64_t>> values_;
    mutable int depth_ = 0;
};

}  // namespace launchbox
