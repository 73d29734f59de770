// The one answer about a kernel, drawn from its figures, the bounds that were tried, and its launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"
#include "advice/inspect/diagnose.hpp"
#include "advice/lint/block_size_use.hpp"

namespace launchbox {

/// One kernel for one architecture.
struct architecture_advice {
    std::string architecture;  ///< "sm_90"
    std::string gpu;           ///< "H100", as the user named it; empty for an architecture
    int threads = 0;           ///< per block, for which the figures hold
    kernel_info written;       ///< compiled from the unchanged source
    std::optional<std::int64_t> dynamic_shared_bytes = std::nullopt;  ///< per block; `nullopt`: unknown, not counted
    std::optional<occupancy_result> residency = std::nullopt;         ///< of the unchanged source; `nullopt` if unknown
    std::string limited_by = {};                                      ///< "registers"
    std::string obstacle = {};  ///< why this can never be launched; empty if it can
    bounds_verdict verdict = bounds_verdict::unknown;
    launch_attribute attribute = {};  ///< to write; empty if none
    std::string effect = {};          ///< of writing it, in a few words, or why it is unknown

    /// The name for people: "H100", else "sm_90".
    [[nodiscard]] const std::string& label() const { return gpu.empty() ? architecture : gpu; }
};

struct kernel_advice {
    std::string name, demangled, short_form;
    std::optional<source_location> declared_at = std::nullopt;
    launch_attribute attribute = {};  ///< the one in the source
    block_size_use use = {};
    bool threads_assumed = false;  ///< no launch tells the block size, so the figures assume one
    std::vector<architecture_advice> architectures = {};
    std::vector<std::string> notes = {};    ///< remarks, the most important first, one sentence each
    std::vector<std::string> details = {};  ///< reasons, shown on request
    std::string next_step = {};             ///< a command; empty if none

    /// Bytes of spills as written, on the architecture with the most.
    [[nodiscard]] std::int64_t max_spill_bytes() const;
};

/// The advice on one kernel from its `answers`, one for each architecture. `trials`: the trials that these were drawn
/// from; `use`: how the source launches the kernel; `gpus`: the models that the user named for each architecture, empty
/// if only architectures were named.
kernel_advice advise(std::span<const bounds_answer> answers, std::span<const kernel_trials> trials,
                     const block_size_use& use, std::span<const std::string> gpus);

/// Kernels that cannot be launched first, then the most spills, then the fewest warps.
void sort_worst_first(std::vector<kernel_advice>& kernels);

}  // namespace launchbox
