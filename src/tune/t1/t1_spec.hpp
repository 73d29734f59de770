// T1, the JSON in which other tuners describe a problem, as a spec of ours.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Something that was not translated, or not quite.
struct t1_note {
    std::string place;  ///< "ConfigurationSpace.Conditions[2].Expression"
    std::string what;   ///< and what to do about it
};

struct t1_translation {
    std::string spec;  ///< TOML, with the notes as comments
    std::vector<t1_note> notes = {};
    bool has_kernel = false;  ///< without one the spec is not whole: the user adds [kernel] or [program]
};

/// Whether the text is meant as JSON, which a spec never is.
bool looks_like_json(std::string_view text);

/// Throws `error` with file and place for what is no JSON or no T1, and where parameters cannot be read; everything
/// else that has no equal is a note. `folder` is put before the files that the problem names: from where the spec is to
/// be, to where the problem is ("" or "kernels/").
t1_translation translate_t1(const std::string& file, const std::string& text, const std::string& folder = "");

}  // namespace launchbox
