// Whether launchbox wrote a file, by its content: only then may the next output take its place.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace launchbox {

/// What is lost with a file.
enum class own_kind : std::uint8_t {
    none,      ///< it is somebody else's, or the user goes on with it: a spec, a file for another tool
    report,    ///< what can be had again: a table, a page, a picture
    record,    ///< what was measured, as JSON
    baseline,  ///< of `check`
    rows,      ///< of `emit`
};

struct own_file {
    own_kind kind = own_kind::none;
    std::string form = {};  ///< of a record its schema, of rows their form

    friend bool operator==(const own_file&, const own_file&) = default;
};

/// The first bytes and the last ones of a file that `own_file_of` looks at.
inline constexpr std::size_t own_file_beginning = 65536, own_file_end = 256;

own_file own_file_of(std::string_view beginning, std::string_view end);

/// Whether `made` may take the place of `old`: a report that of any other report, all else only that of its like.
bool may_replace(const own_file& old, const own_file& made);

/// The last line of a text that is written to a file, and of Markdown and HTML. `verb`: "inspect".
std::string own_mark(std::string_view verb);
std::string own_markup_mark(std::string_view verb);

}  // namespace launchbox
