// Many conditions on many points, tried in loops inside Lua: there is one call for thousands of points.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "support/expression/value_expression.hpp"

namespace launchbox {

/// One loop.
struct scan_level {
    std::string name;
    std::vector<parameter_value> values;
    std::string when = {};                     ///< a condition on names before; empty: always true
    std::size_t listed = 0;                    ///< where it is true, the first so many values are tried,
    std::size_t otherwise = 0;                 ///< else this one
    std::vector<std::size_t> conditions = {};  ///< tried as soon as this name has a value
};

/// Loops over `levels`, the last fastest, below values of the levels before. Not for use by two threads at once.
class condition_scan {
public:
    /// `before`: the names that have a value when the loops begin. All names in conditions are constants, or names of
    /// `before` and `levels`. Throws `error` for text that is not an expression.
    condition_scan(const std::vector<scan_level>& before, const std::vector<scan_level>& levels,
                   const std::vector<std::string>& conditions, const named_constants& constants);
    ~condition_scan();
    condition_scan(condition_scan&&) noexcept;
    condition_scan& operator=(condition_scan&&) noexcept;

    /// The points for which all conditions are true, below the values that `before[i].values[prefix[i]]` are. A point
    /// is the number of its value on each level as one number, with the counts of values as radices, the last level
    /// lowest; rising. Throws `error` for a condition that fails or is neither true nor false.
    const std::vector<std::uint64_t>& operator()(const std::vector<std::uint32_t>& prefix);

    [[nodiscard]] std::uint64_t visited() const { return visited_; }  ///< values that were tried, on all levels
    /// For each condition how many points it turned away that those before it had passed.
    [[nodiscard]] const std::vector<std::uint64_t>& rejections() const { return rejections_; }

private:
    struct machine;
    std::unique_ptr<machine> machine_;
    std::vector<std::size_t> used_before_;  // of `before`: those whose values the conditions need
    std::vector<std::string> names_;
    std::vector<std::uint64_t> points_;
    std::uint64_t visited_ = 0;
    std::vector<std::uint64_t> rejections_;
    std::vector<std::size_t> counted_;  // the conditions that are tried here
};

}  // namespace launchbox
