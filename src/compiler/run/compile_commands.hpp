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

/// All commands of `source`, each of other flags: several targets can compile one file. Of the flags those that matter
/// for what its kernels become (build_flags.hpp). `text` is the content of the file, `database` its name, for messages
/// and as the place of relative folders. Throws `error` where the file is none, or does not have this source.
std::vector<build_command> commands_in_database(std::string_view text, const std::string& database,
                                                const std::string& source);

/// Of the file in this folder, or of this file itself.
std::vector<build_command> commands_of_build(const std::string& folder_or_file, const std::string& source);

}  // namespace launchbox
