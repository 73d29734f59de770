// Where a finding is shown to people who look at source files: in code scanning, in annotations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/check/check_report.hpp"

namespace launchbox {

/// The line where the kernel is written, when the line information tells; else the first line of the input; else, for
/// standard input, the line that sets the limit. Files below the tool's directory are relative to it.
file_line location_of(const check_finding& finding, const check_outcome& outcome);

/// A path as the tool's directory sees it: "src/a.cu" for "/home/me/app/src/a.cu" in /home/me/app.
std::string relative_path(const std::string& path, const std::string& directory);

/// The same number for the same kernel, architecture and check in every build: 16 hexadecimal digits.
std::string fingerprint_of(const check_finding& finding, const checked_kernel& kernel);

}  // namespace launchbox
