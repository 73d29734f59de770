// The launches of a program, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "capture/launches/observed_run.hpp"
#include "report/core/document.hpp"

namespace launchbox {

struct launches_view {
    bool all = false;      ///< every kernel and shape, not only the longest
    bool findings = true;  ///< also possible gains
};

document launches_document(const observed_run& run, const launches_view& view);

/// Only the possible gains. Empty if there are none.
document launch_findings_document(const observed_run& run);

/// launchbox.launches/1.
nlohmann::ordered_json launches_json(const observed_run& run);

/// One row for each kernel and shape.
table launches_table(const observed_run& run);

}  // namespace launchbox
