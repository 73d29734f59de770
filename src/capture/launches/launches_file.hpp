// Reads back the output of `launchbox capture --format json`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "capture/launches/observed_run.hpp"

namespace launchbox {

/// Whether the text names the schema. It may still be damaged.
bool is_launches_json(std::string_view text);

/// Throws `error`, with the place, if the text is malformed. Occupancy, waves and findings are recalculated.
observed_run read_launches_json(std::string_view text, const std::string& file);

}  // namespace launchbox
