// What ranks say to each other: a JSON object on a line, and behind it the bytes of a module where one travels. What
// another rank says is bytes from anywhere: it may be of another launchbox, or broken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "tune/run/backend.hpp"

namespace launchbox {

struct cluster_message {
    nlohmann::ordered_json said = nlohmann::ordered_json::object();
    std::string bytes = {};
};

/// No message is larger: what would be is not sent, and what is there is not read.
inline constexpr std::size_t max_message_bytes = std::size_t{256} << 20;

std::string text_of(const cluster_message& message);
/// Throws `error` for what is no message, or not all of it.
cluster_message cluster_message_of(const std::string& text);
/// Its member, a string or a number as asked for. Throws `error`.
std::string text_in(const cluster_message& message, const char* name);
long number_in(const cluster_message& message, const char* name);

/// Its member, a whole number that the type has: the library would convert whatever number there is. Throws `error`
/// where it is another, and the library's exception where there is none.
template <class Number>
Number number_at(const nlohmann::ordered_json& from, const char* key)
{
    const nlohmann::ordered_json& value = from.at(key);
    const bool is_right = value.is_number_unsigned()
                              ? std::in_range<Number>(value.get<std::uint64_t>())
                              : value.is_number_integer() && std::in_range<Number>(value.get<std::int64_t>());
    if (!is_right) throw error(std::string("a message of another rank has a ") + key + " that is none");
    return value.get<Number>();
}

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
    bool lacks_something = false;  ///< with `failure`: it would take part if it had a toolkit
};

nlohmann::ordered_json json_of(const rank_facts& facts);
nlohmann::ordered_json json_of(const gpu_device& gpu);
nlohmann::ordered_json json_of(const tune_job& job);
nlohmann::ordered_json json_of(const measure_request& request);
/// Without the files: they are where it was prepared.
nlohmann::ordered_json json_of(const prepared_job& made);
nlohmann::ordered_json json_of(const measurement& measured);

// The other way; they throw `error` for invalid messages and for impossible values.
/// With `failure` where only rank and version can be read, as of another launchbox.
rank_facts facts_of(const nlohmann::ordered_json& from);
gpu_device gpu_of(const nlohmann::ordered_json& from);
tune_job job_of(const nlohmann::ordered_json& from);
measure_request request_of(const nlohmann::ordered_json& from);
prepared_job prepared_of(const nlohmann::ordered_json& from);
measurement measured_of(const nlohmann::ordered_json& from);

/// What went wrong on another rank, to be thrown here.
nlohmann::ordered_json json_of(const error& failure);
error failure_of(const nlohmann::ordered_json& from, const std::string& where);

}  // namespace launchbox
