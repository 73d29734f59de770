// Which workloads and candidates the user means: "type=int n=1e8".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "support/expression/parameter_value.hpp"

namespace launchbox {

/// Names with the values that they must have. Empty: everything is meant.
struct value_filter {
    std::vector<std::pair<std::string, std::string>> wanted;

    /// Numbers are compared as numbers: 1e8 is 100000000.
    [[nodiscard]] bool matches(const assignment& values) const;
};

/// From name=value, separated by blanks or commas. Throws `error` for anything else; `option` stands in messages.
value_filter parse_value_filter(const std::vector<std::string>& texts, const std::string& option);

}  // namespace launchbox
