// Conclusions from a kernel's trials: rows of figures, the Pareto-optimal ones, and the bound to write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/bounds/bounds_launch.hpp"
#include "advice/bounds/kernel_trials.hpp"
#include "support/sample_statistics.hpp"

namespace launchbox {

/// The result of the user's benchmark for one row.
struct bounds_measurement {
    sample_summary time = {};  ///< nanoseconds
    std::string failure = {};  ///< why there is no time; empty if there is one
};

/// One version of the kernel's machine code, launched with one block size.
struct bounds_row {
    std::vector<launch_attribute> attributes;                  ///< all that give this code, the weakest first
    bool as_written = false;                                   ///< the unchanged source gives this code
    kernel_info kernel;                                        ///< the compiled kernel
    bool from_ptx = false;                                     ///< as in `bounds_trial`
    std::optional<occupancy_result> residency = std::nullopt;  ///< `nullopt` if its registers are unknown
    std::string limited_by = {};                               ///< "registers and shared memory"
    std::string obstacle = {};   ///< why a block of this size can never be launched; empty if it can
    bool pareto = false;         ///< no row of this block size beats it
    bool pareto_of_all = false;  ///< no row of any block size beats it
    bool recommended = false;    ///< for this block size
    std::optional<bounds_measurement> measured = std::nullopt;

    [[nodiscard]] bool launches() const { return residency && obstacle.empty() && residency->resident_blocks > 0; }
    [[nodiscard]] bool has_time() const { return measured && measured->failure.empty() && measured->time.count > 0; }
};

/// The largest figures with which `blocks` blocks are resident; `nullopt` if no figure is small enough.
struct bounds_threshold {
    int blocks = 0;
    std::optional<int> registers = std::nullopt;
    std::optional<std::int64_t> shared_bytes = std::nullopt;  ///< static plus dynamic
    std::optional<int> barriers = std::nullopt;
};

enum class bounds_verdict {
    unknown,        ///< nothing was tried, or figures are unknown
    cannot_launch,  ///< with any attribute
    keep,           ///< the written attribute is right
    no_bound,       ///< none is written, and none is needed
    remove,         ///< no attribute beats the one written
    write,          ///< another attribute is better
    no_difference,  ///< measured, but the difference is within noise
};

/// "keep", "no_bound": stable names for programs.
const char* verdict_name(bounds_verdict verdict);

/// The attribute to write for one block size.
struct bounds_recommendation {
    bounds_verdict verdict = bounds_verdict::unknown;
    launch_attribute attribute = {};  ///< empty if none
    std::optional<std::size_t> row = std::nullopt;
    bool by_time = false;             ///< measured times decided, not figures
    bool instead_of_dropped = false;  ///< because ptxas drops the written attribute
    std::string reason = {};          ///< one sentence
    std::string gain = {};            ///< in a few words: "2 instead of 1 blocks"; empty if none
};

struct block_size_answer {
    int threads = 0;
    std::vector<bounds_row> rows = {};              ///< the weakest attribute first
    std::vector<bounds_threshold> thresholds = {};  ///< for 1 block, 2 blocks, ... up to `max_blocks`
    int max_blocks = 0;                             ///< resident blocks by all limits but registers
    std::string limited_by = {};                    ///< the limit of `max_blocks`
    bounds_recommendation recommendation = {};
    std::vector<std::string> findings = {};  ///< remarks, one sentence each
};

/// One kernel for one architecture.
struct bounds_answer {
    std::string name, demangled, short_form, architecture;
    std::optional<compute_capability> capability = std::nullopt;  ///< of `architecture`
    const sm_limits* limits = nullptr;                            ///< of `architecture`; null if unknown
    std::size_t group = 0;                                        ///< as in `kernel_trials`
    bool threads_assumed = false;                                 ///< likewise
    launch_attribute written = {};                                ///< empty if none
    std::optional<source_location> declared_at = std::nullopt;
    bool relocatable = false;  ///< the figures are not final before nvlink
    bounds_launch launch = {};
    std::vector<block_size_answer> block_sizes = {};
    std::optional<std::size_t> best =
        std::nullopt;  ///< the block size whose recommended row is the best; `nullopt` if none launches
    std::vector<std::string> findings = {};  ///< about the kernel as written
    std::string not_swept = {};              ///< why nothing was tried; empty if something was
    std::vector<std::string> errors = {};    ///< attributes that did not compile
};

/// Computes rows, Pareto sets, thresholds and conclusions.
bounds_answer answer_bounds(const kernel_trials& kernel, const bounds_launch& launch = {});

/// Draws the conclusions again, after `measured` of some rows was set.
void conclude(bounds_answer& answer);

/// Whether `one` restricts the compiler less than `other`: no attribute, (T), (T, B) by B, __maxnreg__ by registers.
bool weaker(const launch_attribute& one, const launch_attribute& other);

/// The attributes whose figures an answer depends on: those that it names and the next weaker ones; the launch bound
/// with more warps and the fewest spills, since the front end may avoid its spills; and, if the source spills because
/// of its min_blocks, the register limit that keeps as many blocks.
std::vector<launch_attribute> attributes_behind(const bounds_answer& answer);

}  // namespace launchbox
