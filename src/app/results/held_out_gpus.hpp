// Recorded spaces of several GPUs: chooses rows for each GPU from the records of the others.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "app/listener.hpp"
#include "report/tune/held_out_report.hpp"
#include "report/tune/results_report.hpp"

namespace launchbox {

/// As the record has it, else from other GPUs of the same name.
std::optional<compute_capability> architecture_of(const environment_info& where);

/// Runs with the same name, parameters and workloads are records of one space. Spaces with one GPU are reported and
/// left out.
std::vector<held_out_space> hold_gpus_out(std::vector<shown_run> runs, left_out what, const listener& news);

}  // namespace launchbox
