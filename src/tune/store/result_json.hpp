// Parts of results as JSON: the same in the columns of the store and in launchbox.results/1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <vector>

#include "tune/types/results.hpp"

namespace launchbox {

/// An object with the values in their order: {"threads":256,"items":11}.
nlohmann::ordered_json json_of(const assignment& values);
nlohmann::ordered_json json_of(const device_state& state);
nlohmann::ordered_json json_of(const gpu_hardware& hardware);
nlohmann::ordered_json json_of(const phase_seconds& phases);
/// What of a kernel decides how it runs, under the names of launchbox.kernels/2.
nlohmann::ordered_json json_of(const kernel_info& kernel);

// The other way. `nullopt`: malformed, discard all.
std::optional<assignment> assignment_of(const nlohmann::ordered_json& value);
std::optional<device_state> device_state_of(const nlohmann::ordered_json& value);
std::optional<gpu_hardware> gpu_hardware_of(const nlohmann::ordered_json& value);
std::optional<phase_seconds> phase_seconds_of(const nlohmann::ordered_json& value);
std::optional<kernel_info> kernel_of(const nlohmann::ordered_json& value);

/// What is wrong with a result that somebody else wrote, or is to be written: in a few words; empty: nothing.
std::string why_invalid(const stored_result& result);
std::string why_invalid(const race_result_info& race);
std::string why_invalid(const device_record& device);

}  // namespace launchbox
