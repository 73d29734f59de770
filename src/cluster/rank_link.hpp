// How ranks reach each other: whatever carries messages (MPI, or queues in one process) is behind these functions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace launchbox {

struct rank_message {
    int from = 0;
    std::string text;
};

/// Messages of one rank to another arrive whole, once and in the order in which they were sent, or not at all where one
/// of the two has died.
struct rank_link {
    int rank = 0, ranks = 1;
    /// Never waits for the receiver. For any thread.
    std::function<void(int to, std::string text)> send;
    /// The next message, waiting at most so many seconds. For one thread.
    std::function<std::optional<rank_message>(double seconds)> receive;
};

}  // namespace launchbox
