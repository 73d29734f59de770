// Which workloads and candidates the user means: "type=int n=1e8".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/expression/parameter_value.hpp"

namespace launchbox {

/// Names, each once, with the values of which they must have one. Empty: everything is meant.
struct value_filter {
    std::vector<std::pair<std::string, std::vector<std::string>>> wanted;

    /// Numbers are compared as numbers: 1e8 is 100000000.
    [[nodiscard]] bool matches(const assignment& values) const;
};

/// From "type=int,double,n=1e8": what follows a comma is another name=value, or without = another value of the name
/// before. A name of several texts has the values of all. Throws `error` for anything else; `option` stands in
/// messages.
value_filter parse_value_filter(const std::vector<std::string>& texts, const std::string& option);

/// Whether `wanted` is a part of the name of a GPU or processor, in whatever case: --gpu h100.
bool names_machine(std::string_view name, std::string_view wanted);

}  // namespace launchbox
