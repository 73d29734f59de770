// Images of the inputs that were not read, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// After an empty line, one line per input with unread images.
void add_skipped(document& page, const std::vector<inspected_input>& inputs);

/// `skipped_images[]` of one input.
nlohmann::ordered_json skipped_json(const inspected_input& input);

/// `skipped_images[]` of all inputs, each with its file.
nlohmann::ordered_json skipped_json(const std::vector<inspected_input>& inputs);

}  // namespace launchbox
