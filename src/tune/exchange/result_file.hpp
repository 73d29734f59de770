// Recorded results from where they were kept: a store, or the JSON that `results` has written of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tune/store/result_store.hpp"

namespace launchbox {

/// All that is known of one run.
struct recorded_run {
    std::int64_t number = 0;  ///< in its store; that of its results and races, too
    run_info info;
    std::vector<stored_result> results;
    std::vector<race_result_info> races;
};

struct result_file {
    std::vector<recorded_run> runs;
    std::vector<std::string> problems;  ///< what was left out, and why: one sentence each, with the file's name
};

/// By its content a store (opened to be read) or launchbox.results/1; "-" is JSON from standard input. A measured
/// result without samples, as `results` writes them unless told otherwise, has its median for its only sample and is
/// told of in `problems`. Throws `error` for what is neither, and for what cannot be read.
result_file read_result_file(const std::string& path);

/// launchbox.results/1. `name` stands in messages. Throws `error` for what is not it.
result_file read_results_json(std::string_view text, const std::string& name);

}  // namespace launchbox
