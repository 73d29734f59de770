// The coordinator's side of the link: sends a request to a rank and waits for its answer, or for its end.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "cluster/cluster_messages.hpp"
#include "cluster/rank_link.hpp"

namespace launchbox {

/// The rank no longer answers, or its answers are unreadable: `what()` is a sentence that names it.
class rank_lost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct rank_calls_options {
    double silence_seconds = 30;  ///< a rank that is silent for longer is left out for good
    double heartbeat_seconds = 1;
    /// As in this rank's facts: for ranks with the same one, the end of their process is noticed at once.
    std::string process_space = {};
};

/// Thread-safe.
class rank_calls {
public:
    rank_calls(rank_link link, const rank_calls_options& options);
    /// Tells the ranks that all work is done.
    ~rank_calls();

    [[nodiscard]] int ranks() const;
    /// The facts of all ranks but `except`; waits for them up to this long. Throws `error` for a rank that cannot be
    /// understood, with status `interrupted` after an interrupt.
    std::map<int, rank_facts> wait_for_facts(double seconds, int except);
    /// Sends the roles and waits for the answer of each rank to `begin`: empty if it was lost. Throws `error` if a rank
    /// could not begin.
    void begin(const std::map<int, nlohmann::ordered_json>& roles);

    /// Throws `rank_lost`, or the `error` that the request caused there.
    cluster_message call(int rank, nlohmann::ordered_json said, std::string bytes = {});
    /// Sends without waiting for an answer.
    void tell(int rank, const nlohmann::ordered_json& said);
    /// Jobs being prepared for this backend are no longer needed: the calls throw `error` with status `interrupted`,
    /// and `ranks`, which prepare for no other, are told.
    void give_up_preparing(std::size_t backend, const std::vector<int>& ranks);

    /// The name for messages: "rank 3 (node7, GPU 1)".
    void name(int rank, std::string name);
    [[nodiscard]] std::string name_of(int rank) const;
    /// From now on the rank is left out.
    void lose(int rank, const std::string& why);
    [[nodiscard]] bool is_lost(int rank) const;
    [[nodiscard]] std::vector<std::string> lost() const;  ///< sentences, one for each

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
