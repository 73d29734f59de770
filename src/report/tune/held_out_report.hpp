// `bench-search --leave-one-out gpu`: what rows that were chosen without a measurement on a GPU lose there.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "report/core/document.hpp"
#include "tune/ranking/gpu_prediction.hpp"

namespace launchbox {

/// The records of one space on several GPUs.
struct held_out_space {
    std::string name;  ///< of the tunable
    std::vector<std::string> files;
    portability records;
    std::vector<held_out_gpu> gpus;
};

/// What all rows of one source lose.
struct held_out_losses {
    row_source source = row_source::predicted;
    std::size_t gpus = 0;                    ///< that have such a row
    std::size_t failed = 0;                  ///< on which it did not run
    double mean = 0, median = 0, worst = 0;  ///< of the others: 0.02 takes 2 % longer than the best; mean: geometric
};

/// One for each `row_source`. With `comparable` only of GPUs that have both a predicted and an inherited row, which
/// ran.
std::vector<held_out_losses> losses_of(const std::vector<held_out_space>& spaces, bool comparable);

/// "gpu", "architecture".
const char* name_of(left_out what);

void add_held_out(const std::vector<held_out_space>& spaces, left_out what, document& page);

nlohmann::ordered_json held_out_json(const std::vector<held_out_space>& spaces);

/// One row a GPU that was held out and a source of rows.
table held_out_table(const std::vector<held_out_space>& spaces);

}  // namespace launchbox
