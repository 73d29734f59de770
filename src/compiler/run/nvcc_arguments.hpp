// What may be passed to nvcc, which runs its steps through a shell.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// The name of a source in the form that nvcc needs. Throws `error` for names that cannot be passed.
std::string name_for_nvcc(const std::string& source);

/// The value of -gencode that generates machine code for one architecture: "arch=compute_90,code=sm_90".
std::string machine_code_for(const compute_capability& architecture);

/// Throws `error` for flags in which a shell would expand something.
void check_flags_for_nvcc(const std::vector<std::string>& flags);

/// Puts temporary files into a folder of ours, which is removed even if nvcc is killed.
std::vector<std::string> environment_for_nvcc(const toolchain& tools, const std::filesystem::path& folder);

/// Whether a word begins nvcc's or clang's option for the language of sources: -x cu, --x=cu, -xcuda.
bool names_language(const std::string& word);

/// The values of the variables that change nvcc's output for the same command, in a fixed order; empty if not set.
/// Their effect on the preprocessor is also in its output.
std::vector<std::string> environment_that_nvcc_reads();

/// The flags among them, as words.
std::vector<std::string> words_of_environment_for_nvcc();

/// Throws `error` if nvcc cannot work in a temporary folder of this name.
void check_folder_for_nvcc(const std::string& folder);

}  // namespace launchbox
