// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_pieces.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <launchbox/compute_capability.hpp>

#include "compiler/log/log_line.hpp"

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

bool read_piece(std::string_view line, log_piece& piece)
{
    piece.text = line;
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
        const std::size_t end = text.find_first_of("\r\n");
        const bool terminated = end != std::string_view::npos;
        if (std::exchange(new_line, terminated && text[end] == '\n') || pieces.lines == 0) ++pieces.lines;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(terminated ? end + 1 : text.size());
        if (line.empty()) continue;
        const std::string_view shown = plain_text(line, buffer);
        log_piece piece{.text = {}, .line = pieces.lines, .terminated = terminated};
        if (!read_piece(shown, piece)) continue;
        if (shown.data() == buffer.data()) {
            pieces.changed.push_back(std::move(buffer));
            buffer.clear();
            piece.text = pieces.changed.back();
        }
        pieces.list.push_back(piece);
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
