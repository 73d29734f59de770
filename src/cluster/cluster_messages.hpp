// What ranks say to each other: a JSON object on a line, and behind it the bytes of a module where one travels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "tune/run/backend.hpp"

namespace launchbox {

struct cluster_message {
    nlohmann::ordered_json said = nlohmann::ordered_json::object();
    std::string bytes = {};
};

std::string text_of(const cluster_message& message);
/// Throws `error` for what is no message.
cluster_message cluster_message_of(const std::string& text);

/// What a rank says of itself before anything is done.
struct rank_facts {
    int rank = 0;
    std::string version;  ///< of launchbox
    std::string host;
    std::string spec_hash, source_hash;
    std::string driver, toolkit;   ///< "13.0", "NVRTC 13.0"; empty: none
    std::vector<int> cores;        ///< that it may run on, by their numbers
    std::vector<gpu_device> gpus;  ///< that it sees
    std::string no_gpu;            ///< why it sees none
    std::string failure;           ///< why it cannot take part; empty: it can
    std::string hint;              ///< with `failure`: what to do
};

nlohmann::ordered_json json_of(const rank_facts& facts);
nlohmann::ordered_json json_of(const gpu_device& gpu);
nlohmann::ordered_json json_of(const tune_job& job);
nlohmann::ordered_json json_of(const measure_request& request);
/// Without the files: they are where it was prepared.
nlohmann::ordered_json json_of(const prepared_job& made);
nlohmann::ordered_json json_of(const measurement& measured);

// The other way; they throw `error` for what is none.
rank_facts facts_of(const nlohmann::ordered_json& from);
gpu_device gpu_of(const nlohmann::ordered_json& from);
tune_job job_of(const nlohmann::ordered_json& from);
measure_request request_of(const nlohmann::ordered_json& from);
prepared_job prepared_of(const nlohmann::ordered_json& from);
measurement measured_of(const nlohmann::ordered_json& from);

}  // namespace launchbox
