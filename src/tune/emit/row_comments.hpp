// The comments above a row of a header: the row's origin.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/emit/emit_records.hpp"
#include "tune/emit/tuned_rows.hpp"
#include "tune/emit/tuning_header.hpp"

namespace launchbox {

struct old_row {
    std::string text, origin;  // "{256, 11, 0}", "the row of sm_80"; empty: there was none
    std::optional<assignment> measured = {};
};

/// A record's text, made safe for a comment: no line ends, and no backslash that would join lines.
std::string in_comment(std::string text);

/// The row's gain over the row that it replaces, as `// gain:` states it.
std::string gain_comment(const emit_record& record, const row_choice& choice, const old_row& old);

/// The lines of a row for one record; `gain`: the text after `// gain: `; `loss`: one more line, or empty.
std::vector<std::string> row_comments(const emit_record& record, const row_choice& choice, const std::string& gain,
                                      const std::string& loss = "");

/// The row that was replaced, as a row's own `// gain:` names it.
old_row replaced_by(const header_row& row);

/// The files, with their hashes, that a row names: "PATH HASH".
std::vector<std::string> records_of(const header_row& row);

/// The GPU of a record, as launch_box knows it; the memory's bandwidth only for tables that ask for it.
header_gpu gpu_of(const emit_record& record, bool with_bandwidth);

/// Throws `error` where outputs were not compared.
void refuse_unverified(const emit_record& record, const row_choice& choice, bool allowed);

}  // namespace launchbox
