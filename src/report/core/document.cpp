// SPDX-License-Identifier: Apache-2.0
#include "report/core/document.hpp"

#include <algorithm>
#include <string_view>

#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

constexpr int narrowest_last_column = 24;
constexpr int continued_indent = 4;  // deeper than the row that it continues

std::string_view escape_of(tone look)
{
    switch (look) {
        case tone::plain:
            return "";
        case tone::strong:
            return "\x1b[1m";
        case tone::faint:
            return "\x1b[2m";
        case tone::good:
            return "\x1b[32m";
        case tone::warning:
            return "\x1b[33m";
        case tone::bad:
            return "\x1b[31m";
    }
    return "";
}

std::string coloured(const std::string& text, tone look, const output_style& style)
{
    if (!style.colour || look == tone::plain || text.empty()) return text;
    return std::string(escape_of(look)) + text + "\x1b[0m";
}

std::string padded(const std::string& text, int width, bool right)
{
    const std::size_t space = static_cast<std::size_t>(std::max(0, width - display_width(text)));
    std::string result;
    result.reserve(text.size() + space);
    if (right) result.append(space, ' ');
    result += text;
    if (!right) result.append(space, ' ');
    return result;
}

// Removes and returns the next word, with the spaces before it.
std::string_view take_word(std::string_view& text)
{
    const std::string_view word = text.substr(0, text.find(' ', text.find_first_not_of(' ')));
    text.remove_prefix(word.size());
    return word;
}

std::string_view without_spaces_before(std::string_view word)
{
    return word.substr(std::min(word.size(), word.find_first_not_of(' ')));
}

// Breaks at spaces; a word wider than the width gets a line of its own. `further` is the width of all lines but the
// first.
std::vector<std::string> wrapped(std::string_view text, int width, int further)
{
    if (display_width(text) <= width) return {std::string(text)};
    std::vector<std::string> lines(1);
    int taken = 0;
    while (!text.empty()) {
        std::string_view word = take_word(text);
        if (!lines.back().empty() && taken + display_width(word) > width) {
            word = without_spaces_before(word);
            lines.emplace_back();
            taken = 0;
            width = further;
        }
        lines.back() += word;
        taken += display_width(word);
    }
    return lines;
}

int longest_word(std::string_view text)
{
    int longest = 0;
    for (bool is_first = true; !text.empty(); is_first = false) {
        const std::string_view word = take_word(text);
        // The display width never exceeds the number of bytes.
        if (const std::string_view shown = is_first ? word : without_spaces_before(word);
            shown.size() > static_cast<std::size_t>(longest))
            longest = std::max(longest, display_width(shown));
    }
    return longest;
}

// How a table fits: the width of each column, and whether the last one is printed on separate lines below each row.
struct layout {
    std::vector<int> widths;
    int between = column_gap;
    bool last_below = false;

    [[nodiscard]] int before_last() const
    {
        int sum = table_indent;
        for (std::size_t c = 0; c + 1 < widths.size(); ++c) sum += widths[c] + between;
        return sum;
    }
};

// Shrinks the widest columns until `too_much` columns are saved, or nothing is left to save.
void shrink(std::vector<int>& widths, const std::vector<int>& least, std::size_t columns, int too_much)
{
    for (; too_much > 0; --too_much) {
        std::size_t widest = 0;
        for (std::size_t c = 1; c < columns; ++c)
            if (widths[c] - least[c] > widths[widest] - least[widest]) widest = c;
        if (widths[widest] <= least[widest]) return;
        --widths[widest];
    }
}

layout layout_of(const table& data, int width)
{
    std::vector<int> natural;
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
        natural.push_back(display_width(data.columns[c].title));
        for (const auto& row : data.rows) natural.back() = std::max(natural.back(), display_width(row[c].text));
    }
    layout result{natural};
    const std::size_t last = natural.size() - 1;
    const auto too_much = [&] { return result.before_last() + result.widths[last] - width; };
    if (too_much() <= 0) return result;
    std::vector<int> least;
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
        least.push_back(longest_word(data.columns[c].title));
        // Right-aligned cells are numbers with their units.
        for (const auto& row : data.rows)
            least.back() =
                std::max(least.back(), data.columns[c].right ? display_width(row[c].text) : longest_word(row[c].text));
    }
    const int comfortable = std::max(least[last], std::min(natural[last], narrowest_last_column));
    result.widths[last] = std::max(comfortable, natural[last] - too_much());
    shrink(result.widths, least, last, too_much());
    shrink(result.widths, least, last + 1, too_much());
    if (too_much() <= 0 || last == 0) return result;

    result = {natural, column_gap, true};
    shrink(result.widths, least, last, result.before_last() - column_gap - width);
    if (result.before_last() - column_gap > width) result.between = 1;
    result.widths[last] = std::max(1, width - table_indent - continued_indent);
    return result;
}

