// What may be handed to nvcc, which passes its arguments through a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// The name of a source as nvcc has to be given it. Throws `error` for names that cannot be got through.
std::string name_for_nvcc(const std::string& source);

/// The value of -gencode that makes machine code for one architecture: "arch=compute_90,code=sm_90".
std::string machine_code_for(const compute_capability& architecture);

/// Throws `error` for flags in which a shell would replace something.
void check_flags_for_nvcc(const std::vector<std::string>& flags);

/// With its temporary files in a folder of ours, where they do not stay if it is killed.
std::vector<std::string> environment_for_nvcc(const toolchain& tools, const std::filesystem::path& folder);

/// The values of the variables that change what nvcc makes of the same command, in a fixed order; empty: not set. What
/// they do to the preprocessor is in its text, too.
std::vector<std::string> environment_that_nvcc_reads();

/// The flags among them, as words.
std::vector<std::string> words_of_environment_for_nvcc();

/// Throws `error` when nvcc cannot work in a temporary folder of this name.
void check_folder_for_nvcc(const std::string& folder);

}  // namespace launchbox
