// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_capitals.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>

#include "compiler/log/log_line.hpp"

namespace launchbox {

bool is_in_capitals(std::string_view line)
{
    constexpr int enough = 5;
    int letters = 0;
    for (const char c : line) {
        if (c >= 'a' && c <= 'z') return false;
        if (c >= 'A' && c <= 'Z' && ++letters == enough) break;
    }
    if (letters < enough) return false;
    return std::ranges::any_of(
        std::array<std::string_view, 5>{"PTXAS ", "NVLINK ", " BYTES STACK FRAME", "INFO    : ", "ERROR   : "},
        [&](std::string_view word) { return line.find(word) != std::string_view::npos; });
}

std::string without_capitals(std::string_view line)
{
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    std::string text(line);
    const auto begins = [](std::string_view rest, std::initializer_list<std::string_view> words) {
        return std::ranges::any_of(words, [&](std::string_view word) { return rest.starts_with(word); });
    };
    // Names are in quotes, or follow these words.
    enum { no, quoted, a_word, to_the_end } name = no;
    bool in_quotes = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const std::string_view before = line.substr(0, i), rest = line.substr(i);
        if (name == no && before.ends_with("PROPERTIES FOR ") && rest.front() != '\'') name = to_the_end;
        if (name == no && before.ends_with("OR ENTRY ") && !rest.starts_with("FUNCTION ")) name = a_word;
        if (name == a_word && (rest.front() == ' ' || rest.front() == ',')) name = no;
        if (rest.front() == '\'' && (name == no || name == quoted)) {
            in_quotes = !in_quotes;
            name = in_quotes && !begins(rest.substr(1), {"SM_", "SETMAXNREG'"}) ? quoted : no;
        }
        if (name == no) text[i] = lower(text[i]);
    }
    const std::optional<log_statement> statement = find_statement(text);
    if (!statement || statement->text.empty()) return text;
    // Sentences begin with a capital, except "used" of nvlink.
    char& first = text[static_cast<std::size_t>(statement->text.data() - text.data())];
    const bool is_small = statement->tool == "nvlink" && statement->text.starts_with("used ");
    if (first >= 'a' && first <= 'z' && !is_small) first = static_cast<char>(first - 'a' + 'A');
    constexpr std::string_view loss = "Potential Performance Loss", in_small = "potential performance loss";
    if (const std::size_t at = text.find(in_small); at != std::string::npos) text.replace(at, loss.size(), loss);
    return text;
}

}  // namespace launchbox
