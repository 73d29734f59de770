// Compares two builds of the same kernels: worse, better, new and vanished ones.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

enum class diff_verdict { worse, better, changed };

/// The figures by which two builds are compared. The first one that differs decides between worse and better: fewer
/// resident warps, more spilled bytes, more bytes spilled to shared memory, more registers, a larger stack frame and
/// more static shared memory are worse. A difference in any other figure is neither.
enum class diff_figure { occupancy, spills, shared_spills, registers, stack, shared, barriers, bounds, code };

struct kernel_change {
    const inspected_kernel* before = nullptr;
    const inspected_kernel* after = nullptr;
    diff_verdict verdict = diff_verdict::changed;
    diff_figure decided_by = diff_figure::code;
    double amount = 0;       ///< by how much that figure differs, from 0
    std::size_t copies = 1;  ///< pairs with exactly this change
};

struct kernel_pair {
    const inspected_kernel* before = nullptr;
    const inspected_kernel* after = nullptr;
};

struct kernel_diff {
    std::vector<kernel_change> changes;  ///< worse, better, changed; then by figure and largest difference
    std::vector<const inspected_kernel*> appeared, vanished;  ///< in the order in which they were found
    std::size_t compared = 0;                                 ///< pairs
    std::size_t unchanged = 0;                                ///< pairs in which every known figure is equal
    std::size_t code_changed = 0, code_unknown = 0;           ///< of `unchanged`: other code; unknown code
    std::size_t not_comparable = 0;                           ///< pairs without known registers on both sides
    std::size_t renamed = 0;                                  ///< of `compared`: in a renamed namespace
    /// Pairs of a debug build and a build that is not, or may not be, one: their figures are not compared.
    std::vector<kernel_pair> debug_and_release;
    std::size_t renumbered = 0;                            ///< of `compared`: with another hash or counter in its name
    std::size_t copies_appeared = 0, copies_vanished = 0;  ///< more, or fewer, copies of common kernels
};

/// Kernels are the same if `kernel_identity`, architecture, and whether it is relocatable or nvlink's agree. If a
/// namespace or class is only on one side, and another only on the other, kernels that differ in nothing else are the
/// same, too: libraries put their version into an inline namespace. If a kernel occurs several times, those with the
/// same code are paired first, then the rest in the order of code size. The result refers to both arguments.
kernel_diff compare_kernels(const std::vector<inspected_kernel>& before, const std::vector<inspected_kernel>& after);

}  // namespace launchbox
