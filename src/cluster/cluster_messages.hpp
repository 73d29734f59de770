// What ranks say to each other: a JSON object on a line, and behind it the bytes of a module where one travels. What
// another rank says is bytes from anywhere: it may be of another launchbox, or broken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "tune/run/backend.hpp"
#include "tune/types/message_json.hpp"

namespace launchbox {

struct cluster_message {
    message_json said = message_json::object();
    std::string bytes = {};
};

/// No message is larger: what would be is not sent, and what is there is not read.
inline constexpr std::size_t max_message_bytes = std::size_t{256} << 20;

std::string encoded(const cluster_message& message);
/// Throws `error` for what is no message, or not all of it.
cluster_message cluster_message_of(const std::string& text);
/// Its member, a string or a number as asked for. Throws `error`.
std::string text_in(const cluster_message& message, const char* name);
long number_in(const cluster_message& message, const char* name);
/// A place in a list. Throws `error`.
std::size_t place_in(const message_json& from, const char* name);

/// What a rank says of itself before anything is done.
struct rank_facts {
    int rank = 0;
    std::string version;  ///< of launchbox
    std::string host;
    std::string process_space;  ///< where process numbers mean the same: one kernel, one namespace; empty: unknown
    long process = 0;
    std::string spec_hash, source_hash;
    std::string driver, toolkit;        ///< "13.0", "NVRTC 13.0"; empty: none
    std::vector<int> cores;             ///< that it may run on, by their numbers
    std::vector<gpu_device> gpus = {};  ///< that it sees
    std::string no_gpu;                 ///< why it sees none
    std::string failure;                ///< why it cannot take part; empty: it can
    std::string hint;                   ///< with `failure`: what to do
    bool lacks_something = false;       ///< with `failure`: it would take part if it had a toolkit
};

constexpr auto fields_of(const rank_facts&)
{
    using of = rank_facts;
    return std::tuple(field("rank", &of::rank), field("version", &of::version), field("host", &of::host),
                      field("process_space", &of::process_space), field("process", &of::process),
                      field("spec_hash", &of::spec_hash), field("source_hash", &of::source_hash),
                      field("driver", &of::driver), field("toolkit", &of::toolkit), field("cores", &of::cores),
                      field("gpus", &of::gpus), field("no_gpu", &of::no_gpu), field("failure", &of::failure),
                      field("hint", &of::hint), field("lacks_something", &of::lacks_something));
}

/// What a rank is to be, as the coordinator has decided.
struct rank_role {
    int gpu = -1;                       ///< the GPU that it measures on, by its number here; -1: none
    std::vector<gpu_device> gpus = {};  ///< without one: for what it compiles, in the coordinator's order of backends
    std::string driver = {};            ///< with `gpus`: theirs
    unsigned jobs = 1;                  ///< compilers at once; 0: it is not asked to compile
    std::size_t backend = 0;            ///< with a GPU: which of the coordinator's backends it belongs to
    double silence_seconds = 30;        ///< without a word from the coordinator for four times as long the rank ends
};
constexpr auto fields_of(const rank_role&)
{
    using of = rank_role;
    return std::tuple(field("gpu", &of::gpu), field("gpus", &of::gpus), field("driver", &of::driver),
                      field("jobs", &of::jobs), field("backend", &of::backend),
                      field("silence_seconds", &of::silence_seconds));
}

/// A record as a part of a message: of a prepared job without the files, which are where it was prepared.
template <has_fields Record>
message_json json_of(const Record& record)
{
    return message_of_value(record);
}
void to_json(message_json& to, const assignment& values);
void from_json(const message_json& from, assignment& values);

// The other way; they throw `error` for invalid messages and for impossible values. All others: `record_of`.
/// With `failure` where only rank and version can be read, as of another launchbox.
rank_facts facts_of(const message_json& from);
rank_role role_of(const message_json& from);
prepared_job prepared_of(const message_json& from);
measurement measured_of(const message_json& from);

/// What went wrong on another rank, to be thrown here.
message_json json_of(const error& failure);
error failure_of(const message_json& from, const std::string& where);

}  // namespace launchbox
