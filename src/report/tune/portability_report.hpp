// Rows for several GPUs: how fast each candidate is on all of them, and how few rows are enough.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>

#include "report/core/document.hpp"
#include "report/tune/results_report.hpp"
#include "tune/ranking/portability.hpp"

namespace launchbox {

struct portability_report {
    results_report found;
    portability rows;
    double within = 0.02;  ///< accepted loss on every GPU
};

document portability_document(const portability_report& report);

/// launchbox.portability/1, one row at a time.
void write_portability_json(const portability_report& report, std::ostream& out);

/// One row per candidate, with its share on each GPU.
table portability_table(const portability_report& report);

}  // namespace launchbox
