// Results of emit: each row with its gain on every workload, and the row that each architecture uses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "tune/emit/emit_tables.hpp"

namespace launchbox {

/// The message for an architecture without a row in the table.
std::string does_not_compile(const std::string& architecture);

document emit_document(const emitted_tables& emitted, const std::vector<emit_record>& records,
                       const std::vector<compute_capability>& architectures);

}  // namespace launchbox
