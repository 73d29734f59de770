// SPDX-License-Identifier: Apache-2.0
#include "report/core/short_names.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr int max_rounds = 8;  // each separates names that the round before could not

constexpr int narrowest = 8;  // with less room, names cannot be told apart

bool continues_character(char c)
{
    return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// The first `width` characters, or the last.
std::string_view first_of(std::string_view text, int width)
{
    std::size_t at = 0;
    for (int column = 0; at < text.size() && column < width; ++column) do
            ++at;
        while (at < text.size() && continues_character(text[at]));
    return text.substr(0, at);
}

std::string_view last_of(std::string_view text, int width)
{
    std::size_t at = text.size();
    for (int column = 0; at > 0 && column < width; ++column) do
            --at;
        while (at > 0 && continues_character(text[at]));
    return text.substr(at);
}

bool ends_word(char c)
{
    return std::string_view("<>(),: [{").find(c) != std::string_view::npos;
}

struct common_part {
    std::size_t front = 0, behind = 0;  // bytes
};

// The common beginning and end of all of these.
common_part common_to(const std::vector<std::string_view>& names)
{
    const std::string_view first = names.front();
    common_part common{first.size(), first.size()};
    for (const std::string_view name : names) {
        if (name == first) continue;  // equal names have everything in common
        const std::size_t most = std::min(first.size(), name.size());
        std::size_t front = 0, behind = 0;
        while (front < most && first[front] == name[front]) ++front;
        while (behind < most - front && first[first.size() - 1 - behind] == name[name.size() - 1 - behind]) ++behind;
        common.front = std::min(common.front, front);
        common.behind = std::min(common.behind, behind);
    }
    // Shortened to whole words, if there are any, and never within a character.
    common_part words = common;
    while (words.front > 0 && !ends_word(first[words.front - 1])) --words.front;
    while (words.behind > 0 && !ends_word(first[first.size() - words.behind])) --words.behind;
    if (words.front == 0) words.front = common.front;
    if (words.behind == 0) words.behind = common.behind;
    while (words.front > 0 && words.front < first.size() && continues_character(first[words.front])) --words.front;
    while (words.behind > 0 && continues_character(first[first.size() - words.behind])) --words.behind;
    return words;
}

std::string cut(std::string_view name, const common_part& common, int room)
{
    const std::string_view front = name.substr(0, common.front);
    const std::string_view behind = name.substr(name.size() - common.behind);
    const std::string_view middle = name.substr(common.front, name.size() - common.front - common.behind);
    const int front_width = display_width(front), behind_width = display_width(behind);
    const int spare = room - display_width(middle) - (front_width > 0 ? 1 : 0) - (behind_width > 0 ? 1 : 0);
    if (spare < 0) {
        // Even the differing part is too long: show its beginning and end, after a little of the common beginning.
        const std::string_view head = first_of(front, room / 4);
        return std::string(head) + (head.size() < front.size() ? "…" : "") +
               shortened(middle, room - display_width(head) - (head.size() < front.size() ? 1 : 0));
    }
    const int tail_width = std::min(behind_width, std::max(spare / 3, spare - front_width));
    const std::string_view head = first_of(front, spare - tail_width), tail = last_of(behind, tail_width);
    return std::string(head) + (head.size() < front.size() ? "…" : "") + std::string(middle) +
           (tail.size() < behind.size() ? "…" : "") + std::string(tail);
}

// "a<b::c>", "d" for "a<b::c>::d". Stops at `operator`, whose symbols may look like brackets.
std::vector<std::string_view> parts_of(std::string_view name)
{
    std::vector<std::string_view> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < name.size(); ++i) {
        if (depth == 0 && i == begin && name.substr(i).starts_with("operator")) break;
        if (std::string_view("<([{").find(name[i]) != std::string_view::npos) ++depth;
        if (std::string_view(">)]}").find(name[i]) != std::string_view::npos) --depth;
        if (depth != 0 || !name.substr(i).starts_with("::")) continue;
        parts.push_back(name.substr(begin, i - begin));
        begin = i + 2;
        ++i;
    }
    parts.push_back(name.substr(begin));
    return parts;
}

std::string without_long_arguments(std::string_view part)
{
    constexpr std::size_t long_arguments = 16;
    const std::size_t open = part.find('<');
    if (open == std::string_view::npos || open == 0 || !part.ends_with('>') || part.starts_with("operator") ||
        part.size() - open <= long_arguments)
        return std::string(part);
    return std::string(part.substr(0, open)) + "<…>";
}

}  // namespace

std::string brief_function_name(std::string_view name, int room)
{
    if (display_width(name) <= room) return std::string(name);
    std::vector<std::string> parts;
    for (const std::string_view part : parts_of(name)) parts.push_back(without_long_arguments(part));
    std::string text = parts.back();
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
        std::string longer = parts[i] + "::" + text;
        if (display_width(longer) > room) break;
        text = std::move(longer);
    }
    return shortened(text, room);
}

std::vector<std::string> shortened_apart(const std::vector<std::string>& names, int room)
{
    // Each distinct name once.
    std::map<std::string_view, std::string> cut_names;
    for (const std::string& name : names)
        if (const auto [place, is_new] = cut_names.try_emplace(name); is_new) place->second = shortened(name, room);
    for (int round = 0; round < max_rounds && room >= narrowest; ++round) {
        std::map<std::string, std::vector<std::string_view>> alike;
        for (const auto& [name, text] : cut_names) alike[text].push_back(name);
        bool changed = false;
        for (const auto& [text, group] : alike) {
            if (group.size() < 2) continue;
            const common_part common = common_to(group);
            for (const std::string_view name : group) {
                std::string better = cut(name, common, room);
                changed |= better != text;
                cut_names[name] = std::move(better);
            }
        }
        if (!changed) break;
    }
    std::vector<std::string> result;
    result.reserve(names.size());
    for (const std::string& name : names) result.push_back(cut_names.at(name));
    return result;
}

}  // namespace launchbox
