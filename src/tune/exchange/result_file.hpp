// Recorded results from where they were kept: a store, or the JSON that `results` has written of one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// By its content a store (opened to be read) or launchbox.results/1; "-" is JSON from standard input. A measured
/// result without samples, as `results` writes them unless told otherwise, has its median for its only sample and is
/// told of in `diagnostics`. Throws `error` for what is neither, and for what cannot be read.
result_file read_result_file(const std::string& path);

/// launchbox.results/1. `name` stands in messages. Throws `error` for what is not it.
result_file read_results_json(std::string_view text, const std::string& name);

}  // namespace launchbox
