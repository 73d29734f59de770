// Differences from the baseline by kernel and architecture, the worst first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "advice/check/check_result.hpp"

namespace launchbox {

enum class baseline_verdict {
    worse,    ///< a figure is worse, a launch bound or an architecture is lost
    unknown,  ///< a figure of the baseline is unknown now
    added,    ///< not in the baseline
    better,   ///< no figure is worse, and one is better
    gone,     ///< only in the baseline
};

/// "new" for `added`, else the enumerator's name.
const char* verdict_name(baseline_verdict verdict);

/// One figure; empty on a side that lacks it.
struct changed_figure {
    std::string check;  ///< "baseline_registers"
    std::optional<double> before, now;
    std::string shown_before, shown_now;  ///< "54 registers"
};

struct baseline_change {
    baseline_verdict verdict = baseline_verdict::worse;
    std::optional<std::size_t> kernel;  ///< index in `check_result::kernels`
    std::optional<std::size_t> gone;    ///< index in `check_result::gone`
    std::string architecture;
    std::vector<changed_figure> figures;  ///< the differences; for a new or gone kernel, all known figures but 0
};

/// Architectures that no kernel has code for any more, with the number of kernels that had: if several kernels lost
/// one, the build dropped it.
std::map<std::string, std::size_t> lost_architectures(const check_result& result);

/// Kernels that equal the baseline are left out.
std::vector<baseline_change> baseline_changes(const check_result& result);

}  // namespace launchbox
