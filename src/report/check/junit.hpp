// Findings of `check` as JUnit XML, for test reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/check/check_report.hpp"

namespace launchbox {

/// One test case per kernel and architecture, and one for each unused rule that fails and each input with errors.
std::string check_junit(const check_outcome& outcome);

/// Text for XML 1.0, in elements and attributes: anything but printable UTF-8 that XML allows becomes \xNN.
std::string xml_text(std::string_view text);

}  // namespace launchbox
