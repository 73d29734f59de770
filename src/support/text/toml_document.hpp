// Reads TOML files into launchbox's types; mistakes are errors with their place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/error.hpp"
#include "support/expression/parameter_value.hpp"

namespace launchbox {

/// `what()`: "block_sort.toml:3:14: name is empty".
class toml_error : public error {
public:
    toml_error(const std::string& file, int line, int column, std::string sentence, std::string hint);

    int line;              ///< from 1
    int column;            ///< from 1; 0: the whole line
    std::string sentence;  ///< `what()` without the place
};

/// The name of one of our file types, and its size limit.
struct toml_kind {
    const char* name;  ///< "spec"
    std::size_t max_bytes;
    const char* if_too_large;  ///< the hint
    const char* page;          ///< of the documentation: "docs/tune_spec.md"
};

/// A TOML file. Every member throws `toml_error` for a mistake in it.
class toml_document {
public:
    toml_document(const toml_kind& kind, const std::string& file, std::string_view text);

    [[nodiscard]] const toml::table& root() const { return root_; }

    /// "block_sort.toml:3:14"
    [[nodiscard]] std::string place(const toml::source_region& at) const;
    /// "block_sort.toml:3:14: what"
    [[noreturn]] void fail(const toml::source_region& at, const std::string& what, const std::string& hint) const;
    [[noreturn]] void fail_type(const toml::node& node, const std::string& key, const std::string& wanted,
                                const std::string& example) const;

    using handler = std::function<void(const toml::node&)>;
    using keys = std::vector<std::pair<std::string, handler>>;
    /// Calls the handler of each key that is present, in the order of `known`. `where`: "in [measure]".
    void read_keys(const toml::table& table, const keys& known, const std::string& where) const;

    [[nodiscard]] const toml::table& table(const toml::node& node, const std::string& key,
                                           const std::string& example) const;
    [[nodiscard]] std::string text(const toml::node& node, const std::string& key, const std::string& example) const;
    /// One of several words.
    [[nodiscard]] std::string choice(const toml::node& node, const std::string& key,
                                     const std::vector<std::string>& choices) const;
    [[nodiscard]] bool truth(const toml::node& node, const std::string& key) const;
    [[nodiscard]] std::int64_t integer(const toml::node& node, const std::string& key, std::int64_t min,
                                       std::int64_t max) const;
    /// Finite, from `least` to `most`; or above 0 with `above_zero`.
    [[nodiscard]] double number(const toml::node& node, const std::string& key, double min, double max,
                                bool above_zero = false) const;
    /// A whole number, a finite fraction, a word of at most 1,000 characters, true or false.
    [[nodiscard]] parameter_value value(const toml::node& node, const std::string& key) const;

    /// The keys in the order of the file, as the user wrote them.
    struct entry {
        std::string key;
        toml::source_region place;
        const toml::node* node;
    };
    [[nodiscard]] static std::vector<entry> in_order(const toml::table& table);

    /// Runs `work`, and puts this place in front of an `error` from it.
    template <class Work>
    auto placed(const toml::source_region& at, const Work& work) const;

private:
    [[nodiscard]] toml_error mistake(const toml::source_region& at, const std::string& what,
                                     const std::string& hint) const;

    std::string file_;
    std::string spelled_;
    std::vector<std::size_t> lines_{0};  ///< where each line of `spelled_` begins
    toml::table root_;
};

std::string decoded(const toml::value<std::string>& text);
std::string in_toml_quotes(std::string_view text);

/// The hint for a key or word that is not among the known ones.
std::string known_words_hint(const std::string& unknown, const std::vector<std::string>& known);

}  // namespace launchbox

template <class Work>
auto launchbox::toml_document::placed(const toml::source_region& at, const Work& work) const
{
    try {
        return work();
    } catch (const error& failure) {
        fail(at, failure.what(), failure.hint());
    }
}
