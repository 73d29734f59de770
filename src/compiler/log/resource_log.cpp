// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/resource_log.hpp"

#include <algorithm>
#include <utility>

#include "compiler/log/log_pieces.hpp"
#include "compiler/log/log_reader.hpp"
#include "compiler/log/log_writer.hpp"

namespace launchbox {

resource_log parse_resource_log(std::string_view text, const std::string& file)
{
    const log_pieces pieces = read_pieces(text);
    const std::vector<std::size_t> writers = writers_of(pieces.list);
    raw_log raw;
    raw.file = file;
    const bool some_are_named = std::ranges::any_of(writers, [](std::size_t writer) { return writer > 0; });
    std::vector<log_reader> readers;
    for (std::size_t i = 0; i < writers.size(); ++i) {
        if (pieces.list[i].kind == log_piece::content::gap) {
            for (log_reader& reader : readers) reader.read_gap(pieces.list[i].line);
            continue;
        }
        while (readers.size() <= writers[i])
            readers.emplace_back(raw, readers.size(), readers.empty() && some_are_named);
        if (some_are_named && writers[i] == 0) {
            raw.of_nobody.note(pieces.list[i]);
            if (i > 0 && writers[i - 1] != 0) raw.gaps.note_all();
        }
        readers[writers[i]].read(pieces.list[i]);
    }
    for (log_reader& reader : readers) reader.finish();
    draw_conclusions(raw);
    std::ranges::stable_sort(raw.log.losses, {}, &unnamed_loss::line);
    std::ranges::stable_sort(raw.log.diagnostics, {}, &log_diagnostic::line);
    return std::move(raw.log);
}

std::string log_message_text(const log_message& message)
{
    std::string text;
    if (!message.source_file.empty()) {
        text = message.source_file;
        if (message.source_line) text += "(" + std::to_string(*message.source_line) + ")";
        text += ": ";
    }
    return text + message.text;
}

}  // namespace launchbox
