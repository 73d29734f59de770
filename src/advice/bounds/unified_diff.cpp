// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/unified_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace launchbox {

namespace {

using lines = std::vector<std::string_view>;

// Replaces lines [before, before_end) by [after, after_end).
struct change {
    std::size_t before = 0, before_end = 0, after = 0, after_end = 0;
};

lines lines_of(std::string_view text);

std::vector<change> changes_of(const lines& before, const lines& after);

std::string header_name(const std::string& file);

void append_hunk(std::string& text, const lines& before, const lines& after, const std::vector<change>& changes);

}  // namespace

std::string unified_diff(std::string_view before, std::string_view after, const std::string& file)
{
    constexpr std::size_t context = 3;
    const lines old_lines = lines_of(before), new_lines = lines_of(after);
    const std::vector<change> changes = changes_of(old_lines, new_lines);
    if (changes.empty()) return {};
    const std::string name = header_name(file);
    std::string text = fmt::format("--- {}\n+++ {}\n", name, name);
    for (std::size_t i = 0; i < changes.size();) {
        std::vector<change> hunk{changes[i++]};
        while (i < changes.size() && changes[i].before - hunk.back().before_end <= 2 * context)
            hunk.push_back(changes[i++]);
        append_hunk(text, old_lines, new_lines, hunk);
    }
    return text;
}

namespace {

// With their line feeds, which the last line may lack.
lines lines_of(std::string_view text)
{
    lines result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        result.push_back(text.substr(0, end));
        text.remove_prefix(end);
    }
    return result;
}

// Myers' greedy search for the shortest edit script. An edit of a bound changes few lines, so the search is short; a
// long one is abandoned.
std::vector<change> changes_between(const lines& before, const lines& after, std::size_t same, std::size_t before_end,
                                    std::size_t after_end)
{
    constexpr std::ptrdiff_t max_differences = 400;
    const auto n = static_cast<std::ptrdiff_t>(before_end - same), m = static_cast<std::ptrdiff_t>(after_end - same);
    const std::ptrdiff_t limit = std::min(n + m, max_differences);
    std::vector<std::vector<std::ptrdiff_t>> furthest;  // by differences, then by diagonal: position in `before`
    std::vector<std::ptrdiff_t> reach(static_cast<std::size_t>(2 * limit + 3), 0);
    const auto at = [&](std::ptrdiff_t diagonal) { return static_cast<std::size_t>(diagonal + limit + 1); };
    const auto line = [&](const lines& of, std::ptrdiff_t i) { return of[same + static_cast<std::size_t>(i)]; };
    for (std::ptrdiff_t d = 0; d <= limit; ++d) {
        furthest.push_back(reach);
        for (std::ptrdiff_t k = -d; k <= d; k += 2) {
            const bool down = k == -d || (k != d && reach[at(k - 1)] < reach[at(k + 1)]);
            std::ptrdiff_t x = down ? reach[at(k + 1)] : reach[at(k - 1)] + 1;
            std::ptrdiff_t y = x - k;
            while (x < n && y < m && line(before, x) == line(after, y)) ++x, ++y;
            reach[at(k)] = x;
            if (x < n || y < m) continue;
            std::vector<change> changes;  // from last to first
            for (std::ptrdiff_t step = d; step > 0; --step) {
                const auto& last = furthest[static_cast<std::size_t>(step)];
                const std::ptrdiff_t diagonal = x - y;
                const bool was_down =
                    diagonal == -step || (diagonal != step && last[at(diagonal - 1)] < last[at(diagonal + 1)]);
                const std::ptrdiff_t from = was_down ? diagonal + 1 : diagonal - 1;
                x = last[at(from)];
                y = x - from;
                const std::size_t old_line = same + static_cast<std::size_t>(x);
                const std::size_t new_line = same + static_cast<std::size_t>(y);
                change one{old_line, old_line + (was_down ? 0 : 1), new_line, new_line + (was_down ? 1 : 0)};
                if (!changes.empty() && one.before_end == changes.back().before &&
                    one.after_end == changes.back().after) {
                    changes.back().before = one.before;
                    changes.back().after = one.after;
                } else {
                    changes.push_back(one);
                }
            }
            std::reverse(changes.begin(), changes.end());
            return changes;
        }
    }
    return {{same, before_end, same, after_end}};
}

std::vector<change> changes_of(const lines& before, const lines& after)
{
    std::size_t same = 0;
    while (same < before.size() && same < after.size() && before[same] == after[same]) ++same;
    std::size_t before_end = before.size(), after_end = after.size();
    while (before_end > same && after_end > same && before[before_end - 1] == after[after_end - 1])
        --before_end, --after_end;
    if (before_end == same && after_end == same) return {};
    return changes_between(before, after, same, before_end, after_end);
}

// A name with a blank is followed by a tab, as in diff and git; one with other special characters is quoted as in C.
std::string header_name(const std::string& file)
{
    const bool odd = std::any_of(file.begin(), file.end(), [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '"' || c == '\\';
    });
    if (!odd) return file.find(' ') == std::string::npos ? file : file + '\t';
    std::string quoted = "\"";
    for (char c : file) {
        if (c == '"' || c == '\\')
            quoted += fmt::format("\\{}", c);
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
        else
            quoted += c;
    }
    return quoted + '"';
}

void append_hunk(std::string& text, const lines& before, const lines& after, const std::vector<change>& changes)
{
    constexpr std::size_t context = 3;
    const std::size_t lead = std::min(changes.front().before, context);
    const std::size_t from = changes.front().before - lead, new_from = changes.front().after - lead;
    const std::size_t to = std::min(changes.back().before_end + context, before.size());
    const std::size_t new_to = changes.back().after_end + (to - changes.back().before_end);
    const auto range = [](std::size_t begin, std::size_t end) {
        if (end - begin == 1) return fmt::format("{}", end);
        return fmt::format("{},{}", end == begin ? begin : begin + 1, end - begin);
    };
    const auto put = [&](char mark, std::string_view line) {
        text += mark;
        text += line;
        if (!line.ends_with('\n')) text += "\n\\ No newline at end of file\n";
    };
    text += fmt::format("@@ -{} +{} @@\n", range(from, to), range(new_from, new_to));
    std::size_t at = from;
    for (const change& edit : changes) {
        for (; at < edit.before; ++at) put(' ', before[at]);
        for (; at < edit.before_end; ++at) put('-', before[at]);
        for (std::size_t i = edit.after; i < edit.after_end; ++i) put('+', after[i]);
    }
    for (; at < to; ++at) put(' ', before[at]);
}

}  // namespace

}  // namespace launchbox
