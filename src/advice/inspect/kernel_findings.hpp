// The findings of many kernels grouped by kernel, the worst first: the beginning of a report.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

/// One kernel with all its findings; the same finding on several architectures counts once.
struct kernel_findings {
    struct finding {
        diagnosis what;
        std::vector<std::string> architectures;
    };
    const inspected_kernel* kernel = nullptr;  ///< on an architecture with the worst finding
    std::vector<finding> findings;             ///< errors first
    std::int64_t spilled_bytes = 0;            ///< stores and loads, on the architecture with the most
    std::string next_step = {};                ///< a command; empty if none

    [[nodiscard]] severity worst() const { return findings.front().what.level; }
};

/// Omits kernels without findings. Errors come first, then the most spilled bytes.
std::vector<kernel_findings> findings_by_kernel(const std::vector<inspected_kernel>& kernels);

/// The number of kernels with each finding, the most frequent first.
std::vector<finding_count> count_findings(const std::vector<kernel_findings>& kernels);

}  // namespace launchbox
