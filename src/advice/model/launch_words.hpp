// The words for a launch's settings, as options and the calculator's page have them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/occupancy.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// "none", "shared", "l1" or "equal"; nullopt for any other word.
cache_preference cache_preference_named(std::string_view word);
const char* name_of(cache_preference preference);

/// "off", "preferred" or "strict"; any other word is off.
global_caching global_caching_named(std::string_view word);
const char* name_of(global_caching caching);

/// The words that there are; model_mode_words() has "driver" and "spreadsheet".
std::vector<std::string> cache_preference_words();
std::vector<std::string> global_caching_words();
std::vector<std::string> model_mode_words();

}  // namespace launchbox
