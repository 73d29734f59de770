// Findings of `check` as workflow commands, which GitHub Actions shows as annotations.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "report/check/check_report.hpp"

namespace launchbox {

/// `::error file=...,line=...,title=...::message` for each failure, `::warning` for what is allowed, and the summary.
/// GitHub shows 10 per level and step, and silently drops the others.
inline constexpr std::size_t max_annotations = 10;

std::string check_annotations(const check_outcome& outcome);

/// The message of a workflow command: %, CR and LF encoded, other control characters as \xNN.
std::string annotation_message(std::string_view text);

/// The value of a property: also encodes : and ,
std::string annotation_property(std::string_view text);

}  // namespace launchbox
