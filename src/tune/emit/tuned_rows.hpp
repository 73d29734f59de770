// Which candidate becomes the row of an architecture, and whether it is good enough to replace the present row.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/ranking/overall_score.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// A gain below 1 %, or one whose interval holds 1, never changes a source.
bool is_beyond_noise(const gain& over);

struct workload_gain {
    assignment workload;
    double weight = 1;
    gain over;
};

struct workload_rates {
    assignment workload;
    work_amounts per_second;
};

struct row_choice {
    assignment parameters;
    bool kept = false;              ///< nothing was faster than the row to be replaced, and `parameters` is that row
    bool verified = false;          ///< its outputs were compared with the reference on every workload
    std::optional<gain> over = {};  ///< over the row to be replaced; `nullopt`: that was not measured
    std::vector<workload_gain> workloads = {};  ///< where `over` is known
    std::size_t worst = 0;                      ///< place in `workloads`
    std::vector<workload_rates> rates = {};     ///< where it is known how much work a workload is
};

/// "11.65 G elements/s"; for several workloads "2.330 G to 11.65 G elements/s on 3 workloads". Empty: not known.
std::string throughput_text(const row_choice& choice);

/// The best candidate by the overall score; on a single workload, the winner of the race if there was one. Throws
/// `error` if nothing was measured, all failed, or no candidate was measured on all workloads.
row_choice choose_row(const recorded_run& run, const std::optional<assignment>& replaced);

/// A given measured candidate, even if another is faster; `over`: its gain over the baseline.
row_choice choice_of(const recorded_run& run, const assignment& candidate, const std::optional<assignment>& baseline);

/// The run reduced to some of its workloads.
recorded_run part_of(const recorded_run& run, const std::function<bool(const assignment& workload)>& wanted);

/// Whether a candidate was measured to the end on all workloads of a run.
bool is_measured(const recorded_run& run, const assignment& candidate);

}  // namespace launchbox
