// What differs from the baseline, a kernel and architecture at a time, the worst first.
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
    unknown,  ///< a figure of the baseline is not known now
    added,    ///< not in the baseline
    better,   ///< no figure is worse, and one is better
    gone,     ///< in the baseline alone
};

/// "new" for `added`, else the enumerator's name.
const char* verdict_name(baseline_verdict verdict);

/// One figure; empty where that side has none.
struct changed_figure {
    std::string check;  ///< "baseline_registers"
    std::optional<double> before, now;
    std::string shown_before, shown_now;  ///< "54 registers"
};

struct baseline_change {
    baseline_verdict verdict = baseline_verdict::worse;
    std::optional<std::size_t> kernel;  ///< in `check_result::kernels`
    std::optional<std::size_t> gone;    ///< in `check_result::gone`
    std::string architecture;
    std::vector<changed_figure> figures;  ///< what differs; of a new or gone kernel all that is known, and not 0
};

/// Architectures that no kernel has code for any more, and how many kernels had: where several have lost one, it is the
/// build that has.
std::map<std::string, std::size_t> lost_architectures(const check_result& result);

/// A kernel that is the same as in the baseline is not in it.
std::vector<baseline_change> baseline_changes(const check_result& result);

}  // namespace launchbox
