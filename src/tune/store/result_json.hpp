// Parts of results as JSON: the same in the columns of the store and in launchbox.results/1.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>

#include "tune/types/results.hpp"

namespace launchbox {

/// An object with the values in their order: {"threads":256,"items":11}.
nlohmann::ordered_json json_of(const assignment& values);
nlohmann::ordered_json json_of(const device_state& state);
nlohmann::ordered_json json_of(const gpu_hardware& hardware);
nlohmann::ordered_json json_of(const phase_seconds& phases);
/// Samples by name: {"energy":[0.31,0.32]}.
nlohmann::ordered_json json_of(const measured_quantities& quantities);
/// The properties of a kernel that decide how it runs, under the names of launchbox.kernels/2.
nlohmann::ordered_json json_of(const kernel_info& kernel);

// The other way. False: malformed, discard all.
bool read_json(const nlohmann::ordered_json& from, assignment& values);
bool read_json(const nlohmann::ordered_json& from, device_state& state);
bool read_json(const nlohmann::ordered_json& from, gpu_hardware& hardware);
bool read_json(const nlohmann::ordered_json& from, phase_seconds& phases);
bool read_json(const nlohmann::ordered_json& from, measured_quantities& quantities);
bool read_json(const nlohmann::ordered_json& from, kernel_info& kernel);

/// Parts of a result that are stored as JSON.
template <class Value>
concept json_part = requires(const nlohmann::ordered_json& from, Value& value) { read_json(from, value); };

/// What is wrong with a result that another program wrote, or that is to be written, in a few words; empty: nothing.
std::string why_invalid(const stored_result& result);
std::string why_invalid(const race_result_info& race);
std::string why_invalid(const device_record& device);
std::string why_invalid(const run_info& run);

}  // namespace launchbox
