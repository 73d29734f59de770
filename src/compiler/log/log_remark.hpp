// Warnings and remarks of ptxas and nvlink outside the reports: figures, options, losses.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace launchbox {

/// The largest value of -maxrregcount.
inline constexpr int max_register_option = 255;

/// "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to ..."
bool is_performance_loss(std::string_view sentence);

/// ptxas's statement about -maxrregcount.
struct option_remark {
    int value = 0;        ///< above `max_register_option` or negative: ptxas ignored it
    bool counts = false;  ///< it applies to the named kernel
};
std::optional<option_remark> option_remark_in(std::string_view sentence);

/// Figures in a warning about the function that it names.
struct remark_figures {
    std::optional<std::int64_t> stack_frame, spill_stores, spill_loads, static_shared;

    friend bool operator==(const remark_figures&, const remark_figures&) = default;
};
remark_figures figures_in_remark(std::string_view sentence);

/// Whether it says enough about a kernel to give it a row of its own. For spills and local memory, ptxas does not tell
/// whether the function is a kernel.
bool is_about_a_kernel(std::string_view sentence);

}  // namespace launchbox
