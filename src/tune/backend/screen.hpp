// Which candidates need not be compiled, or not be launched, because they cannot run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <launchbox/sm_limits.hpp>

#include "image/kernel_info.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// How a candidate is launched on one workload. Whatever the spec's expressions give, also nonsense; what no int holds
/// is the nearest that it does.
struct evaluated_launch {
    std::array<int, 3> threads{1, 1, 1};
    std::array<std::int64_t, 3> blocks{1, 1, 1};
    std::array<int, 3> cluster{1, 1, 1};
    std::int64_t dynamic_shared_bytes = 0;

    friend bool operator==(const evaluated_launch&, const evaluated_launch&) = default;
};

/// `values`: those of candidate and workload. Throws `error` for an expression that fails or names what they lack.
evaluated_launch launch_of(const kernel_target& target, const assignment& values);
std::vector<task_argument> arguments_of(const kernel_target& target, const assignment& values);

/// One sentence with the figures; empty: it may run. Asks nothing of the compiler.
std::string why_not_before_build(const tune_spec& spec, const assignment& values, const evaluated_launch& launch,
                                 const sm_limits& limits);

/// 0 to 1: how likely the candidate is worth a try, by its launch alone. 0: it cannot run; 0.5: it cannot fill half of
/// an SM, however few registers it takes, or leaves threads of a warp idle. Only an order in which to begin: the
/// fastest is often not the one with the highest occupancy. Throws like `launch_of`.
double promise_before_build(const tune_spec& spec, const assignment& values, const sm_limits& limits);

/// `why_not_before_build` of what the compiler made.
std::string why_not_launched(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits,
                             const screen_settings& settings);

}  // namespace launchbox
