// Whether a recorded result still answers what a spec asks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tune/space/search_space.hpp"

namespace launchbox {

/// Everything in the spec that a single result depends on, as one hash. The constraints that name a workload's value
/// belong to it: they are tried on each candidate, and `space` knows which they are.
std::string task_hash(const tune_spec& spec, const search_space& space);

}  // namespace launchbox
