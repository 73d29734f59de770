// How all verbs write files that the user names: inputs are never overwritten, nor files that launchbox did not write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

namespace launchbox::cli {

/// Where output goes: a file, or standard output for "" and "-".
struct output_file {
    std::string path = {};
    bool overwrite = false;  ///< --overwrite: also replace a file that launchbox did not write

    [[nodiscard]] bool is_file() const { return !path.empty() && path != "-"; }
    void add_overwrite(CLI::App& app);
};

/// Whether an option's words name files that are read: FILE and the like, in an option that is not an output.
bool names_inputs(const CLI::Option& option);

/// Notes the files named by the words of an option, or by those after "--", even inside a word: --options-file=FILE,
/// "-include FILE".
void note_named_inputs(const std::vector<std::string>& words);

/// Throws `error` if the file was read or named as an input.
void refuse_input(const output_file& output);

/// Called before the work: throws the same, and if the file exists and is not ours. `write_output` checks what depends
/// on the new content.
void check_output(const output_file& output);

/// Throws the same, and if the existing file is not of a kind that the new one may replace (`may_replace`). Identical
/// bytes may always be written.
void write_output(const output_file& output, const std::function<void(std::ostream&)>& writer);

/// Whether the file has another name, too (a hard link), which will not refer to the new file.
bool has_other_names(const std::string& path);
void report_other_names(const std::string& path);

/// The same for a file that was read in order to be changed: the verb knows its content.
void update_output(const output_file& output, const std::function<void(std::ostream&)>& writer);

}  // namespace launchbox::cli
