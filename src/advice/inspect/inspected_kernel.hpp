// One kernel for one architecture, for reports: its data, its names, and its resident blocks.
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

/// The model's result for one launch of a kernel; calculated once, when the kernel is inspected.
struct kernel_residency {
    int threads = 0;  ///< per block, of the launch in question
    occupancy_result result;
    bool at_most = false;  ///< part of its shared memory is unknown and not counted

    /// False if a block of this size can never be launched.
    [[nodiscard]] bool launches() const { return result.obstacle == launch_obstacle::none; }

    friend bool operator==(const kernel_residency&, const kernel_residency&) = default;
};

struct inspected_kernel {
    kernel_info info;
    std::optional<int> threads;                 ///< per block, as the user asked; else its launch bound counts
    std::optional<kernel_residency> residency;  ///< `nullopt` if threads, registers or architecture are unknown
};

/// Everything about a kernel. It takes kilobytes, so it is made for one kernel at a time, when that is shown.
struct kernel_account {
    std::optional<occupancy_account> occupancy;
    std::vector<diagnosis> diagnoses;
};

inspected_kernel inspected(kernel_info info, std::optional<int> threads);

kernel_account account_of(const inspected_kernel& kernel);
std::vector<kernel_account> accounts_of(const std::vector<inspected_kernel>& kernels);

/// The number of kernels with a finding.
struct finding_count {
    std::string id;
    std::size_t kernels = 0;
};

/// For every finding that occurs, the most frequent first.
std::vector<finding_count> count_findings(const std::vector<inspected_kernel>& kernels);

}  // namespace launchbox
