// The occupancy of one launch, explained: the model's figures with their arithmetic, and the cheapest next step.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/clusters.hpp>
#include <launchbox/occupancy.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advice/model/rules_of_thumb.hpp"

namespace launchbox {

/// The question. `architecture` keeps the variant in the name that the user gave.
struct occupancy_question {
    const sm_limits* limits = nullptr;
    compute_capability architecture;
    std::string kernel;  ///< empty if there are only figures
    kernel_resources resources;
    bool registers_known = true;
    bool barriers_known = true;
    bool shared_known = true;          ///< for the static part
    bool dynamic_shared_known = true;  ///< false: `shape` has 0
    launch_shape shape;
    /// If dynamic shared memory depends on the threads ("4*threads"): its bytes for this number of threads; `nullopt`
    /// if no size is defined for it. Empty: every block size uses the size in `shape`.
    std::function<std::optional<std::int64_t>(int threads)> dynamic_shared_of;
    launch_settings settings;
    std::optional<std::int64_t> grid;  ///< total thread blocks of the launch
    /// The same in x, y and z; zeros: only the total is known.
    std::array<std::int64_t, 3> grid_dimensions{};
    std::string gpu;         ///< the model that the user named; empty for an architecture
    std::optional<int> sms;  ///< SMs of the GPU
    std::vector<int> gpcs;   ///< SMs of each GPC, if known
    bool curves = false;     ///< also calculate the charts
    bool rules = false;      ///< also check the rules of thumb

    /// Whether some shared memory is unknown and not counted: then fewer blocks may be resident.
    [[nodiscard]] bool at_most() const { return !shared_known || !dynamic_shared_known; }
};

/// Dynamic shared memory of the same launch with this number of threads; `nullopt` if there is no such launch.
std::optional<std::int64_t> dynamic_shared_with(const occupancy_question& question, int threads);

/// One line of a limit's arithmetic.
struct account_step {
    std::string name;        ///< stable, for programs: "registers_per_warp"
    std::int64_t value = 0;  ///< the result
    std::string how;         ///< for people: "63 × 32 = 2,016, rounded up to a multiple of 256"
    std::int64_t lost = 0;   ///< waste by rounding, in the unit of the value
};

struct limit_account {
    std::string name;           ///< warps, blocks, registers, shared, barriers, clusters
    std::optional<int> blocks;  ///< `nullopt`: no limit
    bool limiting = false;
    std::vector<account_step> steps;
};

/// For one resource: the present value, and the largest that gives (threshold) or keeps (slack) a number of blocks.
struct allowance_account {
    std::string name;  ///< threads, registers, shared, barriers
    std::int64_t now = 0;
    std::optional<std::int64_t> at_most;  ///< `nullopt` if no value does
    int blocks = 0;

    [[nodiscard]] bool satisfied() const { return at_most && now <= *at_most; }
};

/// A quantity to change, and its new value.
struct resource_change {
    std::string name;
    std::int64_t from = 0, to = 0;
};

struct next_step {
    std::vector<resource_change> changes;
    int blocks = 0;        ///< resident blocks afterwards
    double occupancy = 0;  ///< 0 to 1, afterwards
    std::string text;      ///< "−3 registers → 5 blocks"
};

/// A grid on a GPU: waves of resident blocks, the last of which may be partly empty.
struct wave_account {
    std::int64_t grid = 0;
    std::int64_t blocks_per_wave = 0;
    std::int64_t full_waves = 0;
    std::int64_t tail_blocks = 0;  ///< in the last, partial wave; 0: no partial wave
    double waves = 0;
    double efficiency = 0;  ///< block slots used over block slots held, 0 to 1, if all blocks take equally long
};

struct cluster_account {
    int cluster_blocks = 0;
    cluster_estimate clusters;
    bool gpcs_known = false;
};

/// Resident warps as one quantity varies and the others stay the same.
struct occupancy_curve {
    struct point {
        std::int64_t value = 0;
        int warps = 0;
    };
    std::string name;  ///< threads, registers, shared
    std::vector<point> points;
    std::int64_t here = 0;
};

struct occupancy_account {
    occupancy_question question;
    occupancy_result result;
    std::string obstacle;  ///< why the block cannot be launched; empty if it can
    /// why no such grid of these blocks is possible; empty if it is, or if no grid was given
    std::string grid_obstacle;
    std::vector<limit_account> limits;
    std::vector<allowance_account> thresholds, slack;
    std::optional<next_step> next;
    std::optional<wave_account> waves;
    std::optional<cluster_account> clusters;
    std::vector<occupancy_curve> curves;
    std::vector<rule_check> rules;   ///< of thumb; empty if not requested
    std::vector<std::string> notes;  ///< further remarks: required opt-in, differences of the mode
};

/// The complete account.
occupancy_account explain(const occupancy_question& question);

/// The same, if `result` is already the model's answer to the question.
occupancy_account explain(const occupancy_question& question, const occupancy_result& result);

/// Why the block cannot be launched, in words; empty if it can.
std::string obstacle_text(const occupancy_question& question, const occupancy_result& result);

/// What the program must opt in to before the launch: more shared memory than the default limit, a cluster larger than
/// the portable size.
std::vector<std::string> launch_needs(const occupancy_question& question, const occupancy_result& result);

/// "registers and shared memory": the limiting resources in words; "nothing" if nothing limits.
std::string limiter_names(const occupancy_result& result);

/// The smallest change of the kernel's resources that makes one more block resident (or the first, if none is), or the
/// block size that fills the SM if block slots limit. `nullopt` if all warps or blocks are in use, or nothing that
/// raises occupancy can be changed.
std::optional<next_step> cheapest_next_step(const occupancy_question& question, const occupancy_result& result);

}  // namespace launchbox
