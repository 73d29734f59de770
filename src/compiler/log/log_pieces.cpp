// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

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

// A program may have written the end of a line as `\n` in a string, or as `<br>` in a page.
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

// Splits lines that were merged because compilers wrote at the same time, or line ends were lost.
std::vector<std::string_view> lines_in(std::string_view line)
{
    constexpr std::string_view stack_unit = " bytes stack frame";
    struct beginning {
        std::size_t at;
        bool is_stack;
    };
    std::vector<beginning> beginnings;
    for (const std::size_t mark : find_tool_marks(line)) beginnings.push_back({mark, false});
    for (std::size_t unit = line.find(stack_unit); unit != std::string_view::npos;
         unit = line.find(stack_unit, unit + 1)) {
        std::size_t stack = unit;
        while (stack > 0 && is_digit(line[stack - 1])) --stack;
        beginnings.push_back({stack, true});
    }
    std::ranges::sort(beginnings, {}, &beginning::at);
    std::vector<std::string_view> lines;
    std::size_t from = 0;
    for (std::size_t i = 1, first = 0; i < beginnings.size(); ++i) {
        if (beginnings[i].is_stack && beginnings[first].is_stack) continue;  // the first stack line in a row counts
        lines.push_back(line.substr(from, beginnings[i].at - from));
        from = beginnings[i].at;
        first = i;
    }
    lines.push_back(line.substr(from));
    return lines;
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

// Joins lines that a terminal or a mailer has wrapped: the continuation does not look like a compiler's line.
class line_joiner {
public:
    explicit line_joiner(log_pieces& pieces) : pieces_(&pieces) {}

    /// Called after a compiler's line, which is the last piece.
    void note()
    {
        const log_piece& piece = pieces_->list.back();
        first_length_ = piece.text.size();
        joined_ = 0;
        open_ = true;
        note_name(piece);
    }
    /// The stack line that begins in the middle of its first number, whose beginning ends the other line before it:
    /// "    4" and "0 bytes stack frame, ...". Empty if it does not.
    [[nodiscard]] std::string with_beginning(std::string_view before, std::string_view line) const
    {
        if (line.empty() || !is_digit(line[0]) || !find_stack_figures(line) || pieces_->list.empty()) return {};
        const std::size_t digits = before.find_last_not_of("0123456789") + 1;  // npos + 1 is 0
        std::string_view indent = before.substr(0, digits);
        if (digits == before.size() || indent.empty() || (indent.back() != ' ' && indent.back() != '\t')) return {};
        const log_piece& piece = pieces_->list.back();
        const std::string_view prefix = trimmed(piece.text.substr(0, piece.prefix));
        indent = trimmed(indent);
        if (!indent.empty() && indent != prefix && !indent.starts_with("ptxas")) return {};
        return std::string(before).append(line);
    }
    /// Called for any other line.
    void add(std::string_view line, bool terminated)
    {
        if (!std::exchange(open_, false) || pieces_->list.empty()) return;
        log_piece& piece = pieces_->list.back();
        const std::size_t length = line.size();
        if (const std::string_view prefix = trimmed(piece.text.substr(0, piece.prefix));
            !prefix.empty() && take_prefix(line, prefix))
            take_prefix(line, " ");
        const bool goes_on = line.starts_with(", ") && text_of(piece).starts_with("Used ");
        if (line.empty() || (!goes_on && lack_of(piece) == lack::none)) return;
        // Wrapped in the middle of a word, or at a blank that was removed; the next line may continue it further.
        for (const bool to_end : {true, false}) {
            for (const bool in_word : {true, false}) {
                std::string text = std::string(piece.text) + (in_word ? "" : " ");
                text += in_word ? line : trimmed(line);
                log_piece joined{.text = {}, .line = piece.line, .terminated = terminated};
                if (!read_piece(text, joined)) continue;
                const lack still = lack_of(joined);
                if (to_end ? still != lack::none
                           : still != lack::end && !(still == lack::part && in_word && length == first_length_))
                    continue;
                joined.text = pieces_->changed.emplace_back(std::move(text));
                piece = joined;
                open_ = !to_end && ++joined_ < max_joined;
                return note_name(piece);
            }
        }
    }

private:
    static constexpr std::string_view compiling = "Compiling entry function", properties = "Function properties for";

    static constexpr std::size_t max_joined = 16;  // which keeps the time linear

    /// What a line lacks: nothing, the end of its last field, or more.
    enum class lack { none, end, part };

    static std::string_view text_of(const log_piece& piece)
    {
        if (piece.kind != log_piece::content::statement) return {};
        const auto statement = find_statement(piece.text.substr(piece.prefix));
        return statement && statement->tool == "ptxas" ? statement->text : std::string_view();
    }
    static lack lack_of_field(std::string_view list, std::string_view diagnostic)
    {
        if (diagnostic.empty()) return lack::none;
        const std::string_view last = trimmed(list.substr(list.rfind(',') + 1));  // npos + 1 is 0
        return diagnostic == "cannot read \"" + std::string(last) + "\"" ? lack::end : lack::part;
    }
    [[nodiscard]] lack lack_of(const log_piece& piece) const
    {
        if (piece.kind == log_piece::content::stack) {
            const std::string_view list = piece.text.substr(piece.prefix);
            return lack_of_field(list, find_stack_figures(list).value_or(stack_figures{}).diagnostic);
        }
        std::string_view text = text_of(piece);
        if (text.starts_with("Used ")) return lack_of_field(text, read_figures(text).diagnostic);
        if (take_prefix(text, compiling)) {
            if (!text.empty() && !text.starts_with(" '")) return lack::part;
            if (text.ends_with('\'') && text.find("' for '") != std::string_view::npos) return lack::none;
            return text.ends_with('\'') || text.ends_with("' for") ? lack::end : lack::part;
        }
        if (!take_prefix(text, properties)) return lack::none;
        if (!text.empty() && !text.starts_with(' ')) return lack::part;
        text = trimmed(text);
        return last_name_.starts_with(text) && text != last_name_ ? lack::part : lack::none;
    }
    void note_name(const log_piece& piece)
    {
        std::string_view text = text_of(piece);
        if (take_prefix(text, compiling) && take_prefix(text, " '")) last_name_ = text.substr(0, text.find('\''));
    }

    log_pieces* pieces_;
    std::string last_name_;  // of the last compiled kernel
    std::size_t first_length_ = 0, joined_ = 0;
    bool open_ = false;
};

}  // namespace

