// Rejects candidates that cannot run, before they are compiled or launched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <launchbox/sm_limits.hpp>

#include "image/kernel_info.hpp"
#include "tune/backend/launch_expressions.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/built_candidate.hpp"

namespace launchbox {

/// One sentence with the figures; empty: it may run. Needs no compiler.
std::string why_not_before_build(const evaluated_launch& launch, const sm_limits& limits);

/// 0 to 1: how likely the candidate is worth a try, judged by its launch alone. 0: it cannot run; 0.5: it cannot fill
/// half of an SM whatever its registers, or leaves threads of a warp idle. Only the initial order depends on it, since
/// the candidate with the highest occupancy is often not the fastest.
double prior_before_build(const evaluated_launch& launch, const sm_limits& limits);

/// Like `why_not_before_build`, with the compiler's figures.
std::string why_not_launched(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits,
                             const screen_settings& settings);

/// For a candidate that can be launched.
built_launch residency_of(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits);

}  // namespace launchbox
