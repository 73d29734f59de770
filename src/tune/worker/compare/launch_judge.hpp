// Whether a launch left what it should: asked after every one whose time may count.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

class launch_judge {
public:
    virtual ~launch_judge() = default;

    /// In stream order, right behind the launch. `first`: nothing is known of the candidate yet, and nothing waits for
    /// the stream: all that may be asked is asked at once.
    virtual void ask(bool first) = 0;
    /// Once the stream has come that far: what is wrong with what the launch left, in one sentence; empty if nothing
    /// is.
    virtual std::string fault() = 0;
};

}  // namespace launchbox
