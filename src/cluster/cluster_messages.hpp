// The messages between ranks: a JSON object on a line, followed by the bytes of a module if there is one. A message
// from another rank is untrusted: it may come from another version, or be damaged.
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

/// The largest message: larger ones are not sent, and not read.
inline constexpr std::size_t max_message_bytes = std::size_t{256} << 20;

std::string encoded(const cluster_message& message);
/// Throws `error` for an invalid or incomplete message.
cluster_message cluster_message_of(const std::string& text);
/// A member of the message, a string or a number. Throws `error`.
std::string text_in(const cluster_message& message, const char* name);
long number_in(const cluster_message& message, const char* name);
/// An index into a list. Throws `error`.
std::size_t place_in(const message_json& from, const char* name);

/// A rank's description of itself, sent first.
struct rank_facts {
    int rank = 0;
    std::string version;  ///< of launchbox
    std::string host;
    std::string process_space;  ///< equal if process numbers mean the same (kernel and namespace); empty: unknown
    long process = 0;
    std::string spec_hash, source_hash;
    std::string driver, toolkit;        ///< "13.0", "NVRTC 13.0"; empty if none
    std::vector<int> cores;             ///< numbers of those that it may run on
    std::vector<gpu_device> gpus = {};  ///< visible to it
    std::string no_gpu;                 ///< why none is visible
    std::string failure;                ///< why it cannot take part; empty if it can
    std::string hint;                   ///< with `failure`: how to fix it
    bool lacks_something = false;       ///< with `failure`: only a toolkit is missing
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

/// The role that the coordinator gives to a rank.
struct rank_role {
    int gpu = -1;                       ///< the GPU that it measures on, by its number here; -1: none
    std::vector<gpu_device> gpus = {};  ///< without a GPU: compiled for, in the coordinator's order of backends
    std::string driver = {};            ///< with `gpus`: their driver
    unsigned jobs = 1;                  ///< compilers at once; 0: it does not compile
    std::size_t backend = 0;            ///< with a GPU: which of the coordinator's backends it belongs to
    double silence_seconds = 30;        ///< the rank ends if the coordinator is silent for four times as long
};
constexpr auto fields_of(const rank_role&)
{
    using of = rank_role;
    return std::tuple(field("gpu", &of::gpu), field("gpus", &of::gpus), field("driver", &of::driver),
                      field("jobs", &of::jobs), field("backend", &of::backend),
                      field("silence_seconds", &of::silence_seconds));
}

/// A record as part of a message; a prepared job without its files, which stay where it was prepared.
template <has_fields Record>
message_json json_of(const Record& record)
{
    return message_of_value(record);
}
void to_json(message_json& to, const assignment& values);
void from_json(const message_json& from, assignment& values);

// Read the same records; they throw `error` for invalid messages and impossible values. For all others: `record_of`.
/// With `failure` set if only rank and version can be read, as from another version of launchbox.
rank_facts facts_of(const message_json& from);
rank_role role_of(const message_json& from);
prepared_job prepared_of(const message_json& from);
measurement measured_of(const message_json& from);

/// An error on another rank, to be rethrown here.
message_json json_of(const error& failure);
error failure_of(const message_json& from, const std::string& where);

}  // namespace launchbox