std::string rendered(const table& data, const output_style& style)
{
    if (data.columns.empty()) return {};
    const layout fit = layout_of(data, style.width);
    const std::size_t last = data.columns.size() - 1;
    std::string text;
    const auto put_end = [&text] {
        text.erase(text.find_last_not_of(' ') + 1);
        text += '\n';
    };
    const auto put_cell = [&](std::size_t c, const std::string& shown, tone look) {
        const bool right = data.columns[c].right;
        const bool pad = c < last || (right && !fit.last_below);
        text += coloured(pad ? padded(shown, fit.widths[c], right) : shown, look, style);
    };
    const auto put_row = [&](const std::vector<cell>& row) {
        std::vector<std::vector<std::string>> lines;
        std::size_t height = 0;
        for (std::size_t c = 0; c < row.size(); ++c) {
            lines.push_back(wrapped(row[c].text, fit.widths[c], fit.widths[c]));
            if (c < last || !fit.last_below) height = std::max(height, lines[c].size());
        }
        for (std::size_t i = 0; i < height; ++i) {
            text.append(table_indent, ' ');
            for (std::size_t c = 0; c < row.size() - (fit.last_below ? 1 : 0); ++c) {
                put_cell(c, i < lines[c].size() ? lines[c][i] : std::string(), row[c].look);
                if (c < last) text.append(static_cast<std::size_t>(fit.between), ' ');
            }
            put_end();
        }
        if (!fit.last_below || row[last].text.empty()) return;
        for (const std::string& line : lines[last]) {
            text.append(table_indent + continued_indent, ' ');
            put_cell(last, line, row[last].look);
            put_end();
        }
    };
    std::vector<cell> titles;
    for (const table::column& column : data.columns) titles.emplace_back(column.title, tone::faint);
    put_row(titles);
    for (const auto& row : data.rows) put_row(row);
    return text;
}

// A line or heading; continuation lines are indented further.
std::string paragraph(const cell& content, const output_style& style)
{
    const std::size_t start = content.text.find_first_not_of(' ');
    const std::string lead((start == std::string::npos ? 0 : start) + table_indent, ' ');
    std::string text;
    for (const std::string& line : wrapped(content.text, style.width, style.width - static_cast<int>(lead.size())))
        text += (text.empty() ? "" : lead) + coloured(line, content.look, style) + '\n';
    return text;
}

std::string rendered(const document::block& block, const output_style& style)
{
    switch (block.what) {
        case document::kind::heading:
            return paragraph({block.text.text, tone::strong}, style);
        case document::kind::line:
            return paragraph(block.text, style);
        case document::kind::table:
            return rendered(block.data, style);
        case document::kind::verbatim:
            return block.text.text;
    }
    return {};
}

// Before the layout, because ASCII replacements are wider.
document in_ascii(document content)
{
    for (document::block& block : content.blocks) {
        block.text.text = to_ascii(block.text.text);
        for (table::column& column : block.data.columns) column.title = to_ascii(column.title);
        for (auto& row : block.data.rows)
            for (cell& field : row) field.text = to_ascii(field.text);
    }
    return content;
}

std::string markdown_cell(std::string_view text)
{
    std::string result;
    for (char c : text) {
        if (std::string_view("|<\\*_`[]&").find(c) != std::string_view::npos) result += '\\';
        result += c;
    }
    return result;
}

