// `inspect --diff`: two builds of the same kernels, the worst changes first.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <vector>

#include "advice/inspect/kernel_diff.hpp"
#include "report/core/document.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

struct diff_inputs {
    const std::vector<inspected_input>& before;
    const std::vector<inspected_input>& after;
};

/// At most `top` rows each of worse, better, otherwise changed, new and vanished kernels. `unasked`: the user gave no
/// limit.
document diff_document(const kernel_diff& diff, std::optional<std::size_t> top, const output_style& style,
                       bool unasked = false);

/// launchbox.diff/1, one kernel at a time. `top` limits worse, better, other, new and vanished kernels separately.
void write_diff_json(const diff_inputs& inputs, const kernel_diff& diff, std::optional<std::size_t> top,
                     std::ostream& out);

/// One row for each change, then the new and the vanished kernels.
void write_diff_csv(const kernel_diff& diff, std::optional<std::size_t> top, std::ostream& out);

/// The changes and kernels within `top`, and the number beyond it.
struct shown_diff {
    std::vector<const kernel_change*> worse, better, changed;
    std::vector<const inspected_kernel*> appeared, vanished;
    std::size_t not_shown = 0;
};

shown_diff shown_of(const kernel_diff& diff, std::optional<std::size_t> top);

}  // namespace launchbox
