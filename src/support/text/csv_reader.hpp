// Reads comma-separated values (RFC 4180) row by row. Linear in the text, which must outlive the rows.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

class csv_reader {
public:
    /// `name`: of the file, for messages. A byte order mark is skipped.
    csv_reader(std::string_view text, std::string name);

    /// The next row, or false at the end. Spaces around an unquoted cell are not part of it. Throws `error`, with the
    /// line, for a quote that is not closed or is inside a cell.
    bool next();

    /// Whether only empty lines are left.
    [[nodiscard]] bool at_empty_end() const { return text_.find_first_not_of("\r\n", at_) == std::string_view::npos; }

    /// Of the row read last; valid until the next is read.
    [[nodiscard]] const std::vector<std::string_view>& cells() const { return cells_; }

    /// "questions.csv:3", where the row read last begins.
    [[nodiscard]] std::string place() const;

private:
    std::string_view quoted_cell();
    std::string_view plain_cell();

    std::string_view text_;
    std::string name_;
    std::size_t at_ = 0;
    std::size_t line_ = 1, row_line_ = 1;
    std::vector<std::string_view> cells_;
    std::deque<std::string> unquoted_;  ///< cells with doubled quotes
};

}  // namespace launchbox
