// Host code that chooses by __CUDA_ARCH__, which only device code has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "compiler/source_constants.hpp"
#include "compiler/source_launches.hpp"
#include "compiler/source_scopes.hpp"

namespace launchbox {

std::vector<diagnosis> lint_cuda_arch(const std::string& file, const source_text& source, const source_scopes& scopes,
                                      const source_constants& constants, const std::vector<source_launch>& launches);

}  // namespace launchbox
