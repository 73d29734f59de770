// Evolution: candidates combined from two good ones, with random changes, replace the worst of a population.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tune/search/search_strategy.hpp"

namespace launchbox {

std::unique_ptr<search_strategy> make_evolution_search(const search_space& space, const strategy_options& options);

}  // namespace launchbox
