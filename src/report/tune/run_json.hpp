// Recorded runs as parts of JSON and CSV, common to results, convergence and comparison.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <utility>
#include <vector>

#include "report/core/json.hpp"
#include "report/tune/results_report.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

/// A copy in which every name and text is safe for JSON.
nlohmann::ordered_json safe_json(const nlohmann::ordered_json& value);
/// Text of several lines keeps its lines and tabs; everything else is escaped as usual.
nlohmann::ordered_json lines_json(const std::string& text);
nlohmann::ordered_json values_json(const assignment& values);
nlohmann::ordered_json optional_values_json(const std::optional<assignment>& values);

/// Null if the samples are conclusive, or there are none.
nlohmann::ordered_json noise_json(const std::optional<sample_noise>& noise);

/// A member of a record: null if unknown.
template <class Value>
nlohmann::ordered_json member_json(const Value& value)
{
    if constexpr (requires { value.has_value(); })
        return value ? member_json(*value) : nlohmann::ordered_json(nullptr);
    else if constexpr (json_part<Value>)
        return safe_json(json_of(value));
    else
        return value_json(value);
}

/// `environments[]`, and `runs[]`, which refer to them.
std::pair<nlohmann::ordered_json, nlohmann::ordered_json> runs_json(const std::vector<shown_run>& runs,
                                                                    bool with_specs = false);

/// Each value as the text used in CSV.
nlohmann::ordered_json texts_json(const assignment& values);

/// "speed_up", "speed_up_low", "speed_up_high"; null if unknown.
void add_gain(nlohmann::ordered_json& json, const std::string& name, const std::optional<gain>& of);

}  // namespace launchbox
