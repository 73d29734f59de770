// The loops of a condition_scan as a Lua function. Only for condition_scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/expression/condition_scan.hpp"

namespace launchbox {

/// Called once with the tables of values V, it returns the function of the places of the values before. That one
/// returns how many points it found and how many values it tried, and leaves the points in F and the counts of what was
/// turned away in T.
struct scan_code {
    std::string text;
    std::map<int, std::string> condition_of_line;  ///< on each of these lines only the expression can fail
    std::vector<const scan_level*> tables;         ///< V[i + 1] holds the values of the i-th
    std::vector<std::size_t> used_before;          ///< of the levels before: the function's parameters, in their order
    std::vector<std::size_t> counted;              ///< T[k + 1] counts what the k-th of these conditions rejected
};

/// `names`: of the levels before and of `levels`. Throws `error` for text that is not an expression.
scan_code code_of_scan(const std::vector<std::string>& names, const std::vector<scan_level>& before,
                       const std::vector<scan_level>& levels, const std::vector<std::string>& conditions,
                       const named_constants& constants);

}  // namespace launchbox
