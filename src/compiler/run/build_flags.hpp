// The flags of a build's command in the form in which we compile: response files expanded, build-only flags removed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace launchbox {

/// Replaces `@file`, `--options-file file` and `-optf=file` by the contents of these files, which may name others.
/// Relative names refer to `folder`, in every file. Throws `error` for a missing file, and for files that include each
/// other in a cycle.
std::vector<std::string> with_response_files(const std::vector<std::string>& words,
                                             const std::filesystem::path& folder);

/// Whether nvcc flags leave code generation to the device linker: -dlto, -lto.
bool asks_for_link_time_optimization(const std::vector<std::string>& flags);

/// Replaces -dlto, -dc and -dw by -rdc=true or -rdc=false, so that nvcc generates machine code for one source.
std::vector<std::string> for_machine_code(const std::vector<std::string>& flags);

/// The flags of a build's command, without response files, that affect kernels: include folders, macros, the language,
/// options of ptxas, device linking. Outputs, dependencies, architectures and inputs are omitted; paths become
/// absolute, from `folder`. For every compiler of build_compiler.hpp.
std::vector<std::string> flags_of_command(const std::vector<std::string>& words, const std::filesystem::path& folder);

}  // namespace launchbox
