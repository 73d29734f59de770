// The commands that a build uses for a source, from the compile_commands.json that CMake, Bazel and others write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct build_command {
    std::vector<std::string> flags;
    std::string output;  ///< the object that it makes, as the file has it; empty: unknown
};

/// All commands of `source` that differ in their flags: several targets can compile one file. Only flags that affect
/// kernels are returned (build_flags.hpp). `text`: the content of the file; `database`: its name, for messages and for
/// relative folders. Throws `error` if the file is malformed, or does not contain this source.
std::vector<build_command> commands_in_database(std::string_view text, const std::string& database,
                                                const std::string& source);

/// Of the file in this folder, or of this file itself.
std::vector<build_command> commands_of_build(const std::string& folder_or_file, const std::string& source);

}  // namespace launchbox
