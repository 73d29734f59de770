// Rules of thumb for a block size, for people and for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "advice/model/rules_of_thumb.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// One line per rule; `of_what`: "this launch".
void add_rules(document& page, const std::string& of_what, const std::vector<rule_check>& rules);

/// "divides the SM (free), registers (costs)": the broken rules, and whether they matter here.
std::string broken_rules_text(const std::vector<rule_check>& rules);

nlohmann::ordered_json rules_json(const std::vector<rule_check>& rules);

/// The ids of the broken rules in the output of `rules_json`.
nlohmann::ordered_json broken_rules_json(const nlohmann::ordered_json& rules);

}  // namespace launchbox
