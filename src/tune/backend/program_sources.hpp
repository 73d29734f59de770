// What the build of a [program] reads, where its command is a compiler's, which can be asked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// The user's files that the compiler reads for the baseline, or for the first value of each parameter: its command is
/// run once more with -M. Also those that its options name, and NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS: response
/// files, and what these name. Empty where the command is no compiler's that is known (make, a script), or does not
/// preprocess: then `sources` names what results depend on. `architecture`: what {arch} is; may be empty.
/// `cub`, where it is given: the version of CUB that was read, "3.0.1", also where that is the toolkit's.
std::vector<std::filesystem::path> files_of_build(const tune_spec& spec, const std::string& architecture,
                                                  std::string* cub = nullptr);

/// Options by which the compiler that a build runs also lists what it reads, in a file. Empty where that is not known:
/// no compiler, several sources, or such options among its own.
std::vector<std::string> listing_options(const std::vector<std::string>& build, const std::filesystem::path& list);

/// The user's files in such a list: the names in it are from `folder`. `build`: by whose toolkit's headers are left
/// out.
std::vector<std::filesystem::path> files_in_list(const std::string& rule, const std::filesystem::path& folder,
                                                 const std::vector<std::string>& build);

/// What nvcc takes as flags from the environment, in which a program is built; empty where nothing is built.
std::vector<std::string> flags_of_environment(const tune_spec& spec);

/// Whether a program is nvcc, gcc or clang, by its name: "/usr/bin/x86_64-linux-gnu-g++-12".
bool is_compiler(std::string_view program);

/// The files behind the colon of a rule for make, as compilers write it: `a\ b.o: a\ b.cu $$c.h \`.
std::vector<std::string> prerequisites_in(std::string_view rule);

}  // namespace launchbox
