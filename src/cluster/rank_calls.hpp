// The coordinator's side of the link: asks a rank and waits for its answer, or for its end.
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

/// The rank does not answer any more, or its answers cannot be read: why, in a sentence that names it.
class rank_lost : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

struct rank_calls_options {
    double silence_seconds = 30;  ///< a rank that is silent for so long is left out for good
    double heartbeat_seconds = 1;
    /// As in the facts of this rank: of others there it is seen at once that their process has ended.
    std::string process_space = {};
};

/// For any number of threads.
class rank_calls {
public:
    rank_calls(rank_link link, const rank_calls_options& options);
    /// Tells the ranks that all is done.
    ~rank_calls();

    [[nodiscard]] int ranks() const;
    /// What the ranks (all but `except`) say of themselves, by rank; waits until all have done so, at most so long.
    /// Throws `error` for one that cannot be understood, and of status `interrupted` after an interrupt.
    std::map<int, rank_facts> wait_for_facts(double seconds, int except);
    /// The next answer to `begin`, of each of these ranks: empty where it was lost. Throws `error` for what one could
    /// not do.
    void begin(const std::map<int, nlohmann::ordered_json>& roles);

    /// Throws `rank_lost`, and the `error` that doing it has thrown there.
    cluster_message call(int rank, nlohmann::ordered_json said, std::string bytes = {});
    /// Without an answer.
    void tell(int rank, const nlohmann::ordered_json& said);
    /// What is being prepared for this backend is wanted no more: those calls throw `error` of status `interrupted`,
    /// and `ranks`, which prepare for no other, are told.
    void give_up_preparing(std::size_t backend, const std::vector<int>& ranks);

    /// In messages: "rank 3 (node7, GPU 1)".
    void name(int rank, std::string name);
    [[nodiscard]] std::string name_of(int rank) const;
    /// From now on it is left out.
    void lose(int rank, const std::string& why);
    [[nodiscard]] bool is_lost(int rank) const;
    [[nodiscard]] std::vector<std::string> lost() const;  ///< sentences, one for each

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
