// Which tuning parameters matter: how much of the variance of the times each explains.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/ranking/ranking.hpp"

namespace launchbox {

struct parameter_importance {
    std::vector<std::string> parameters;  ///< one, or two taken together
    /// 0 to 1: the share of the variance of log(time) between candidates that differ in these parameters. For a pair:
    /// what both explain together beyond each alone. Corrected for the number of groups (epsilon squared), so that a
    /// parameter does not seem to matter only because it has many values.
    double explained = 0;
};

struct importance {
    std::size_t candidates = 0;                 ///< measured, each code once
    std::vector<parameter_importance> singles;  ///< the largest first; parameters with one value are left out
    std::vector<parameter_importance> pairs;    ///< of those that explain at least 1 %, the largest first
};

/// For one workload. Empty if there are too few candidates (fewer than 8), or all times are equal.
importance importance_of(const std::vector<stored_result>& results, const ranking& workload);

}  // namespace launchbox
