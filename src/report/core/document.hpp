// The output of a verb, independent of its form: headings, lines and tables.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/text/terminal.hpp"

namespace launchbox {

enum class tone { plain, strong, faint, good, warning, bad };

/// A cell of a table, or a line.
struct cell {
    std::string text;
    tone look = tone::plain;
    std::string calculator = {};  ///< address of the calculator with the row's figures; only pages link to it

    bool is_name = false;  ///< of a kernel or file: Markdown shows it literally

    cell() = default;
    cell(std::string content, tone with = tone::plain) : text(std::move(content)), look(with) {}
    cell(const char* content, tone with = tone::plain) : text(content), look(with) {}
};

/// A cell with a name, which never becomes a mention, emoji or link.
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

/// Columns of the terminal that `render_text` leaves in front of a row and between two columns.
inline constexpr int table_indent = 2, column_gap = 2;

/// For people at a terminal: wraps long lines and the last column of a table at the style's width.
std::string render_text(const document& content, const output_style& style);

std::string render_markdown(const document& content);

/// One line of comma-separated values (RFC 4180), for tables written row by row.
std::string csv_line(const std::vector<cell>& row);

/// A table as comma-separated values with a header line (RFC 4180).
std::string render_csv(const table& content);

}  // namespace launchbox
