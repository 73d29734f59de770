// Findings of `check` as JUnit XML, for test reports.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/check/check_report.hpp"

namespace launchbox {

/// One test case a kernel and architecture; besides, one for each unused rule that fails and for each input with
/// errors.
std::string check_junit(const check_outcome& outcome);

/// Text for XML 1.0, in elements and in attributes: what is not printable UTF-8, or no character of XML, as \xNN.
std::string xml_text(std::string_view text);

}  // namespace launchbox
