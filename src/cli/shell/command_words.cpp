// SPDX-License-Identifier: Apache-2.0
#include "cli/shell/command_words.hpp"

#include <algorithm>

namespace launchbox::cli {

namespace {

bool needs_value(const CLI::Option& option)
{
    return option.get_items_expected_min() > 0;
}

// Reads "-kNAME" and "-vk NAME" letter by letter, like getopt. Returns whether the next word is the value of the last
// option.
bool take_letters(const CLI::App& verb, const std::string& word, std::vector<std::string>& unknown)
{
    for (std::size_t i = 1; i < word.size(); ++i) {
        const std::string name = std::string("-") + word[i];
        const CLI::Option* option = verb.get_option_no_throw(name);
        if (option == nullptr) {
            unknown.push_back(i == 1 ? word.substr(0, word.find('=')) : name);
            return false;
        }
        if (needs_value(*option)) return i + 1 == word.size();
        if (option->get_items_expected_max() > 0) return false;  // the rest is its value
    }
    return false;
}

// Returns whether the next word is the option's value.
bool take_option(const CLI::App& verb, const std::string& word, std::vector<std::string>& unknown)
{
    if (!word.starts_with("--")) return take_letters(verb, word, unknown);
    const std::size_t equals = word.find('=');
    const CLI::Option* option = verb.get_option_no_throw(word.substr(0, equals));
    if (option == nullptr) unknown.push_back(word.substr(0, equals));
    return option != nullptr && equals == word.npos && needs_value(*option);
}

}  // namespace

sorted_words sort_words(const CLI::App& verb, const std::vector<std::string>& words, std::size_t begin, bool first_only)
{
    sorted_words sorted{.first_argument = words.size(), .unknown = {}};
    for (std::size_t i = begin; i < words.size() && words[i] != "--"; ++i) {
        if (words[i].size() > 1 && words[i].starts_with('-')) {
            if (take_option(verb, words[i], sorted.unknown)) ++i;
            continue;
        }
        sorted.first_argument = std::min(sorted.first_argument, i);
        if (first_only) break;
    }
    return sorted;
}

}  // namespace launchbox::cli
