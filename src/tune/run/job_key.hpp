// Identifies a job of a run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstddef>

namespace launchbox {

struct job_key {
    std::size_t candidate = 0;  ///< its number in the space
    std::size_t workload = 0;   ///< index into the spec's workloads

    friend auto operator<=>(const job_key&, const job_key&) = default;
};

}  // namespace launchbox
