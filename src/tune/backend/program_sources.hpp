// The files that the build of a [program] reads, if its command is a compiler's, which can list them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// The user's files that the compiler reads for the baseline, or for the first value of each parameter: runs its
/// command once more with -M. Includes files that options, NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS name, such as
/// response files and the files named in those. Empty if the command is not a known compiler's (make, a script) or does
/// not preprocess: then `sources` must list the files. `architecture`: the value of {arch}; may be empty. `cub`, if
/// given: receives the version of CUB that was read, "3.0.1", also if it is the toolkit's.
std::vector<std::filesystem::path> files_of_build(const tune_spec& spec, const std::string& architecture,
                                                  std::string* cub = nullptr);

/// Options that make the compiler of a build also write the list of files that it reads. Empty if there are none: not a
/// known compiler, several sources, or such options among its own.
std::vector<std::string> listing_options(const std::vector<std::string>& build, const std::filesystem::path& list);

/// The user's files in such a list, whose names are relative to `folder`. `build`: the build command; headers of its
/// toolkit are left out.
std::vector<std::filesystem::path> files_in_list(const std::string& rule, const std::filesystem::path& folder,
                                                 const std::vector<std::string>& build);

/// The flags that nvcc takes from the environment of a program's build; empty if nothing is built.
std::vector<std::string> flags_of_environment(const tune_spec& spec);

/// Whether a program is nvcc, gcc or clang, by its name: "/usr/bin/x86_64-linux-gnu-g++-12".
bool is_compiler(std::string_view program);

/// The files behind the colon of a rule for make, as compilers write it: `a\ b.o: a\ b.cu $$c.h \`.
std::vector<std::string> prerequisites_in(std::string_view rule);

}  // namespace launchbox
