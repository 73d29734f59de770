// A few kernels, each with a heading, a row per architecture, and its findings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

/// The tables of `inspect`; `accounts[i]` belongs to `found.kernels[i]`.
void add_kernel_tables(document& page, const inspection& found, const std::vector<kernel_account>& accounts,
                       table_place place);

/// A finding and its remedy. `where`: the architectures or the line, in brackets.
void add_finding(document& page, const diagnosis& finding, const std::string& where);

}  // namespace launchbox
