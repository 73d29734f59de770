// The words of a command line, sorted as CLI11 will take them: before it is asked, and where it only says what is
// missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace launchbox::cli {

struct sorted_words {
    /// Of the first word that is neither an option nor an option's value; the number of words where there is none.
    std::size_t first_argument = 0;
    std::vector<std::string> unknown;  ///< "--foo", "-x": options that the verb does not have
};

/// From `words[begin]` on, up to "--". `first_only`: what follows the first argument belongs to somebody else.
sorted_words sort_words(const CLI::App& verb, const std::vector<std::string>& words, std::size_t begin,
                        bool first_only);

}  // namespace launchbox::cli
