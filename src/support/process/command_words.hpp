// A user's command as an argument vector, without a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace launchbox {

/// Splits at blanks; '...' keeps everything, "..." keeps blanks, a backslash keeps the next character (not inside
/// '...'). Nothing is expanded: no variables, no patterns, no pipes. Throws `error` for a quote that is not closed and
/// for a command without words.
std::vector<std::string> command_words(const std::string& command);

/// A word as a shell needs it: in '...' where it has more than letters, digits and what no shell reads.
std::string shell_word(const std::string& word);

/// Whether {name} is in one of the words.
bool mentions(const std::vector<std::string>& words, const std::string& name);

/// Every {name} in the words.
std::set<std::string> names_in(const std::vector<std::string>& words);

/// The words with each {name} replaced by its value; {{ and }} are braces. Throws `error`, with the names that there
/// are, for a name without a value and for a brace without its partner.
std::vector<std::string> filled_in(const std::vector<std::string>& words,
                                   const std::map<std::string, std::string>& values);

/// The same for a compiler's options: a word with an empty value is removed, so that a value may mean no option.
std::vector<std::string> filled_options(const std::vector<std::string>& words,
                                        const std::map<std::string, std::string>& values);

}  // namespace launchbox
