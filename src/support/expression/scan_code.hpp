// The loops of a condition_scan as a Lua function. Only for condition_scan.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "support/expression/condition_scan.hpp"

namespace launchbox {

/// Code that is called once with the tables of values V. It returns a function that takes the indices of the values
/// before; that function returns the numbers of points found and of values tried, and leaves the points in F and the
/// numbers of rejected points in T.
struct scan_code {
    std::string text;
    std::map<int, std::string> condition_of_line;  ///< on each of these lines, only the expression can fail
    std::vector<const scan_level*> tables;         ///< V[i + 1] has the values of the i-th
    std::vector<std::size_t> used_before;          ///< of the levels before: the function's parameters, in order
    std::vector<std::size_t> counted;              ///< T[k + 1] counts rejections by the k-th of these conditions
};

/// `names`: of the levels before and of `levels`. Throws `error` for text that is not an expression.
scan_code code_of_scan(const std::vector<std::string>& names, const std::vector<scan_level>& before,
                       const std::vector<scan_level>& levels, const std::vector<std::string>& conditions,
                       const named_constants& constants);

}  // namespace launchbox
