// Classifies the words of a command line as CLI11 will, before it runs, and for cases in which it would only report
// what is missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace launchbox::cli {

struct sorted_words {
    /// Index of the first word that is neither an option nor an option's value; the number of words if there is none.
    std::size_t first_argument = 0;
    std::vector<std::string> unknown;  ///< "--foo", "-x": options unknown to the verb
};

/// From `words[begin]` up to "--". `first_only`: words after the first argument belong to another program.
sorted_words sort_words(const CLI::App& verb, const std::vector<std::string>& words, std::size_t begin,
                        bool first_only);

}  // namespace launchbox::cli
