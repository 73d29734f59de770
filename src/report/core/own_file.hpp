// Recognises by its content whether launchbox wrote a file: only then may the next output replace it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace launchbox {

/// What would be lost with a file.
enum class own_kind : std::uint8_t {
    none,      ///< not ours, or to be edited by the user: a spec, a file for another tool
    report,    ///< can be made again: a table, a page, a picture
    record,    ///< measurements as JSON
    baseline,  ///< of `check`
    rows,      ///< of `emit`
};

struct own_file {
    own_kind kind = own_kind::none;
    std::string form = {};  ///< the schema of a record, or the format of rows

    friend bool operator==(const own_file&, const own_file&) = default;
};

/// How many bytes at the beginning and the end of a file `own_file_of` looks at.
inline constexpr std::size_t own_file_beginning = 65536, own_file_end = 256;

own_file own_file_of(std::string_view beginning, std::string_view end);

/// Whether `made` may replace `old`: a report may replace any other report, everything else only its own kind.
bool may_replace(const own_file& old, const own_file& made);

/// The mark in the last line of a text file, or of Markdown and HTML. `verb`: "inspect".
std::string own_mark(std::string_view verb);
std::string own_markup_mark(std::string_view verb);

}  // namespace launchbox
