// The commands by which a build compiles a source, from the compile_commands.json that CMake, Bazel and others write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct build_command {
    std::vector<std::string> flags;
    std::string output;  ///< the output object, as in the file; empty if unknown
};

/// All commands for `source` that differ in their flags: several targets may compile one file. Only flags that affect
/// kernels are returned (build_flags.hpp). `text`: the content of the file; `database`: its name, for messages and for
/// relative folders. Throws `error` if the file is malformed, or does not contain this source.
std::vector<build_command> commands_in_database(std::string_view text, const std::string& database,
                                                const std::string& source);

/// The same for the file in this folder, or for this file.
std::vector<build_command> commands_of_build(const std::string& folder_or_file, const std::string& source);

}  // namespace launchbox
