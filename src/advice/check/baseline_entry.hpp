// A kernel for one architecture, as stored in a baseline.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/check/checked_kernel.hpp"

namespace launchbox {

/// One line. Bytes per thread for spills and stack, per block for shared memory.
struct baseline_entry {
    std::string identity;
    std::string architecture;                      ///< empty if unknown
    std::optional<compute_capability> capability;  ///< of `architecture`
    std::optional<std::int64_t> registers, spill_store_bytes, spill_load_bytes, stack_frame_bytes, static_shared_bytes;
    std::optional<std::int64_t> shared_spill_store_bytes, shared_spill_load_bytes;  ///< written if there are any
    std::optional<std::int64_t> cumulative_stack_bytes;  ///< including called functions; in a file only if larger
    std::optional<heeded_bounds> bounds;                 ///< `nullopt` if unknown or none
    std::optional<residency> resident;
    bool debug_build = false;  ///< compared only with another debug build
    int line = 0;              ///< in its file; 0: none

    friend bool operator==(const baseline_entry& a, const baseline_entry& b)
    {
        return a.identity == b.identity && a.architecture == b.architecture && a.registers == b.registers &&
               a.spill_store_bytes == b.spill_store_bytes && a.spill_load_bytes == b.spill_load_bytes &&
               a.shared_spill_store_bytes == b.shared_spill_store_bytes &&
               a.shared_spill_load_bytes == b.shared_spill_load_bytes && a.stack_frame_bytes == b.stack_frame_bytes &&
               a.cumulative_stack_bytes == b.cumulative_stack_bytes && a.static_shared_bytes == b.static_shared_bytes &&
               a.bounds == b.bounds && a.resident == b.resident && a.debug_build == b.debug_build;
    }
};

}  // namespace launchbox
