// Which tuning parameters matter: how much of the variance of the times each explains.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/ranking/ranking.hpp"

namespace launchbox {

struct parameter_importance {
    std::vector<std::string> parameters;  ///< one, or two taken together
    /// 0 to 1: the part of the variance of log(time) that lies between the candidates that differ in these. Of two,
    /// what they explain together beyond what each does alone. Corrected for the number of groups (epsilon squared), so
    /// that a parameter of many values does not seem to matter for that alone.
    double explained = 0;
};

struct importance {
    std::size_t candidates = 0;                 ///< measured, each code once
    std::vector<parameter_importance> singles;  ///< the largest first; parameters with one value are left out
    std::vector<parameter_importance> pairs;    ///< of those that explain at least 1 %, the largest first
};

/// Of one workload. Too few candidates to tell (fewer than 8, or all times equal): nothing is in it.
importance importance_of(const std::vector<stored_result>& results, const ranking& workload);

}  // namespace launchbox
