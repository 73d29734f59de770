// The one way in which verbs write files that the user names: nothing that was read is written over, nor what launchbox
// did not write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace launchbox::cli {

/// Where something is written: a file, or standard output for "" and "-".
struct output_file {
    std::string path = {};
    bool overwrite = false;  ///< --overwrite: a file that launchbox did not write is replaced, too

    [[nodiscard]] bool is_file() const { return !path.empty() && path != "-"; }
    void add_overwrite(CLI::App& app);
};

/// Whether the words of an option name files that are read: FILE and the like, of an option that is not written.
bool names_inputs(const CLI::Option& option);

/// Notes the files that the words of an option, or those behind "--", name, also within a word: --options-file=FILE,
/// "-include FILE".
void note_named_inputs(const std::vector<std::string>& words);

/// Throws `error` where the file was read or named as an input.
void refuse_input(const output_file& output);

/// Before the work: throws the same, and where the file is there and is not ours. What only the new content can tell is
/// said by `write_output`.
void check_output(const output_file& output);

/// Throws the same, and where what is there is not of the kind that takes its place (`may_replace`). The same bytes may
/// always be written.
void write_output(const output_file& output, const std::function<void(std::ostream&)>& writer);

/// Whether it is a file that has another name, too (a hard link), which a new file in its place does not have.
bool has_other_names(const std::string& path);
void report_other_names(const std::string& path);

/// The same of a file that was read to be changed: whatever is in it, the verb has seen.
void update_output(const output_file& output, const std::function<void(std::ostream&)>& writer);

}  // namespace launchbox::cli
