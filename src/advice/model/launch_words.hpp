// The words for a launch's settings, in options and in the calculator's page.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/occupancy.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// "none", "shared", "l1" or "equal"; `nullopt` for any other word.
cache_preference cache_preference_named(std::string_view word);
const char* name_of(cache_preference preference);

/// "off", "preferred" or "strict"; any other word means off.
global_caching global_caching_named(std::string_view word);
const char* name_of(global_caching caching);

/// The valid words; model_mode_words() returns "driver" and "spreadsheet".
std::vector<std::string> cache_preference_words();
std::vector<std::string> global_caching_words();
std::vector<std::string> model_mode_words();

}  // namespace launchbox
