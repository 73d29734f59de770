// The spec with which `tune` replays a captured launch, and tries other shapes of it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "capture/folder/captured_launch.hpp"

namespace launchbox {

/// `name`: of the tunable, valid in specs. With `registers`, the captured kernel's registers per thread, its PTX is
/// compiled with other limits; without, the captured module is run unchanged.
std::string replay_spec(const captured_launch& launch, const std::string& name, std::optional<int> registers = {});

}  // namespace launchbox
