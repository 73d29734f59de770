// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_writer.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "compiler/log/log_line.hpp"
#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_prefix = 200;  // a longer one is an unfinished line of another program

bool is_letter_or_digit(char c)
{
    return is_letter(c) || is_digit(c);
}

// A digit, or a separator in a time or date.
bool is_in_time(std::string_view text, std::size_t i)
{
    if (is_digit(text[i]) || std::string_view(":.,/+-").find(text[i]) != std::string_view::npos) return true;
    const bool behind_digit = i > 0 && is_digit(text[i - 1]);
    if (text[i] == 'T') return behind_digit && i + 1 < text.size() && is_digit(text[i + 1]);
    return text[i] == 'Z' && behind_digit && (i + 1 == text.size() || !is_letter_or_digit(text[i + 1]));
}

// "12:34:56.789", "2024-05-06T12:34:56.1Z", "05/06/2024"
bool is_time(std::string_view text)
{
    std::size_t digits = 0, groups = 0, dashes = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool two_follow = i + 2 < text.size() && is_digit(text[i + 1]) && is_digit(text[i + 2]);
        if (text[i] == ':' && i > 0 && is_digit(text[i - 1]) && two_follow) return true;
        dashes += text[i] == '-' || text[i] == '/' ? 1 : 0;
        if (!is_digit(text[i])) continue;
        ++digits;
        groups += i == 0 || !is_digit(text[i - 1]) ? 1 : 0;
    }
    return groups == 3 && dashes == 2 && digits >= 6;
}

// The word without the times in it: "1>" of "12:34:56.789>1>".
std::string without_times(std::string_view word)
{
    std::string rest;
    for (std::size_t i = 0; i < word.size();) {
        std::size_t end = i;
        while (end < word.size() && is_in_time(word, end)) ++end;
        const bool in_name = i > 0 && is_letter_or_digit(word[i - 1]);
        if (end == i)
            rest += word[i++];
        else {
            if (in_name || !is_time(word.substr(i, end - i))) rest.append(word, i, end - i);
            i = end;
        }
    }
    return rest;
}

std::string_view without_brackets(std::string_view word)
{
    constexpr std::string_view outside = "[](){}<>|:;,'\"";
    const std::size_t begin = word.find_first_not_of(outside);
    if (begin == std::string_view::npos) return {};
    return word.substr(begin, word.find_last_not_of(outside) + 1 - begin);
}

// "12.34", "0.5s", "1m3s": seconds since the beginning, or a name such as "8.0".
bool is_decimal(std::string_view word)
{
    word = without_brackets(word);
    if (word.ends_with('s')) {
        constexpr std::string_view units = "0123456789.hm";
        return word.size() > 1 && is_digit(word.front()) &&
               word.substr(0, word.size() - 1).find_first_not_of(units) == std::string_view::npos;
    }
    const std::size_t point = word.find('.');
    return point != std::string_view::npos && point > 0 && point + 1 < word.size() &&
           word.find_first_not_of("0123456789.") == std::string_view::npos &&
           word.find('.', point + 1) == std::string_view::npos;
}

std::string_view take_word(std::string_view& text)
{
    text = trimmed(text);
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

// Takes one of `N>`, `#N`, `[...]`, `N:`, `name |` and times from the front of `text`.
bool take_prefix_word(std::string_view& text, bool is_first)
{
    constexpr std::size_t longest_bracket = 48;
    text = trimmed(text);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const char behind = digits < text.size() ? text[digits] : '\0';
    const bool blank_follows = digits + 1 < text.size() && text[digits + 1] == ' ';
    if (digits > 0 && (behind == '>' || (behind == ':' && blank_follows))) {
        text.remove_prefix(digits + 1);
        return true;
    }
    if (text.starts_with('[')) {
        const std::size_t end = text.substr(0, longest_bracket).find(']');
        if (end == std::string_view::npos) return false;
        text.remove_prefix(end + 1);
        return true;
    }
    std::string_view rest = text;
    const std::string_view word = take_word(rest);
    if (word.empty() || word.size() > longest_bracket) return false;
    const bool number =
        word.starts_with('#') && word.size() > 1 && word.find_first_not_of("0123456789", 1) == std::string_view::npos;
    const bool time = without_brackets(without_times(word)).empty() || (!is_first && is_decimal(word));
    const std::string_view next = trimmed(rest);
    const bool service = next.starts_with("| ");
    if (!number && !time && !service) return false;
    text = service ? next.substr(1) : rest;
    return true;
}

}  // namespace

writer_name name_in_prefix(std::string_view prefix)
{
    writer_name name;
    if (prefix.size() > longest_prefix) return name;
    std::string decimals;
    const auto add = [](std::string& to, std::string_view word) { to.append(to.empty() ? "" : " ").append(word); };
    while (!(prefix = trimmed(prefix)).empty()) {
        const std::string_view word = take_word(prefix);
        const std::string rest = without_times(word);
        if (without_brackets(rest).empty()) continue;
        if (is_decimal(rest))
            add(decimals, rest);
        else
            add(name.text, rest);
    }
    name.is_number = name.text.empty();
    if (name.is_number) name.text = std::move(decimals);
    return name;
}

std::string_view without_prefix(std::string_view text)
{
    text = trimmed(text);
    for (bool is_first = true; text.size() > 1 && take_prefix_word(text, is_first); is_first = false)
        text = trimmed(text);
    return text;
}

std::vector<std::size_t> writers_of(const std::vector<log_piece>& pieces)
{
    struct candidate {
        bool opens = false, closes = false, is_number = false;
        bool returns = false;  // reappears after another number; one that only rises may be a time
        std::size_t number = 0;
    };
    std::vector<candidate> candidates;
    std::unordered_map<std::string, std::size_t> place_of;
    std::unordered_map<std::string_view, std::size_t> seen;  // the unchanged prefix
    constexpr std::size_t none = static_cast<std::size_t>(-1);
    std::vector<std::size_t> places(pieces.size(), none);
    std::size_t last_number = none;
    bool opens_without = false;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const log_piece& piece = pieces[i];
        if (piece.of_source || piece.kind == log_piece::content::linker_command) continue;
        const std::string_view prefix = trimmed(piece.text.substr(0, piece.prefix));
        if (const auto known = seen.find(prefix); known != seen.end()) {
            places[i] = known->second;
        } else if (writer_name name = name_in_prefix(prefix); !name.text.empty()) {
            const auto [place, is_new] = place_of.try_emplace(std::move(name.text), candidates.size());
            if (is_new) candidates.push_back({.is_number = name.is_number});
            places[i] = place->second;
            seen.emplace(prefix, place->second);
        }
        if (places[i] == none) {
            opens_without |= piece.opens;
            continue;
        }
        candidate& found = candidates[places[i]];
        if (found.is_number) {
            found.returns |= (found.opens || found.closes) && last_number != places[i];
            last_number = places[i];
        }
        found.opens |= piece.opens;
        found.closes |= piece.closes;
    }
    std::size_t named = 0;
    for (candidate& one : candidates) {
        const bool is_name = one.opens && one.closes && (!one.is_number || one.returns);
        if (is_name)
            one.number = ++named;
        else
            opens_without |= one.opens;
    }
    // With a single writer, lines without its name are its own, unless they begin reports themselves.
    if (named == 1 && !opens_without) named = 0;
    std::vector<std::size_t> writers(pieces.size(), 0);
    if (named == 0) return writers;
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (places[i] != none) writers[i] = candidates[places[i]].number;
    return writers;
}

}  // namespace launchbox
