// Reads recorded results: a store, or the JSON that `results` has written from one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// Recognizes a store (opened for reading) or launchbox.results/1 by its content; "-" is JSON from standard input. A
/// measured result without samples, which `results` omits by default, gets its median as its only sample, and
/// `diagnostics` says so. Throws `error` for anything else, and for files that cannot be read.
result_file read_result_file(const std::string& path);

/// Reads launchbox.results/1; `name` is used in messages. Throws `error` for other text.
result_file read_results_json(std::string_view text, const std::string& name);

}  // namespace launchbox
