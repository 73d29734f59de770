// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/rules_report.hpp"

#include <fmt/format.h>

namespace launchbox {

void add_rules(document& page, const std::string& of_what, const std::vector<rule_check>& rules)
{
    page.line("  rules of thumb, for " + of_what + ":");
    for (const rule_check& rule : rules)
        page.line(fmt::format("  {} {}: {} ({})",
                              !rule.known ? "?     "
                              : rule.kept ? "kept  "
                                          : "broken",
                              rule.name, rule.rule, rule.figure) +
                      (!rule.known  ? "; what the kernel uses is not known"
                       : rule.kept  ? ""
                       : rule.costs ? ", which costs occupancy"
                                    : ", which costs nothing here"),
                  rule.costs ? tone::warning : tone::plain);
}

std::string broken_rules_text(const std::vector<rule_check>& rules)
{
    std::string text;
    for (const rule_check& rule : rules)
        if (!rule.kept) text += (text.empty() ? "" : ", ") + rule.name + (rule.costs ? " (costs)" : " (free)");
    return text.empty() ? "–" : text;
}

}  // namespace launchbox
