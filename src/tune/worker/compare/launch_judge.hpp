// Judges the result of every launch whose time may count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

class launch_judge {
public:
    virtual ~launch_judge() = default;

    /// In stream order, right behind the launch. `first`: this is the candidate's first launch and nothing waits for
    /// the stream, so that everything may be checked at once.
    virtual void ask(bool first) = 0;
    /// After the stream has reached it: what is wrong with the launch's result, in one sentence; empty: nothing.
    virtual std::string fault() = 0;
};

}  // namespace launchbox
