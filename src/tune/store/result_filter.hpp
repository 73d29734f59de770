// The workloads and candidates that the user selects: "type=int n=1e8".
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/expression/parameter_value.hpp"

namespace launchbox {

/// Names, each once, with the accepted values. Empty: everything is selected.
struct value_filter {
    std::vector<std::pair<std::string, std::vector<std::string>>> wanted;

    /// Numbers are compared as numbers: 1e8 is 100000000.
    [[nodiscard]] bool matches(const assignment& values) const;
};

/// Parses "type=int,double,n=1e8": a comma is followed by another name=value or, without =, by another value of the
/// previous name. A name in several texts has the values of all. Throws `error` for anything else; `option` is used in
/// messages.
value_filter parse_value_filter(const std::vector<std::string>& texts, const std::string& option);

/// Whether `wanted` is part of the name of a GPU or processor, ignoring case: --gpu h100.
bool names_machine(std::string_view name, std::string_view wanted);

}  // namespace launchbox
