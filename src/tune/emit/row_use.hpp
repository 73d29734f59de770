// Which row of a header a GPU uses, and where that row was measured: as a launch box reports it on the GPU.
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

/// The GPU's properties from a run; 0 if not recorded.
detail::gpu_properties properties_of(const environment_info& where, const std::vector<device_record>& devices);

/// The index of the row that code for this architecture uses on a GPU; without a GPU, on one that has no row of its
/// own. `nullopt`: code for the architecture does not compile.
std::optional<std::size_t> place_of_row(const header_table& table, const compute_capability& code,
                                        const std::optional<detail::gpu_properties>& gpu);

/// Describes the row at an index, for code that uses it on a GPU, or on any GPU of the architecture: "the row of sm_90,
/// measured here", "the row of sm_90, measured on NVIDIA H200, inherited", "the row of sm_80, baseline, not measured".
std::string origin_of_row(const header_table& table, std::size_t place, const compute_capability& code,
                          const std::optional<detail::gpu_properties>& gpu);

}  // namespace launchbox
