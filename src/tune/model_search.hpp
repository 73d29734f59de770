// Search by a model: what was measured says what to expect of the rest, and the most promising is next.
#pragma once

#include <memory>

#include "tune/search_strategy.hpp"

namespace launchbox {

std::unique_ptr<search_strategy> make_model_search(const search_space& space, const strategy_options& options);

/// Every other proposal is a neighbour of the best so far, chosen by the model as well.
std::unique_ptr<search_strategy> make_auto_search(const search_space& space, const strategy_options& options);

}  // namespace launchbox
