// The launches of one candidate since its module was loaded: which of them left a wrong result.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace launchbox {

/// What resets these variables before each launch, as the spec has it: "variables = [{ name = "x", reset = true }]".
std::string reset_of(const std::vector<std::string>& variables);

class launch_history {
public:
    /// A launch and what is wrong with what it left; empty: nothing.
    void note(std::string fault);
    /// A launch that only warmed the caches up.
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
