// The figures of an earlier build: a text file with one line per kernel and architecture, suitable for diffs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "advice/check/baseline_entry.hpp"
#include "advice/check/check_result.hpp"

namespace launchbox {

struct baseline {
    std::string file;
    std::vector<baseline_entry> entries;  ///< sorted by identity, then architecture
};

struct baseline_reading {
    baseline value;                  ///< valid only without errors
    std::vector<file_error> errors;  ///< at most `max_baseline_errors`
};
inline constexpr std::size_t max_baseline_errors = 50;

/// Never throws on bad text; linear in it except for sorting.
baseline_reading parse_baseline(std::string_view text, const std::string& file);

/// The file for these kernels: the same text for the same kernels in any order.
std::string baseline_text(std::vector<baseline_entry> entries);

/// The worst of each figure; unknown unless every copy's is known.
baseline_entry entry_of(const checked_kernel& kernel);

/// The figures that are compared, the worst of all copies: spills and stack each as one number, resident threads.
worst_figure worst_registers(const checked_kernel& kernel);
worst_figure worst_shared_spills(const checked_kernel& kernel);
worst_figure worst_spills(const checked_kernel& kernel);  ///< if not known exactly: the minimum
worst_figure worst_stack(const checked_kernel& kernel);
worst_figure worst_static_shared(const checked_kernel& kernel);
worst_figure worst_residency(const checked_kernel& kernel);  ///< threads

}  // namespace launchbox
