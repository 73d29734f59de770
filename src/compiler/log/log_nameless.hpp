// Assigns lines without a kernel's name, such as "Used 24 registers", if several kernels may still expect one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace launchbox {

/// Counts the lines that are still to come. If one kernel expects a line, it gets it. If several do, none gets it, and
/// their other lines may then come at any time: complete reports are accepted until there is one line too many, which
/// shows that lines were mixed; then all reports since that point are discarded.
class nameless_lines {
public:
    enum class verdict {
        owner,     ///< it belongs to the one that waits
        given_up,  ///< to one of several: to none
        owed,      ///< to one that was given up
        stray      ///< no kernel waits for it
    };

    /// Decides whose a line is for which this many kernels wait. `in_one_piece`: no other line stands between it and
    /// the rest of its report.
    verdict judge(std::size_t waiting, bool in_one_piece)
    {
        if (waiting == 0 && owed_ == 0) return verdict::stray;
        if (waiting == 0) {
            --owed_;
            return verdict::owed;
        }
        if (waiting == 1 && (owed_ == 0 || in_one_piece)) return verdict::owner;
        owed_ += waiting - 1;
        return verdict::given_up;
    }

    /// Notes who got a line while others were owed.
    void note_owner(std::size_t owner)
    {
        if (owed_ > 0) doubtful_.push_back(owner);
    }

    /// Those who may have got another's line, now that one came too many.
    std::vector<std::size_t> take_doubtful() { return std::exchange(doubtful_, {}); }

    [[nodiscard]] bool are_pending() const { return owed_ > 0; }

private:
    std::size_t owed_ = 0;
    std::vector<std::size_t> doubtful_;
};

}  // namespace launchbox
