// The answers of `occupancy --questions`: one row per launch, or one column per figure.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <vector>

#include "advice/model/occupancy_answer.hpp"
#include "report/core/document.hpp"

namespace launchbox {

document answers_document(const std::vector<occupancy_answer>& answers);

/// launchbox.occupancies/1: each figure is an array with one element per launch.
void write_answers_json(const std::vector<occupancy_answer>& answers, std::ostream& out);

void write_answers_csv(const std::vector<occupancy_answer>& answers, std::ostream& out);

}  // namespace launchbox
