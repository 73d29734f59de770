// What to do with a kernel: the one answer that is drawn from its figures, the bounds that were tried, and its
// launches.
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
    std::string gpu;           ///< "H100", as the user named it; empty: an architecture was named
    int threads = 0;           ///< per block, for which the figures hold
    kernel_info written;       ///< as the source is
    std::optional<std::int64_t> dynamic_shared_bytes = std::nullopt;  ///< of a block; nullopt: not known, not counted
    std::optional<occupancy_result> residency = std::nullopt;         ///< of the unchanged source; nullopt if unknown
    std::string limited_by = {};                                      ///< "registers"
    std::string obstacle = {};  ///< why it can never be launched so; empty: it can
    bounds_verdict verdict = bounds_verdict::unknown;
    launch_attribute attribute = {};  ///< to write; empty: none
    std::string effect = {};          ///< of writing it, in a few words; or why nothing is known

    /// What people call it: "H100", else "sm_90".
    [[nodiscard]] const std::string& label() const { return gpu.empty() ? architecture : gpu; }
};

struct kernel_advice {
    std::string name, demangled, short_form;
    std::optional<source_location> declared_at = std::nullopt;
    launch_attribute attribute = {};  ///< the one in the source
    block_size_use use = {};
    bool threads_assumed = false;  ///< the launches do not tell the block size of the figures
    std::vector<architecture_advice> architectures = {};
    std::vector<std::string> notes = {};    ///< what else to know, the weightiest first, a sentence each
    std::vector<std::string> details = {};  ///< why, for who asks
    std::string next_step = {};             ///< a command; empty: none

    /// Bytes of spills as written, of the architecture that has most.
    [[nodiscard]] std::int64_t max_spill_bytes() const;
};

/// The answers for one kernel, one for each architecture. `trials`: what they were drawn from; `use`: how the source
/// launches the kernel; `gpus`: the models that the user named for each architecture, empty if only architectures were
/// named.
kernel_advice advise(std::span<const bounds_answer> answers, std::span<const kernel_trials> trials,
                     const block_size_use& use, std::span<const std::string> gpus);

/// What cannot be launched first, then what spills most, then what holds the fewest warps.
void sort_worst_first(std::vector<kernel_advice>& kernels);

}  // namespace launchbox
