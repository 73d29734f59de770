// Assigns lines without a kernel's name, such as "Used 24 registers", if several kernels may still expect one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace launchbox {

/// Counts the lines that are expected. If one kernel expects a line, it gets it. If several do, none gets it, and their
/// other lines may come at any time: complete reports are accepted until there is one line too many, which shows that
/// lines were mixed; then all reports since that point are discarded.
class nameless_lines {
public:
    enum class verdict {
        owner,     ///< belongs to the only kernel that waits
        given_up,  ///< several wait: no kernel gets it
        owed,      ///< belongs to a kernel that was given up
        stray      ///< no kernel waits for it
    };

    /// Decides which kernel gets a line that this many wait for. `in_one_piece`: no other line is between it and the
    /// rest of its report.
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

    /// Notes a kernel that got a line while others were still owed one.
    void note_owner(std::size_t owner)
    {
        if (owed_ > 0) doubtful_.push_back(owner);
    }

    /// The kernels that may have got another's line, after one line too many.
    std::vector<std::size_t> take_doubtful() { return std::exchange(doubtful_, {}); }

    [[nodiscard]] bool are_pending() const { return owed_ > 0; }

private:
    std::size_t owed_ = 0;
    std::vector<std::size_t> doubtful_;
};

}  // namespace launchbox
