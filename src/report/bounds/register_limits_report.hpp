// The registers that launch bounds leave on each chip, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <vector>

#include "advice/bounds/register_limits.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// With `each_chip`, particular bounds were asked about, and each chip has a row; otherwise chips with equal answers
/// share a table of all bounds.
document register_limits_document(const std::vector<register_limits>& all, bool each_chip);

/// launchbox.register_limits/1.
nlohmann::ordered_json register_limits_json(const std::vector<register_limits>& all);

/// One row per bound.
table register_limits_table(const std::vector<register_limits>& all);

}  // namespace launchbox
