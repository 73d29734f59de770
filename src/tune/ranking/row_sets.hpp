// How few rows serve all GPUs, and how well: the best sets of one row, of two, and so on.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tune/ranking/portability.hpp"

namespace launchbox {

/// For up to `max_exact_gpus` GPUs: the sets with the best worst share, and among these with a good mean; for more,
/// found greedily. Each GPU has a row with a share of 1.
std::vector<portable_set> best_row_sets(const std::vector<portable_row>& rows, std::size_t gpus);

/// The smallest set of rows with which each GPU has a share of `least`, and among these the best worst share. Empty:
/// there is no such set.
portable_set fewest_rows(const std::vector<portable_row>& rows, std::size_t gpus, double least);

}  // namespace launchbox
