// Which images of the inputs were not read, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// A line for each input of which something was not read, after an empty one.
void add_skipped(document& page, const std::vector<inspected_input>& inputs);

/// `skipped_images[]` of one input.
nlohmann::ordered_json skipped_json(const inspected_input& input);

/// `skipped_images[]` of all inputs, each with its file.
nlohmann::ordered_json skipped_json(const std::vector<inspected_input>& inputs);

}  // namespace launchbox
