#include "report/document.hpp"

#include <algorithm>
#include <string_view>

namespace launchbox
{

namespace
{

constexpr int indent = 2;
constexpr int gap = 2;
constexpr int narrowest_last_column = 24;

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
    const std::string space(static_cast<std::size_t>(std::max(0, width - display_width(text))), ' ');
    return right ? space + text : text + space;
}

// Breaks at spaces; a word wider than the width stands alone on its line.
std::vector<std::string> wrapped(std::string_view text, int width)
{
    std::vector<std::string> lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.size(), text.find(' ', text.find_first_not_of(' ')));
        const std::string_view word = text.substr(0, end);
        text.remove_prefix(end);
        if (!lines.back().empty() && display_width(lines.back()) + display_width(word) > width) {
            lines.emplace_back(word.substr(std::min(word.size(), word.find_first_not_of(' '))));
        } else {
            lines.back() += word;
        }
    }
    return lines;
}

std::string rendered(const table& data, const output_style& style)
{
    std::vector<int> widths;
    for (std::size_t c = 0; c < data.columns.size(); ++c) {
        int width = display_width(data.columns[c].title);
        for (const auto& row : data.rows) width = std::max(width, display_width(row[c].text));
        widths.push_back(width);
    }
    if (widths.empty()) return {};
    int before_last = indent;
    for (std::size_t c = 0; c + 1 < widths.size(); ++c) before_last += widths[c] + gap;
    const int last_width = std::max(narrowest_last_column, style.width - before_last);

    std::string text;
    const auto put_row = [&](const std::vector<cell>& row) {
        const std::vector<std::string> tail = wrapped(row.back().text, last_width);
        for (std::size_t i = 0; i < tail.size(); ++i) {
            std::string line(indent, ' ');
            for (std::size_t c = 0; c + 1 < row.size(); ++c) {
                const std::string shown = i == 0 ? row[c].text : "";
                line += coloured(padded(shown, widths[c], data.columns[c].right), row[c].look, style);
                line += std::string(gap, ' ');
            }
            const bool right = data.columns.back().right;
            line += coloured(right ? padded(tail[i], widths.back(), true) : tail[i], row.back().look, style);
            line.erase(line.find_last_not_of(' ') + 1);
            text += line + '\n';
        }
    };
    std::vector<cell> titles;
    for (const table::column& column : data.columns) titles.emplace_back(column.title, tone::faint);
    put_row(titles);
    for (const auto& row : data.rows) put_row(row);
    return text;
}

std::string markdown_cell(std::string_view text)
{
    std::string result;
    for (char c : text) {
        if (c == '|' || c == '<' || c == '\\' || c == '*' || c == '_' || c == '`') result += '\\';
        result += c;
    }
    return result;
}

}  // namespace

std::string render_text(const document& content, const output_style& style)
{
    std::string text;
    for (const document::block& block : content.blocks) {
        switch (block.what) {
            case document::kind::heading:
                text += (text.empty() ? "" : "\n") + coloured(block.text.text, tone::strong, style) + '\n';
                break;
            case document::kind::line: {
                const std::size_t start = block.text.text.find_first_not_of(' ');
                const std::string lead(start == std::string::npos ? 0 : start, ' ');
                bool first = true;
                for (const std::string& line : wrapped(block.text.text, style.width)) {
                    text += (first ? "" : lead + "  ") + coloured(line, block.text.look, style) + '\n';
                    first = false;
                }
                break;
            }
            case document::kind::table:
                text += rendered(block.data, style);
                break;
            case document::kind::verbatim:
                text += block.text.text;
                break;
        }
    }
    return style.unicode ? text : to_ascii(text);
}

std::string render_markdown(const document& content)
{
    std::string text;
    for (const document::block& block : content.blocks) {
        switch (block.what) {
            case document::kind::heading:
                text += (text.empty() ? "## " : "\n## ") + block.text.text + "\n\n";
                break;
            case document::kind::line:
                if (!block.text.text.empty())
                    text += markdown_cell(block.text.text.substr(block.text.text.find_first_not_of(' '))) + "\n\n";
                break;
            case document::kind::table: {
                const auto row = [&](const auto& cells, const auto& content_of) {
                    for (const auto& each : cells) text += "| " + content_of(each) + ' ';
                    text += "|\n";
                };
                row(block.data.columns, [](const table::column& c) { return c.title.empty() ? " " : c.title; });
                row(block.data.columns, [](const table::column& c) { return std::string(c.right ? "--:" : "---"); });
                for (const auto& cells : block.data.rows)
                    row(cells, [](const cell& c) { return markdown_cell(c.text); });
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

std::string render_csv(const table& content)
{
    std::string text;
    const auto field = [](const std::string& value) {
        if (value.find_first_of(",\"\r\n") == std::string::npos) return value;
        std::string quoted = "\"";
        for (char c : value) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
        return quoted + '"';
    };
    for (std::size_t c = 0; c < content.columns.size(); ++c)
        text += (c > 0 ? "," : "") + field(content.columns[c].title);
    text += "\r\n";
    for (const auto& row : content.rows) {
        for (std::size_t c = 0; c < row.size(); ++c) text += (c > 0 ? "," : "") + field(row[c].text);
        text += "\r\n";
    }
    return text;
}

}  // namespace launchbox
