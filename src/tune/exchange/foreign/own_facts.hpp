// launchbox's data for which another tuner's format has no place: one member "launchbox", which that tuner's readers
// ignore.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "tune/types/results.hpp"

namespace launchbox {

struct own_facts {
    environment_info environment;  ///< without the host: files are given away
    assignment workload;
    double weight = 1;
    work_amounts work = {};
    std::optional<assignment> baseline = {};
};

nlohmann::ordered_json json_of(const own_facts& facts);

/// What is there and is what was written goes into `facts`; the rest of it stays.
void read_own_facts(const nlohmann::ordered_json& value, own_facts& facts);

}  // namespace launchbox
