// Maps of results as a page of their own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "report/tune/landscape_report.hpp"

namespace launchbox {

std::string landscape_page(const landscape_report& report);

}  // namespace launchbox
