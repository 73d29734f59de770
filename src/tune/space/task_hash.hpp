// Decides whether a recorded result is still valid for a spec.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tune/space/search_space.hpp"

namespace launchbox {

/// One hash of everything in the spec that a single result depends on. Includes the constraints that name a workload's
/// value, since they are tried on each candidate; `space` knows which they are.
std::string task_hash(const tune_spec& spec, const search_space& space);

}  // namespace launchbox
