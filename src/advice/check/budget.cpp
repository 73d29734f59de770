// SPDX-License-Identifier: Apache-2.0
#include "advice/check/budget.hpp"

#include <algorithm>

#include "advice/check/budget_limits.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

bool names_match(const budget_rule& rule, const checked_kernel& kernel);
bool architecture_matches(const budget_rule& rule, const checked_kernel& kernel);
void apply(const budget_rule& rule, bool architecture_known, effective_limits& limits);
std::string description(const budget_rule& rule);
std::string why_nothing(const budget& limits, const std::vector<bool>& used, std::size_t checks);

}  // namespace

bool budget::has_limits() const
{
    return std::any_of(rules.begin(), rules.end(), [](const budget_rule& rule) {
        return std::any_of(rule.limits.begin(), rule.limits.end(),
                           [](const auto& limit) { return limit && limit->value; });
    });
}

void check_budget(const budget& limits, check_result& result)
{
    gate passed{.name = limits.file, .decided = 0, .failing = 0, .why_nothing = {}};
    std::size_t checks = 0;
    std::vector<bool> used(limits.rules.size());
    for (std::size_t k = 0; k < result.kernels.size(); ++k) {
        const checked_kernel& kernel = result.kernels[k];
        effective_limits effective;
        for (std::size_t r = 0; r < limits.rules.size(); ++r) {
            const budget_rule& rule = limits.rules[r];
            if (!architecture_matches(rule, kernel) || !names_match(rule, kernel)) continue;
            used[r] = true;
            apply(rule, rule.architectures.empty() || !kernel.info.architecture.empty(), effective);
        }
        effective.dynamic_shared_of = result.dynamic_shared_of;
        for (std::size_t l = 0; l < effective.limits.size(); ++l) {
            if (!effective.limits[l]) continue;
            ++checks;
            std::optional<check_finding> finding = check_limit(static_cast<budget_limit>(l), effective, kernel);
            passed.decided += !finding || finding->status != check_status::unknown ? 1 : 0;
            if (!finding) continue;
            finding->kernel = k;
            finding->check = budget_limit_names[l];
            finding->fails = finding->status == check_status::broken || limits.unknown_fails;
            finding->set_by = {limits.file, effective.limits[l]->line};
            passed.failing += finding->fails ? 1 : 0;
            result.findings.push_back(std::move(*finding));
        }
    }
    passed.why_nothing = why_nothing(limits, used, checks);
    result.gates.push_back(std::move(passed));
    result.checks += checks;
    result.budget_file = limits.file;
    result.rules = limits.rules.size();
    if (limits.unused == unused_policy::allow) return;
    for (std::size_t r = 0; r < limits.rules.size(); ++r)
        if (!used[r] && !limits.rules[r].is_defaults)
            result.unused_rules.push_back({description(limits.rules[r]),
                                           {limits.file, limits.rules[r].line},
                                           limits.unused == unused_policy::fail});
}

namespace {

// Any of its copies may match, since symbols may differ.
bool names_match(const budget_rule& rule, const checked_kernel& kernel)
{
    const auto matches_copy = [&](const std::string& pattern) {
        for (std::size_t i = 0; i < kernel.copies(); ++i) {
            const checked_kernel& copy = kernel.copy(i);
            if (matches_kernel(pattern, copy.info.name, copy.info.demangled, copy.info.short_form)) return true;
        }
        return false;
    };
    return rule.patterns.empty() || std::ranges::any_of(rule.patterns, [&](const std::string& pattern) {
               return pattern == "*" || pattern == kernel.identity || matches_copy(pattern);
           });
}

// For a kernel of unknown architecture, it is unknown whether the rule applies.
bool architecture_matches(const budget_rule& rule, const checked_kernel& kernel)
{
    if (rule.architectures.empty() || kernel.info.architecture.empty()) return true;
    return std::any_of(rule.architectures.begin(), rule.architectures.end(), [&](const compute_capability& wanted) {
        return matches_architecture(wanted, kernel.info.architecture) ||
               matches_architecture(wanted, architecture_where_run(kernel.info));
    });
}

void apply(const budget_rule& rule, bool architecture_known, effective_limits& effective)
{
    if (rule.exempt && architecture_known) effective = {};
    for (std::size_t l = 0; l < rule.limits.size(); ++l) {
        const auto& setting = rule.limits[l];
        if (!setting) continue;
        if (setting->value)
            effective.limits[l] = {*setting->value, setting->line, architecture_known};
        else if (architecture_known)
            effective.limits[l].reset();
    }
    if (rule.threads) effective.threads = rule.threads->value;
    if (rule.dynamic_shared) effective.dynamic_shared = rule.dynamic_shared->value;
}

std::string why_nothing(const budget& limits, const std::vector<bool>& used, std::size_t checks)
{
    if (checks > 0) return "the figures that it limits are not known for these kernels";
    const auto number = static_cast<std::int64_t>(limits.rules.size());
    if (std::ranges::find(used, true) == used.end())
        return number == 1 ? "its rule matches none of these kernels"
                           : "none of its " + with_commas(number) + " rules matches one of these kernels";
    return "its rules leave these kernels without a limit";
}

std::string description(const budget_rule& rule)
{
    std::string text;
    for (const std::string& pattern : rule.patterns) text += (text.empty() ? "" : ", ") + pattern;
    if (text.empty()) text = "*";
    std::string architectures;
    for (const compute_capability& architecture : rule.architectures)
        architectures += (architectures.empty() ? " on " : ", ") + std::string(architecture_name(architecture).view());
    return text + architectures;
}

}  // namespace

}  // namespace launchbox
