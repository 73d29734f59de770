// Warnings of the compiler's front end: they name no kernel, so they are findings of the source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "compiler/log/resource_log.hpp"

namespace launchbox {

/// Adds the warnings of the log, each once, even if several architectures have it. Warnings of ptxas, and those that
/// name a kernel, are reported elsewhere. `text`: of the source `file`, for remedies.
void add_warnings(const resource_log& log, const std::string& file, std::string_view text,
                  std::vector<diagnosis>& findings);

}  // namespace launchbox
