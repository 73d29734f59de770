// How ranks communicate: these functions hide what carries messages (MPI, or queues in one process).
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

/// Messages between two ranks arrive complete, once and in the order of sending, or not at all if one of the two has
/// died.
struct rank_link {
    int rank = 0, ranks = 1;
    /// Never waits for the receiver. Thread-safe.
    std::function<void(int to, std::string text)> send;
    /// The next message, waiting at most this many seconds. For one thread.
    std::function<std::optional<rank_message>(double seconds)> receive;
};

}  // namespace launchbox
