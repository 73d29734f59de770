// What a kernel's trials say: rows of figures, which of them nothing beats, and the bound to write.
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

/// What the user's benchmark said of one row.
struct bounds_measurement {
    sample_summary time = {};  ///< nanoseconds
    std::string failure = {};  ///< why there is no time; empty if there is one
};

/// One machine code of the kernel, launched with one block size.
struct bounds_row {
    std::vector<launch_attribute> attributes;                  ///< all that gave this code, the weakest first
    bool as_written = false;                                   ///< the unchanged source gives this code
    kernel_info kernel;                                        ///< what the compiler made
    bool from_ptx = false;                                     ///< as in `bounds_trial`
    std::optional<occupancy_result> residency = std::nullopt;  ///< nullopt: its registers are not known
    std::string limited_by = {};                               ///< "registers and shared memory"
    std::string obstacle = {};   ///< why a block of this size can never be launched; empty: it can
    bool pareto = false;         ///< no row of this block size beats it
    bool pareto_of_all = false;  ///< no row of any block size does
    bool recommended = false;    ///< of this block size
    std::optional<bounds_measurement> measured = std::nullopt;

    [[nodiscard]] bool launches() const { return residency && obstacle.empty() && residency->resident_blocks > 0; }
    [[nodiscard]] bool has_time() const { return measured && measured->failure.empty() && measured->time.count > 0; }
};

/// With at most these figures `blocks` blocks are resident; `nullopt`: no figure is enough.
struct bounds_threshold {
    int blocks = 0;
    std::optional<int> registers = std::nullopt;
    std::optional<std::int64_t> shared_bytes = std::nullopt;  ///< static and dynamic
    std::optional<int> barriers = std::nullopt;
};

enum class bounds_verdict {
    unknown,        ///< nothing was tried, or no figures are known
    cannot_launch,  ///< not with any attribute
    keep,           ///< as written is right
    no_bound,       ///< none is written, and none is better
    remove,         ///< no attribute beats the one written
    write,          ///< another attribute is better
    no_difference,  ///< measured, and the fastest is not faster than noise
};

/// "keep", "no_bound": stable, for programs.
const char* verdict_name(bounds_verdict verdict);

/// The attribute to write for one block size.
struct bounds_recommendation {
    bounds_verdict verdict = bounds_verdict::unknown;
    launch_attribute attribute = {};  ///< empty: none
    std::optional<std::size_t> row = std::nullopt;
    bool by_time = false;             ///< measured times decided, not figures
    bool instead_of_dropped = false;  ///< ptxas drops what is written
    std::string reason = {};          ///< one sentence
    std::string gain = {};            ///< against as written, in a few words: "2 instead of 1 blocks"; empty: none
};

struct block_size_answer {
    int threads = 0;
    std::vector<bounds_row> rows = {};              ///< the weakest attribute first
    std::vector<bounds_threshold> thresholds = {};  ///< for 1 block, 2 blocks, ... up to `max_blocks`
    int max_blocks = 0;                             ///< that all but registers let be resident
    std::string limited_by = {};                    ///< what allows no more
    bounds_recommendation recommendation = {};
    std::vector<std::string> findings = {};  ///< what else a reader must know, a sentence each
};

/// One kernel for one architecture.
struct bounds_answer {
    std::string name, demangled, short_form, architecture;
    std::optional<compute_capability> capability = std::nullopt;  ///< of `architecture`
    const sm_limits* limits = nullptr;                            ///< of `architecture`; null: not known
    std::size_t group = 0;                                        ///< as in `kernel_trials`
    bool threads_assumed = false;                                 ///< likewise
    launch_attribute written = {};                                ///< empty: none
    std::optional<source_location> declared_at = std::nullopt;
    bool relocatable = false;  ///< the figures are not final before nvlink
    bounds_launch launch = {};
    std::vector<block_size_answer> block_sizes = {};
    std::optional<std::size_t> best =
        std::nullopt;  ///< the block size whose recommended row is the best; nullopt: none launches
    std::vector<std::string> findings = {};  ///< of the kernel as it is written
    std::string not_swept = {};              ///< why nothing was tried; empty: it was
    std::vector<std::string> errors = {};    ///< attributes that did not compile
};

/// Rows, Pareto sets, thresholds and conclusions.
bounds_answer answer_bounds(const kernel_trials& kernel, const bounds_launch& launch = {});

/// Draws the conclusions again, after `measured` of some rows was filled.
void conclude(bounds_answer& answer);

/// Whether `one` asks less of the compiler than `other`: no attribute, (T), (T, B) by B, __maxnreg__ by registers.
bool weaker(const launch_attribute& one, const launch_attribute& other);

/// The attributes whose figures an answer rests on: those that it names and the next weaker; the launch bound with more
/// warps that spills least, which the front end may spare the spills; and, where the source spills for its min_blocks,
/// the register limit that keeps as many blocks.
std::vector<launch_attribute> attributes_behind(const bounds_answer& answer);

}  // namespace launchbox
