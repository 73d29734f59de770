// CUDA sources, which are compiled for each architecture.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// By its name: it is compiled, and no file of kernels.
bool is_source(const std::string& file);

/// A source, or a folder of them.
bool has_sources(const std::string& name);

/// Flags of the user, with response files read; of a source's own architecture and outputs nothing is known here.
std::vector<std::string> flags_for_nvcc(const std::vector<std::string>& flags);

/// What a source is compiled for: what the user named, or the GPU here. Throws `error` for an architecture that
/// launchbox does not know.
std::vector<target> source_targets(const architecture_list& architectures, const toolchain& tools);

}  // namespace launchbox
