// Problems with a kernel's bounds, registers and stack, with figures and a fix.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/model/account.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

enum class severity { note, warning, error };

/// One finding. `id` is stable and documented in docs/findings.md.
struct diagnosis {
    std::string id;
    severity level = severity::warning;
    std::string message;
    std::string fix;
    std::optional<source_location> place = {};  ///< in the source, if the finding is about a line of it

    friend bool operator==(const diagnosis&, const diagnosis&) = default;
};

/// Everything that the figures show. `threads`: the block size of the user's launch, if given; else the kernel's own
/// bound counts.
std::vector<diagnosis> diagnose(const kernel_info& kernel, std::optional<int> threads);

/// "__launch_bounds__(256)": a bound for this block size that keeps the third argument of the kernel's own.
std::string bound_source(const kernel_info& kernel, int threads);

}  // namespace launchbox
