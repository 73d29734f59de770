// Local search: from random starts to the first better neighbour found, until there is none.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tune/search/search_strategy.hpp"

namespace launchbox {

std::unique_ptr<search_strategy> make_local_search(const search_space& space, const strategy_options& options);

}  // namespace launchbox