log_pieces read_pieces(std::string_view text)
{
    log_pieces pieces;
    line_joiner joiner(pieces);
    std::string buffer, other;  // the last line, if no compiler wrote it
    bool new_line = true;
    while (!text.empty()) {
        const line_end end = find_line_end(text);
        const bool terminated = end.at != std::string_view::npos;
        if (std::exchange(new_line, terminated && text[end.at] == '\n') || pieces.lines == 0) ++pieces.lines;
        const std::string_view line = text.substr(0, end.at);
        text.remove_prefix(terminated ? end.after : text.size());
        if (line.empty()) continue;
        std::string_view shown = plain_text(line, buffer);
        const std::string whole_line = joiner.with_beginning(std::exchange(other, {}), shown);
        if (!whole_line.empty()) shown = buffer = whole_line;
        const std::size_t before = pieces.list.size();
        const bool changed = shown.data() == buffer.data();
        if (changed) {
            shown = pieces.changed.emplace_back(std::move(buffer));
            buffer.clear();
        }
        for (const std::string_view part : lines_in(shown)) {
            // A line that was merged with another may continue elsewhere.
            const bool is_last = part.data() + part.size() == shown.data() + shown.size();
            const bool whole = is_last ? terminated : part.ends_with(' ') || part.ends_with('>');
            log_piece piece{.text = {}, .line = pieces.lines, .terminated = whole};
            if (read_piece(part, piece)) pieces.list.push_back(piece);
        }
        if (pieces.list.size() > before) {
            joiner.note();
        } else if (changed) {
            other = std::move(pieces.changed.back());
            pieces.changed.pop_back();
            joiner.add(other, terminated);
        } else {
            other = line;
            joiner.add(line, terminated);
        }
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
