// One kernel for one architecture as a report needs it: what is known, its names, and how many blocks are resident.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "advice/model/account.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// What the model says of one launch of a kernel; calculated once, when the kernel is inspected.
struct kernel_residency {
    int threads = 0;  ///< per block, of the launch that was asked about
    occupancy_result result;
    bool at_most = false;  ///< its shared memory is not known, or not all of it, and the rest is not counted

    /// false: a block of this size can never be launched
    [[nodiscard]] bool launches() const { return result.obstacle == launch_obstacle::none; }

    friend bool operator==(const kernel_residency&, const kernel_residency&) = default;
};

struct inspected_kernel {
    kernel_info info;
    std::optional<int> threads;                 ///< of a block, as the user asked; else its launch bound counts
    std::optional<kernel_residency> residency;  ///< nullopt: threads, registers or architecture are not known
};

/// All that is said of a kernel. It takes kilobytes, so it is made for one kernel at a time, when that is shown.
struct kernel_account {
    std::optional<occupancy_account> occupancy;
    std::vector<diagnosis> diagnoses;
};

inspected_kernel inspected(kernel_info info, std::optional<int> threads);

kernel_account account_of(const inspected_kernel& kernel);
std::vector<kernel_account> accounts_of(const std::vector<inspected_kernel>& kernels);

/// How many kernels have a finding.
struct finding_count {
    std::string id;
    std::size_t kernels = 0;
};

/// Of every finding that there is, the most frequent first.
std::vector<finding_count> count_findings(const std::vector<inspected_kernel>& kernels);

}  // namespace launchbox
