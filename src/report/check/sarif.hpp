// Findings of `check` as SARIF 2.1.0, for code scanning.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "report/check/check_report.hpp"

namespace launchbox {

nlohmann::ordered_json check_sarif(const check_outcome& outcome);

/// A path as a URI: "src/a%20b.cu", "file:///opt/a.cu".
std::string uri_of(const std::string& path);

}  // namespace launchbox
