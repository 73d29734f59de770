// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/rules_report.hpp"

namespace launchbox {

nlohmann::ordered_json rules_json(const std::vector<rule_check>& rules)
{
    using nlohmann::ordered_json;
    ordered_json json = ordered_json::array();
    for (const rule_check& rule : rules)
        json.push_back({{"id", rule.id},
                        {"name", rule.name},
                        {"rule", rule.rule},
                        {"kept", rule.known ? ordered_json(rule.kept) : ordered_json(nullptr)},
                        {"costs", rule.known ? ordered_json(rule.costs) : ordered_json(nullptr)},
                        {"figure", rule.figure}});
    return json;
}

nlohmann::ordered_json broken_rules_json(const nlohmann::ordered_json& rules)
{
    nlohmann::ordered_json ids = nlohmann::ordered_json::array();
    for (const auto& rule : rules)
        if (rule["kept"] == false) ids.push_back(rule["id"]);
    return ids;
}

}  // namespace launchbox
