// CUDA sources, which are compiled for each architecture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// Whether the name is that of a source to compile, and not of a file of kernels.
bool is_source(const std::string& file);

/// A source, or a folder of them.
bool has_sources(const std::string& name);

/// The user's flags, with response files expanded; without regard to a source's own architecture and outputs.
std::vector<std::string> flags_for_nvcc(const std::vector<std::string>& flags);

/// The architectures that a source is compiled for: those that the user named, or that of this machine's GPU. Throws
/// `error` for an architecture that launchbox does not know.
std::vector<target> source_targets(const architecture_list& architectures, const toolchain& tools);

}  // namespace launchbox
