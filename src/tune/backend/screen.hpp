// Which candidates need not be compiled, or not be launched, because they cannot run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <launchbox/sm_limits.hpp>

#include "image/kernel_info.hpp"
#include "tune/backend/launch_expressions.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/built_candidate.hpp"

namespace launchbox {

/// One sentence with the figures; empty: it may run. Asks nothing of the compiler.
std::string why_not_before_build(const evaluated_launch& launch, const sm_limits& limits);

/// 0 to 1: how likely the candidate is worth a try, by its launch alone. 0: it cannot run; 0.5: it cannot fill half of
/// an SM, however few registers it takes, or leaves threads of a warp idle. Only an order in which to begin: the
/// fastest is often not the one with the highest occupancy.
double prior_before_build(const evaluated_launch& launch, const sm_limits& limits);

/// `why_not_before_build` of what the compiler made.
std::string why_not_launched(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits,
                             const screen_settings& settings);

/// Of one that can be launched.
built_launch residency_of(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits);

}  // namespace launchbox
