// SPDX-License-Identifier: Apache-2.0
#include "compiler/resource_log.hpp"

#include <algorithm>
#include <utility>

#include "compiler/log_reader.hpp"

namespace launchbox {

resource_log parse_resource_log(std::string_view text, const std::string& file)
{
    log_reader reader(file);
    std::string buffer;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        const bool terminated = end != std::string_view::npos;
        reader.read_line(plain_text(text.substr(0, end), buffer), terminated);
        text.remove_prefix(terminated ? end + 1 : text.size());
    }
    raw_log raw = reader.finish();
    draw_conclusions(raw);
    std::ranges::stable_sort(raw.log.diagnostics, {}, &log_diagnostic::line);
    return std::move(raw.log);
}

std::string text_of(const log_message& message)
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
