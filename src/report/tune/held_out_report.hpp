// `bench-search --leave-one-out gpu`: the loss of rows that were chosen without a measurement on the GPU.
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

/// The losses of all rows from one source.
struct held_out_losses {
    row_source source = row_source::predicted;
    std::size_t gpus = 0;                    ///< with such a row
    std::size_t failed = 0;                  ///< where it did not run
    double mean = 0, median = 0, worst = 0;  ///< of the others: 0.02 is 2 % slower than the best; geometric mean
};

/// One per `row_source`. With `comparable`, only GPUs that have both a predicted and an inherited row, both of which
/// ran.
std::vector<held_out_losses> losses_of(const std::vector<held_out_space>& spaces, bool comparable);

/// "gpu", "architecture".
const char* name_of(left_out what);

void add_held_out(const std::vector<held_out_space>& spaces, left_out what, document& page);

nlohmann::ordered_json held_out_json(const std::vector<held_out_space>& spaces);

/// One row per held-out GPU and source of rows.
table held_out_table(const std::vector<held_out_space>& spaces);

}  // namespace launchbox
