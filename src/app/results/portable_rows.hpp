// Recorded results of several GPUs: the rows that serve all of them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "report/tune/portability_report.hpp"

namespace launchbox {

/// `within`: the loss that is accepted, 0.02 for 2 %. GPUs stand in the order in which their files were named. Throws
/// `error` for records that cannot be compared.
portability_report find_portable_rows(results_report found, double within);

}  // namespace launchbox
