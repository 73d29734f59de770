// A user's command as an argument vector, without a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace launchbox {

/// Splits at blanks; '...' keeps everything, "..." keeps blanks, a backslash keeps the next character (not inside
/// '...'). Nothing is expanded: no variables, no patterns, no pipes. Throws `error` for an unclosed quote and for a
/// command without words.
std::vector<std::string> command_words(const std::string& command);

/// A word in the form that a shell needs: in '...' if it contains characters that a shell may interpret.
std::string shell_word(const std::string& word);

/// Whether {name} is in one of the words.
bool mentions(const std::vector<std::string>& words, const std::string& name);

/// Every {name} in the words.
std::set<std::string> names_in(const std::vector<std::string>& words);

/// The words with each {name} replaced by its value; {{ and }} mean braces. Throws `error`, which lists the known
/// names, for a name without a value and for an unmatched brace.
std::vector<std::string> filled_in(const std::vector<std::string>& words,
                                   const std::map<std::string, std::string>& values);

/// The same for a compiler's options: words that become empty are removed, so that a value may mean no option.
std::vector<std::string> filled_options(const std::vector<std::string>& words,
                                        const std::map<std::string, std::string>& values);

}  // namespace launchbox
