// SPDX-License-Identifier: Apache-2.0
#include "image/code/live_registers.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

#include "image/code/disassembly.hpp"
#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

constexpr std::string_view rule = "// +-", table_start = "// |";
constexpr int max_registers = 256;

std::optional<register_file> file_named(std::string_view title)
{
    if (title.find("UPRED") != std::string_view::npos || title.find("UP ") != std::string_view::npos)
        return register_file::uniform_predicate;
    if (title.find("UGPR") != std::string_view::npos) return register_file::uniform;
    if (title.find("GPR") != std::string_view::npos) return register_file::general;
    if (title.find("PRED") != std::string_view::npos) return register_file::predicate;
    return std::nullopt;
}

}  // namespace

void life_range_reader::line(std::string_view text)
{
    if (text.starts_with(".text.")) {
        const std::size_t end = text.find(':');
        if (end != std::string_view::npos) section_ = text.substr(0, end);
    }
    if (const std::size_t at = text.find(rule); at != std::string_view::npos) {
        // A table starts with two rules around its header, and ends with one.
        if (at != table_at_ || !in_header_ || header_.empty()) {
            table_at_ = at;
            header_.clear();
            in_header_ = true;
        } else {
            finish_header();
            in_header_ = false;
        }
        return;
    }
    if (table_at_ == std::string_view::npos || text.size() < table_at_) return;
    const std::string_view table = text.substr(table_at_);
    if (!table.starts_with(table_start)) return;
    if (in_header_)
        header_line(table);
    else if (!groups_.empty())
        instruction(text.substr(0, table_at_), table);
}

void life_range_reader::header_line(std::string_view table)
{
    constexpr std::size_t max_header_lines = 16;
    // After the rule that ends a table comes the text of the next function, not a header.
    if (header_.size() == max_header_lines) {
        in_header_ = false;
        return;
    }
    header_.emplace_back(table);
}

void life_range_reader::finish_header()
{
    groups_.clear();
    const auto titles = std::ranges::find_if(header_, [](const std::string& text) {
        return text.find("GPR") != std::string::npos || text.find("PRED") != std::string::npos;
    });
    if (titles == header_.end()) return;
    for (std::size_t at = titles->find('|'); at != std::string::npos;) {
        const std::size_t end = titles->find('|', at + 1);
        if (end == std::string::npos) break;
        if (const auto file = file_named(std::string_view(*titles).substr(at, end - at)))
            groups_.push_back({.file = *file, .begin = at + 1, .end = end, .registers = {}});
        at = end;
    }
    // Numbers are written vertically, one digit per line; a # marks the column of counts.
    const auto last = std::find_if(std::next(titles), header_.end(),
                                   [](const std::string& text) { return text.find('#') != std::string::npos; });
    if (last == header_.end()) return;
    for (column_group& group : groups_) {
        const std::size_t counts = last->find('#', group.begin);
        for (std::size_t column = group.begin; column < group.end && column < last->size(); ++column) {
            if (!is_digit((*last)[column]) || (counts < group.end && column <= counts)) continue;
            int number = 0;
            for (auto line = std::next(titles); line != std::next(last); ++line)
                if (column < line->size() && is_digit((*line)[column]))
                    number = std::min(number * 10 + ((*line)[column] - '0'), max_registers);
            if (number < max_registers) group.registers.emplace_back(column, number);
        }
    }
}

void life_range_reader::instruction(std::string_view text, std::string_view table)
{
    const auto address = address_and_rest(text);
    if (!address) return;
    next_.section = section_;
    next_.byte = address->first;
    next_.live = {};
    next_.general.clear();
    for (const column_group& group : groups_) {
        const std::size_t first = group.registers.empty() ? group.end : group.registers.front().first;
        std::string_view count = table.substr(0, std::min(first, table.size()));
        count = count.substr(std::min(group.begin, count.size()));
        const std::size_t at = count.find_first_not_of(' ');
        int live = 0;
        if (at != std::string_view::npos && count[at] != '|') {
            const auto [end, failure] = std::from_chars(count.data() + at, count.data() + count.size(), live);
            if (failure != std::errc() || live < 0 || live > max_registers) {
                ++not_understood_;
                return;
            }
        }
        next_.live[static_cast<std::size_t>(group.file)] = live;
        if (group.file != register_file::general) continue;
        for (const auto& [column, number] : group.registers)
            if (column < table.size() && table[column] != ' ')
                next_.general.emplace_back(number, table[column] == '^' || table[column] == 'x');
        if (next_.general.size() != static_cast<std::size_t>(live)) ++not_understood_;
    }
    found_(next_);
}

}  // namespace launchbox
