// The figures of an earlier build: a text file with one line a kernel and architecture, made to be read as a diff.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/check/check_result.hpp"

namespace launchbox {

/// One line. Bytes per thread for spills and stack, per block for shared memory.
struct baseline_entry {
    std::string identity;
    std::string architecture;                      ///< empty: not known
    std::optional<compute_capability> capability;  ///< of `architecture`
    std::optional<std::int64_t> registers, spill_store_bytes, spill_load_bytes, stack_frame_bytes, static_shared_bytes;
    std::optional<std::int64_t> shared_spill_store_bytes, shared_spill_load_bytes;  ///< written where there are any
    std::optional<std::int64_t>
        cumulative_stack_bytes;  ///< with the functions that it calls; in a file where it is more
    std::optional<residency> resident;
    bool debug_build = false;  ///< its figures are compared with those of another debug build alone
    int line = 0;              ///< in the file that it was read from; 0: none

    friend bool operator==(const baseline_entry& a, const baseline_entry& b)
    {
        return a.identity == b.identity && a.architecture == b.architecture && a.registers == b.registers &&
               a.spill_store_bytes == b.spill_store_bytes && a.spill_load_bytes == b.spill_load_bytes &&
               a.shared_spill_store_bytes == b.shared_spill_store_bytes &&
               a.shared_spill_load_bytes == b.shared_spill_load_bytes && a.stack_frame_bytes == b.stack_frame_bytes &&
               a.cumulative_stack_bytes == b.cumulative_stack_bytes && a.static_shared_bytes == b.static_shared_bytes &&
               a.resident == b.resident && a.debug_build == b.debug_build;
    }
};

struct baseline {
    std::string file;
    std::vector<baseline_entry> entries;  ///< sorted by identity, then architecture
};

struct baseline_reading {
    baseline value;                  ///< of use only without errors
    std::vector<file_error> errors;  ///< at most `max_baseline_errors`
};
inline constexpr std::size_t max_baseline_errors = 50;

/// Never throws on bad text; linear in it but for the sorting.
baseline_reading parse_baseline(std::string_view text, const std::string& file);

/// The file for these kernels: the same text for the same kernels in any order.
std::string baseline_text(std::vector<baseline_entry> entries);

/// The worst of each figure; what is not known of every copy is not known.
baseline_entry entry_of(const checked_kernel& kernel);

/// The figures that are compared, worst of all copies: spills and stack each as one number, resident threads.
worst_figure worst_registers(const checked_kernel& kernel);
worst_figure worst_shared_spills(const checked_kernel& kernel);
worst_figure worst_spills(const checked_kernel& kernel);  ///< where they are not known exactly: at least so many
worst_figure worst_stack(const checked_kernel& kernel);
worst_figure worst_static_shared(const checked_kernel& kernel);
worst_figure worst_residency(const checked_kernel& kernel);  ///< threads

}  // namespace launchbox
