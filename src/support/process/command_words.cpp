// SPDX-License-Identifier: Apache-2.0
#include "support/process/command_words.hpp"

#include <algorithm>

#include "support/error.hpp"

namespace launchbox {

namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& hint)
{
    throw error(what, hint);
}

// Calls `text(character)` or `name(placeholder)` for each part of a word.
template <class Text, class Name>
void for_each_part(const std::string& word, const Text& text, const Name& name)
{
    for (std::size_t i = 0; i < word.size(); ++i) {
        const char c = word[i];
        const bool doubled = i + 1 < word.size() && word[i + 1] == c;
        if ((c == '{' || c == '}') && doubled) {
            text(c);
            ++i;
        } else if (c == '{') {
            const std::size_t end = word.find('}', i);
            if (end == std::string::npos) refuse("a { without } in " + word, "write {{ for a brace");
            name(word.substr(i + 1, end - i - 1));
            i = end;
        } else if (c == '}') {
            refuse("a } without { in " + word, "write }} for a brace");
        } else {
            text(c);
        }
    }
}

}  // namespace

std::vector<std::string> command_words(const std::string& command)
{
    std::vector<std::string> words;
    bool in_word = false;
    char quote = 0;
    for (std::size_t i = 0; i < command.size(); ++i) {
        const char c = command[i];
        if (quote == 0 && (c == ' ' || c == '\t' || c == '\n')) {
            in_word = false;
            continue;
        }
        if (!in_word) words.emplace_back();
        in_word = true;
        if (quote == 0 && (c == '\'' || c == '"'))
            quote = c;
        else if (c == quote)
            quote = 0;
        else if (c == '\\' && quote != '\'' && i + 1 < command.size())
            words.back() += command[++i];
        else
            words.back() += c;
    }
    if (quote != 0) refuse(std::string("the quote ") + quote + " is not closed in the command: " + command, "close it");
    if (words.empty() || words.front().empty()) refuse("the command is empty", "give a program and its arguments");
    return words;
}

std::string shell_word(const std::string& word)
{
    constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%";
    if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
    std::string quoted = "'";
    for (const char letter : word) quoted += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
    return quoted + "'";
}

bool mentions(const std::vector<std::string>& words, const std::string& name)
{
    bool found = false;
    for (const std::string& word : words)
        for_each_part(
            word, [](char) {}, [&](const std::string& text) { found |= text == name; });
    return found;
}

std::set<std::string> names_in(const std::vector<std::string>& words)
{
    std::set<std::string> names;
    for (const std::string& word : words)
        for_each_part(
            word, [](char) {}, [&](const std::string& text) { names.insert(text); });
    return names;
}

std::vector<std::string> filled_in(const std::vector<std::string>& words,
                                   const std::map<std::string, std::string>& values)
{
    std::vector<std::string> result;
    for (const std::string& word : words) {
        std::string& filled = result.emplace_back();
        for_each_part(
            word, [&](char c) { filled += c; },
            [&](const std::string& name) {
                const auto found = values.find(name);
                if (found == values.end()) {
                    std::string known;
                    for (const auto& [item, value] : values) known += (known.empty() ? "{" : ", {") + item + "}";
                    refuse("{" + name + "} in the command is not a known name",
                           "there are " + known + "; write {{ for a brace");
                }
                filled += found->second;
            });
    }
    return result;
}

std::vector<std::string> filled_options(const std::vector<std::string>& words,
                                        const std::map<std::string, std::string>& values)
{
    std::vector<std::string> used;
    for (const std::string& word : words) {
        const auto is_empty = [&](const std::string& name) {
            const auto found = values.find(name);
            return found != values.end() && found->second.empty();
        };
        if (std::ranges::none_of(names_in({word}), is_empty)) used.push_back(word);
    }
    return filled_in(used, values);
}

}  // namespace launchbox
