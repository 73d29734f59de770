// SPDX-License-Identifier: Apache-2.0
#include "support/text/csv_reader.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

csv_reader::csv_reader(std::string_view text, std::string name) : text_(text), name_(std::move(name))
{
    constexpr std::string_view mark = "\xEF\xBB\xBF";
    if (text_.starts_with(mark)) text_.remove_prefix(mark.size());
}

std::string csv_reader::place() const
{
    return escape_for_terminal(name_) + ":" + std::to_string(row_line_);
}

bool csv_reader::next()
{
    cells_.clear();
    unquoted_.clear();
    if (at_ == text_.size()) return false;
    row_line_ = line_;
    while (true) {
        const std::size_t begin = std::min(text_.find_first_not_of(" \t", at_), text_.size());
        if (begin < text_.size() && text_[begin] == '"') {
            at_ = begin + 1;
            cells_.push_back(quoted_cell());
        } else {
            cells_.push_back(plain_cell());
        }
        if (at_ == text_.size()) return true;
        const char end = text_[at_++];
        if (end == ',') continue;
        if (end == '\r' && at_ < text_.size() && text_[at_] == '\n') ++at_;
        ++line_;
        return true;
    }
}

std::string_view csv_reader::plain_cell()
{
    const std::size_t begin = at_;
    at_ = std::min(text_.find_first_of(",\r\n", begin), text_.size());
    std::string_view cell = text_.substr(begin, at_ - begin);
    cell.remove_prefix(std::min(cell.find_first_not_of(" \t"), cell.size()));
    cell.remove_suffix(cell.size() - (cell.find_last_not_of(" \t") + 1));
    if (cell.find('"') != std::string_view::npos)
        throw error(place() + ": '" + escape_for_terminal(shortened(cell, 100)) + "' has a quote in its middle",
                    "put the whole cell in quotes, and write each quote in it twice");
    return cell;
}

std::string_view csv_reader::quoted_cell()
{
    std::string* joined = nullptr;
    const auto part = [&](std::size_t begin, std::size_t end) { return text_.substr(begin, end - begin); };
    for (std::size_t begin = at_;;) {
        const std::size_t quote = text_.find('"', at_);
        if (quote == std::string_view::npos)
            throw error(place() + ": a quote that begins in this row is not closed", "add the closing quote");
        const bool is_doubled = quote + 1 < text_.size() && text_[quote + 1] == '"';
        const std::string_view found = part(begin, is_doubled ? quote + 1 : quote);
        line_ += static_cast<std::size_t>(std::ranges::count(found, '\n'));
        at_ = quote + (is_doubled ? 2 : 1);
        if (joined == nullptr && is_doubled) joined = &unquoted_.emplace_back();
        if (joined != nullptr) joined->append(found);
        if (!is_doubled) {
            const std::size_t end = std::min(text_.find_first_not_of(" \t", at_), text_.size());
            if (end < text_.size() && text_[end] != ',' && text_[end] != '\n' && text_[end] != '\r')
                throw error(place() + ": text follows the closing quote of a cell",
                            "put the whole cell in quotes, and write each quote in it twice");
            at_ = end;
            return joined != nullptr ? std::string_view(*joined) : found;
        }
        begin = at_;
    }
}

}  // namespace launchbox
