// Where code scanning and annotations show a finding to people who look at source files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/check/check_report.hpp"

namespace launchbox {

/// The kernel's source line if line information is available; else the first line of the input; for standard input, the
/// line that sets the limit. Files below the tool's directory are relative to it.
file_line location_of(const check_finding& finding, const check_outcome& outcome);

/// A path relative to the tool's directory: "src/a.cu" for "/home/me/app/src/a.cu" in /home/me/app.
std::string relative_path(const std::string& path, const std::string& directory);

/// The same for the same kernel, architecture and check in every build: 16 hexadecimal digits.
std::string fingerprint_of(const check_finding& finding, const checked_kernel& kernel);

}  // namespace launchbox