// In code, nothing becomes a link, a mention (@user), an issue (#1), a commit or an emoji: ns::a::kernel contains
// ":a:". Characters that end code or a cell are written as entities, because renderers disagree whether "\|" ends the
// cell.
std::string markdown_name(std::string_view text)
{
    if (text.empty()) return {};
    if (text.find_first_of("|`\\") == std::string_view::npos) return '`' + std::string(text) + '`';
    std::string entities = "<code>";
    for (char c : text) {
        const bool plain = c == ' ' || (static_cast<unsigned char>(c) & 0x80) != 0 || (c >= '0' && c <= '9') ||
                           (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        entities += plain ? std::string(1, c) : "&#" + std::to_string(static_cast<int>(c)) + ';';
    }
    return entities + "</code>";
}

// A line that contains names: words that would become a mention, a reference, an emoji or a link are written as code.
std::string markdown_line(std::string_view text)
{
    std::string result;
    while (!text.empty()) {
        const std::size_t space = text.front() == ' ' ? 1 : 0;
        result.append(space, ' ');
        text.remove_prefix(space);
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size());
        const std::size_t begin = word.starts_with('(') ? 1 : 0;
        const std::size_t last = word.find_last_not_of(",.:;)!?");
        const std::string_view core =
            last == std::string_view::npos || last < begin ? "" : word.substr(begin, last + 1 - begin);
        const bool is_risky = core.find_first_of("@#~") != std::string_view::npos ||
                              core.find("::") != std::string_view::npos || core.find("//") != std::string_view::npos;
        result += is_risky ? markdown_cell(word.substr(0, begin)) + markdown_name(core) +
                                 markdown_cell(word.substr(begin + core.size()))
                           : markdown_cell(word);
    }
    return result;
}

}  // namespace

std::string render_text(const document& content, const output_style& style)
{
    if (!style.unicode) {
        output_style plain = style;
        plain.unicode = true;
        return render_text(in_ascii(content), plain);
    }
    constexpr std::size_t at_once = 64;
    std::vector<std::string> texts(content.blocks.size());
    run_parallel_ranges(texts.size(), at_once, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) texts[i] = rendered(content.blocks[i], style);
    });
    std::size_t size = 2 * texts.size();
    for (const std::string& part : texts) size += part.size();
    std::string text;
    text.reserve(size);
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (content.blocks[i].what == document::kind::heading && !text.empty()) text += '\n';
        text += texts[i];
    }
    return text;
}

std::string render_markdown(const document& content)
{
    std::string text;
    for (const document::block& block : content.blocks) {
        switch (block.what) {
            case document::kind::heading:
                text += (text.empty() ? "## " : "\n## ") + markdown_cell(block.text.text) + "\n\n";
                break;
            case document::kind::line:
                if (const std::size_t start = block.text.text.find_first_not_of(' '); start != std::string::npos)
                    text += markdown_line(std::string_view(block.text.text).substr(start)) + "\n\n";
                break;
            case document::kind::table: {
                const auto row = [&](const auto& cells, const auto& content_of) {
                    for (const auto& cell : cells) text += "| " + content_of(cell) + ' ';
                    text += "|\n";
                };
                row(block.data.columns,
                    [](const table::column& c) { return c.title.empty() ? " " : markdown_cell(c.title); });
                row(block.data.columns, [](const table::column& c) { return std::string(c.right ? "--:" : "---"); });
                for (const auto& cells : block.data.rows)
                    row(cells, [](const cell& c) { return c.is_name ? markdown_name(c.text) : markdown_cell(c.text); });
                text += '\n';
                break;
            }
            case document::kind::verbatim:
                text += "```\n" + block.text.text + "```\n\n";
                break;
        }
    }
    return text;
}

std::string csv_line(const std::vector<cell>& row)
{
    std::string text;
    for (std::size_t c = 0; c < row.size(); ++c) {
        if (c > 0) text += ',';
        const std::string& value = row[c].text;
        if (value.find_first_of(",\"\r\n") == std::string::npos) {
            text += value;
            continue;
        }
        text += '"';
        for (char c : value) text.append(c == '"' ? 2 : 1, c);
        text += '"';
    }
    return text + "\r\n";
}

std::string render_csv(const table& content)
{
    std::vector<cell> titles;
    for (const table::column& column : content.columns) titles.emplace_back(column.title);
    std::string text = csv_line(titles);
    for (const auto& row : content.rows) text += csv_line(row);
    return text;
}

}  // namespace launchbox
