// The beginning of a page: the kernels with findings, the worst first, and what to write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/inspect/kernel_counts.hpp"
#include "advice/inspect/kernel_findings.hpp"
#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// Each finding with its remedy, those about source lines first.
document findings_document(const inspection& found, const std::vector<kernel_findings>& kernels);

/// "3 kernels in 43 instances, 2 architectures, 86 compiled"; "1 kernel" if there is nothing to add.
std::string counts_text(const kernel_counts& counts);

}  // namespace launchbox
