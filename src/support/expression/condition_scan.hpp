// Tests many conditions on many points in loops inside Lua, with one call for thousands of points.
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
    std::string when = {};                     ///< a condition on earlier names; empty: always true
    std::size_t listed = 0;                    ///< if `when` is true, this many values are tried,
    std::size_t otherwise = 0;                 ///< else only the one with this index
    std::vector<std::size_t> conditions = {};  ///< tried as soon as this name has a value
};

/// Loops over `levels`, the last fastest, for given values of the levels before. Not thread-safe.
class condition_scan {
public:
    /// `before`: the names that have a value when the loops begin. Names in conditions are constants, or names of
    /// `before` and `levels`. Throws `error` for text that is not an expression.
    condition_scan(const std::vector<scan_level>& before, const std::vector<scan_level>& levels,
                   const std::vector<std::string>& conditions, const named_constants& constants);
    ~condition_scan();
    condition_scan(condition_scan&&) noexcept;
    condition_scan& operator=(condition_scan&&) noexcept;

    /// The points at which all conditions are true, given the values `before[i].values[prefix[i]]`. A point is one
    /// number, composed of the index of its value on each level, with the counts of values as radices and the last
    /// level lowest; ascending. Throws `error` for a condition that fails or is neither true nor false.
    const std::vector<std::uint64_t>& operator()(const std::vector<std::uint32_t>& prefix);

    [[nodiscard]] std::uint64_t visited() const { return visited_; }  ///< values tried on all levels
    /// For each condition, the number of points that it rejected after the conditions before it passed.
    [[nodiscard]] const std::vector<std::uint64_t>& rejections() const { return rejections_; }

private:
    struct machine;
    std::unique_ptr<machine> machine_;
    std::vector<std::size_t> used_before_;  // those of `before` whose values the conditions need
    std::vector<std::string> names_;
    std::vector<std::uint64_t> points_;
    std::uint64_t visited_ = 0;
    std::vector<std::uint64_t> rejections_;
    std::vector<std::size_t> counted_;  // the conditions tested here
};

}  // namespace launchbox
