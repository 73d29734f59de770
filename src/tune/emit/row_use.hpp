// Which row of a header a GPU has, and where that row was measured: what a launch box of it says of itself on the GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/detail/launch_box/row_rules.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "tune/emit/tuning_header.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

/// What the GPU of a run says of itself; 0 for what was not recorded.
detail::gpu_properties properties_of(const environment_info& where, const std::vector<device_record>& devices);

/// The place in the table of the row that code for this architecture has on a GPU. Without a GPU: on one for which
/// there is no row of its own. `nullopt`: code for the architecture does not compile.
std::optional<std::size_t> place_of_row(const header_table& table, const compute_capability& code,
                                        const std::optional<detail::gpu_properties>& gpu);

/// Of the row at a place, for code that has it, on a GPU or on any of the architecture: "the row of sm_90, measured
/// here", "the row of sm_90, measured on NVIDIA H200, inherited", "the row of sm_80, baseline, not measured".
std::string origin_of_row(const header_table& table, std::size_t place, const compute_capability& code,
                          const std::optional<detail::gpu_properties>& gpu);

}  // namespace launchbox
