// Expressions of a source's host code as a spec writes them: "(n + 255) / 256" is "ceil_div(n, 256)".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "advice/lint/source_view.hpp"

namespace launchbox {

/// Words with the token that they are seen from.
struct placed_words {
    token_span words;
    std::size_t at = 0;
};

/// x, y and z of an extent; without words: 1, or not known.
struct extent_words {
    std::array<placed_words, 3> parts;
    bool is_known = false;
};

/// "BLOCKSIZE" for "BLOCK_SIZE".
std::string plain_name(std::string_view name);

class spec_expressions {
public:
    explicit spec_expressions(const source_view& view) : view_(view) {}

    /// The spec's names for names of the source.
    std::map<std::string, std::string, std::less<>> names;
    /// The same for names that differ only in case and underscores: a host's block_size is its kernel's BLOCK_SIZE. By
    /// plain_name; used only if nothing else is known.
    std::map<std::string, std::string, std::less<>> alike;
    /// The token at this place of the text stands for this name of the spec, whatever its text is.
    std::map<const char*, std::string> places;
    /// This number stands for a name of the spec, and the next smaller number for that name minus one.
    std::optional<std::pair<std::int64_t, std::string>> literal;
    /// Values of template parameters: "T" is "float".
    template_values instance;
    /// A name for values that the text does not determine; without it, such an expression is unknown.
    std::function<std::string(std::string_view)> unknown;

    /// nullopt: the expression cannot be written as one of a spec, or is not known.
    [[nodiscard]] std::optional<std::string> text(const placed_words& expression);
    [[nodiscard]] extent_words extent(token_span words, std::size_t at) const;

    /// All names of the source that were followed, and "a" and "b" of each a // b, whose division must leave no
    /// remainder.
    [[nodiscard]] const std::set<std::string, std::less<>>& followed() const { return followed_; }
    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& quotients() const { return quotients_; }
    void forget() { followed_.clear(), quotients_.clear(); }

private:
    struct piece;
    class parser;

    const source_view& view_;
    std::size_t steps_ = 0;  // of one text: names that name each other twice would double at every one
    std::set<std::string, std::less<>> followed_;
    std::vector<std::pair<std::string, std::string>> quotients_;
};

}  // namespace launchbox
