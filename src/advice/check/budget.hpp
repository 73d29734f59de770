// Limits for kernels, as described in docs/check.md.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/check/check_result.hpp"

namespace launchbox {

/// In the order in which findings are shown.
enum class budget_limit {
    max_registers,
    max_spill_bytes,
    max_shared_spill_bytes,
    max_stack_bytes,
    max_static_shared,
    max_code_bytes,
    min_blocks_per_sm,
    min_occupancy,
    require_launch_bounds,
};
inline constexpr std::array<std::string_view, 9> budget_limit_names{
    "max_registers",  "max_spill_bytes",   "max_shared_spill_bytes", "max_stack_bytes",      "max_static_shared",
    "max_code_bytes", "min_blocks_per_sm", "min_occupancy",          "require_launch_bounds"};

/// One key of a rule, with its line.
template <class Value>
struct rule_setting {
    Value value = {};
    int line = 0;
};

/// `[defaults]` or one `[[rule]]`. Settings that it omits are inherited from the rules before it.
struct budget_rule {
    std::vector<std::string> patterns;              ///< empty: every kernel
    std::vector<compute_capability> architectures;  ///< empty: all; without a variant: all variants
    bool exempt = false;                            ///< drops the settings of earlier rules
    /// By `budget_limit`; the inner `nullopt` is "any": no limit. `require_launch_bounds` is 1 or unset.
    std::array<std::optional<rule_setting<std::optional<double>>>, budget_limit_names.size()> limits;
    std::optional<rule_setting<int>> threads;
    std::optional<rule_setting<std::int64_t>> dynamic_shared;
    int line = 0;
    bool is_defaults = false;
};

enum class unused_policy { warn, fail, allow };

struct budget {
    std::string file;
    std::vector<budget_rule> rules;  ///< in the order of the file, `[defaults]` first
    bool unknown_fails = true;
    unused_policy unused = unused_policy::warn;

    [[nodiscard]] bool has_limits() const;
};

/// Checks all of `result.kernels` and adds to its findings, unused rules and counts.
void check_budget(const budget& limits, check_result& result);

}  // namespace launchbox
