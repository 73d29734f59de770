// A candidate that was built for inspection, without a measurement.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "support/expression/parameter_value.hpp"
#include "tune/types/build_record.hpp"

namespace launchbox {

/// Its launch, and how much of an SM that fills.
struct built_launch {
    std::int64_t threads = 0;  ///< per block
    std::int64_t dynamic_shared_bytes = 0;
    int resident_blocks = 0;
    double occupancy = 0;  ///< 0 to 1

    friend bool operator==(const built_launch&, const built_launch&) = default;
};

struct built_candidate {
    assignment parameters, workload;
    build_record build = {};
    std::optional<built_launch> launch = {};  ///< of a kernel that was compiled and can be launched
    bool is_baseline = false;
};

}  // namespace launchbox
