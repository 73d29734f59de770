// The launches of one candidate since its module was loaded, and which of them gave a wrong result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// The lines in a spec that reset these variables before each launch: "variables = [{ name = "x", reset = true }]".
std::string reset_of(const std::vector<std::string>& variables);

class launch_history {
public:
    /// Records a launch, with what is wrong with its result; empty: nothing.
    void note(std::string fault);
    /// Records a warm-up launch.
    void note_unjudged() { ++launches_; }

    [[nodiscard]] int judged() const { return judged_; }
    [[nodiscard]] bool any_wrong() const { return wrong_ > 0; }
    /// Which launches were wrong, and how the first of them was: "out[3] was not written, ..." of a first launch,
    /// "right at first, wrong from launch 2 on (11 of 12): ...", "sometimes wrong: 2 of 12 launches, the first is
    /// launch 7: ...". `changed`: variables of its module that launches change and nothing resets.
    [[nodiscard]] std::string reason(const std::vector<std::string>& changed) const;

private:
    int launches_ = 0, judged_ = 0, wrong_ = 0;
    int first_wrong_ = 0;    // counted from 1 over all launches
    int judged_before_ = 0;  // judged launches before it
    std::string first_fault_;
};

}  // namespace launchbox
