// What `launchbox capture --format json` wrote, read again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "capture/launches/observed_run.hpp"

namespace launchbox {

/// Whether the text names the schema. It may be damaged all the same.
bool is_launches_json(std::string_view text);

/// Throws `error`, with the place, if the text is malformed. Occupancy, waves and findings are calculated anew.
observed_run read_launches_json(std::string_view text, const std::string& file);

}  // namespace launchbox
