// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <launchbox/compute_capability.hpp>

#include "compiler/log/log_line.hpp"
#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

// Which part of a report a statement of ptxas or nvlink is.
void place_in_report(const log_statement& statement, log_piece& piece)
{
    if (statement.severity != log_severity::info) return;
    const std::string_view text = statement.text;
    piece.opens = text.starts_with("Compiling entry function ") || text.starts_with("Function properties for ");
    piece.closes = text.starts_with("Used ") || text.starts_with("used ");
}

struct line_end {
    std::size_t at = std::string_view::npos, after = std::string_view::npos;
};

// A program may have written the end of a line as `\n` into a string, or as `<br>` into a page.
line_end find_line_end(std::string_view text)
{
    constexpr std::string_view ends = "\r\n\\<";
    for (std::size_t at = text.find_first_of(ends); at != std::string_view::npos;
         at = text.find_first_of(ends, at + 1)) {
        if (text[at] == '\r' || text[at] == '\n') return {at, at + 1};
        const std::string_view rest = text.substr(at);
        for (const std::string_view page : {"<br>", "<br/>", "<br />"})
            if (rest.starts_with(page)) return {at, at + page.size()};
        const std::size_t escaped = rest.starts_with("\\r\\n") ? 4 : rest.starts_with("\\n") ? 2 : 0;
        const std::string_view behind = rest.substr(escaped);
        const bool ends_line =
            behind.empty() || std::string_view("\"' ").find(behind.front()) != std::string_view::npos ||
            behind.starts_with("ptxas ") || behind.starts_with("nvlink ") || behind.starts_with("info ");
        if (escaped > 0 && ends_line) return {at, at + escaped};
    }
    return {};
}

// Where the second of several lines begins that have run into one: compilers wrote at the same time, or line ends got
// lost.
std::size_t next_in_line(std::string_view line)
{
    const std::size_t first_mark = find_tool_mark(line, 0);
    const std::size_t unit = line.find(" bytes stack frame");
    std::size_t stack = unit;
    while (stack != std::string_view::npos && stack > 0 && is_digit(line[stack - 1])) --stack;
    if (stack < first_mark) return first_mark;  // npos: there is no second
    if (first_mark == std::string_view::npos) return first_mark;
    return std::min(stack, find_tool_mark(line, first_mark + 1));
}

bool is_gap(std::string_view line)
{
    constexpr std::size_t longest = 16;
    line = trimmed(line);
    if (line.size() > longest) return false;
    const std::size_t begin = line.find_first_not_of("[(< ");
    const std::size_t end = line.find_last_not_of("])> ");
    if (begin == std::string_view::npos || end == std::string_view::npos || begin > end) return false;
    const std::string_view middle = line.substr(begin, end + 1 - begin);
    return middle == "..." || middle == "\u2026" || middle == "snip";
}

bool read_piece(std::string_view line, log_piece& piece)
{
    piece.text = line;
    if (is_gap(line)) {
        piece.kind = log_piece::content::gap;
        return true;
    }
    if (const std::optional<log_statement> statement = find_statement(line)) {
        piece.kind = log_piece::content::statement;
        piece.of_source = statement->tool == "front end";
        piece.prefix = statement->prefix.size();
        place_in_report(*statement, piece);
        return true;
    }
    if (const std::optional<stack_figures> figures = find_stack_figures(line)) {
        piece.kind = log_piece::content::stack;
        piece.prefix = figures->prefix.size();
        piece.closes = true;
        return true;
    }
    if (linker_architecture(line).empty()) return false;
    piece.kind = log_piece::content::linker_command;
    return true;
}

}  // namespace

log_pieces read_pieces(std::string_view text)
{
    log_pieces pieces;
    std::string buffer;
    bool new_line = true;
    while (!text.empty()) {
        const line_end end = find_line_end(text);
        const bool terminated = end.at != std::string_view::npos;
        if (std::exchange(new_line, terminated && text[end.at] == '\n') || pieces.lines == 0) ++pieces.lines;
        const std::string_view line = text.substr(0, end.at);
        text.remove_prefix(terminated ? end.after : text.size());
        if (line.empty()) continue;
        std::string_view shown = plain_text(line, buffer);
        const std::size_t before = pieces.list.size();
        const bool changed = shown.data() == buffer.data();
        if (changed) {
            shown = pieces.changed.emplace_back(std::move(buffer));
            buffer.clear();
        }
        while (!shown.empty()) {
            const std::size_t next = next_in_line(shown);
            const std::string_view part = shown.substr(0, next);
            // What another line has run into may go on elsewhere.
            const bool whole = next == std::string_view::npos ? terminated : part.ends_with(' ') || part.ends_with('>');
            log_piece piece{.text = {}, .line = pieces.lines, .terminated = whole};
            if (read_piece(part, piece)) pieces.list.push_back(piece);
            shown.remove_prefix(part.size());
        }
        if (changed && pieces.list.size() == before) pieces.changed.pop_back();
    }
    return pieces;
}

std::string_view linker_architecture(std::string_view line)
{
    const std::size_t command = line.find("#$ nvlink ");
    const std::size_t option =
        command == std::string_view::npos ? std::string_view::npos : line.find("--arch=", command);
    if (option == std::string_view::npos) return {};
    const std::string_view name = line.substr(option + 7);
    const std::string_view architecture = name.substr(0, name.find(' '));
    return parse_compute_capability(architecture) ? architecture : std::string_view();
}

}  // namespace launchbox
