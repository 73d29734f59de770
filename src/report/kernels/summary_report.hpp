// `inspect --summary`: each input as a whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "advice/inspect/kernel_summary.hpp"
#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

struct summarized_input {
    inspected_input input;
    kernel_summary summary;
};

/// One per input, in order. An input named twice is summarised once.
std::vector<summarized_input> summaries_of(const inspection& found);

document summary_document(const std::vector<summarized_input>& inputs);

/// launchbox.summary/1.
nlohmann::ordered_json summary_json(const std::vector<summarized_input>& inputs);

/// One row per input, architecture and kind of image.
table summary_table(const std::vector<summarized_input>& inputs);

}  // namespace launchbox
