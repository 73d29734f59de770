// Findings of a compiler's log that belong to no particular kernel: options that ptxas ignored, losses without a
// kernel's name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "compiler/log/resource_log.hpp"

namespace launchbox {

/// A log, and its origin: its own file, or a source and one of the architectures that it was compiled for.
struct linted_log {
    const resource_log* log = nullptr;
    std::string file;          ///< of the log; empty if printed for a source: then its line numbers mean nothing
    std::string architecture;  ///< of a source; if empty, those in the log
};

/// Equal findings for several architectures are merged.
std::vector<diagnosis> lint_logs(const std::vector<linted_log>& logs);

/// Adds the warnings of the log, each once, even if several architectures have it. Warnings of ptxas, and those that
/// name a kernel, are reported elsewhere. `text`: of the source `file`, for remedies.
void add_warnings(const resource_log& log, const std::string& file, std::string_view text,
                  std::vector<diagnosis>& findings);

}  // namespace launchbox
