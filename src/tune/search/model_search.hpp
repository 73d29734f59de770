// Search by a model: what was measured says what to expect of the rest, and the most promising is next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tune/search/search_strategy.hpp"

namespace launchbox {

std::unique_ptr<search_strategy> make_model_search(const search_space& space, const strategy_options& options);

/// The model in turns with local search around the best, and with looks where chance sends it.
std::unique_ptr<search_strategy> make_auto_search(const search_space& space, const strategy_options& options);

}  // namespace launchbox
