// What a verb has to say, before it is decided how it looks: headings, lines and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/text/terminal.hpp"

namespace launchbox {

enum class tone { plain, strong, faint, good, warning, bad };

/// One cell of a table, or a line.
struct cell {
    std::string text;
    tone look = tone::plain;
    std::string calculator = {};  ///< the address of the calculator with the figures of the row; only pages link there

    bool is_name = false;  ///< of a kernel or a file: whatever is in it, Markdown shows it as it is

    cell() = default;
    cell(std::string content, tone with = tone::plain) : text(std::move(content)), look(with) {}
    cell(const char* content, tone with = tone::plain) : text(content), look(with) {}
};

/// A cell with a name: no mention, emoji or link comes of what is in it.
inline cell name_cell(std::string name)
{
    cell made(std::move(name));
    made.is_name = true;
    return made;
}

struct table {
    struct column {
        std::string title;
        bool right = false;  ///< aligned right, for numbers
    };
    std::vector<column> columns;
    std::vector<std::vector<cell>> rows;
};

struct document {
    enum class kind { heading, line, table, verbatim };
    struct block {
        kind what = kind::line;
        cell text;
        table data = {};
    };
    std::vector<block> blocks;

    void heading(std::string text) { blocks.push_back({kind::heading, {std::move(text), tone::strong}}); }
    void line(std::string text, tone look = tone::plain) { blocks.push_back({kind::line, {std::move(text), look}}); }
    void add(table data) { blocks.push_back({kind::table, {}, std::move(data)}); }
    void verbatim(std::string text) { blocks.push_back({kind::verbatim, {std::move(text)}}); }
};

/// How `render_text` lays tables out, in columns of the terminal: in front of a row, and between two columns.
inline constexpr int table_indent = 2, column_gap = 2;

/// For people at a terminal: the last column of a table and long lines are wrapped at the style's width.
std::string render_text(const document& content, const output_style& style);

std::string render_markdown(const document& content);

/// One line of comma-separated values (RFC 4180), for tables that are written row by row.
std::string csv_line(const std::vector<cell>& row);

/// One table as comma-separated values with a header line (RFC 4180).
std::string render_csv(const table& content);

}  // namespace launchbox
