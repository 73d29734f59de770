// Search by a model: predicts the rest from the measurements, and proposes the most promising candidate next.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "tune/search/search_strategy.hpp"

namespace launchbox {

std::unique_ptr<search_strategy> make_model_search(const search_space& space, const strategy_options& options);

/// Alternates between the model, local search around the best, and random candidates.
std::unique_ptr<search_strategy> make_auto_search(const search_space& space, const strategy_options& options);

}  // namespace launchbox
