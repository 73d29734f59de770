// Launch bounds for a source: compiles it with every bound that can make a difference.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/lint/block_size_use.hpp"
#include "app/bounds/measure_bounds.hpp"
#include "support/error.hpp"

namespace launchbox {

struct source_bounds_request {
    std::string file;
    architecture_list architectures;          ///< empty: that of the GPU here
    std::string kernel;                       ///< a pattern; empty: all
    std::string nvcc;                         ///< empty: the one that is found
    std::vector<std::string> compiler_flags;  ///< of the user
    std::vector<int> threads;                 ///< block sizes, sorted; empty: the kernel's bound, or the usual ones
    bounds_launch launch;
    bool dynamic_shared_named = false;  ///< `launch` has what the user says; else what the source launches with counts
    unsigned jobs = 0;
    bool no_cache = false;
    bool whole = false;      ///< every attribute is compiled from the source, and not only what the answer rests on
    bool of_folder = false;  ///< one of several sources: that it has no such kernel is no error
    std::optional<benchmark_request> measure;
};

struct source_bounds {
    bounds_report report;
    std::vector<kernel_trials> trials;  ///< one for each of the report's answers
    std::vector<block_size_use> uses;   ///< likewise: how the source launches that kernel
    std::string text;                   ///< of the source, as it was compiled
    bool interrupted = false;
    exit_status status = exit_status::done;
};

/// What cannot be compiled or measured is reported, and the rest is done. Throws `error` if no kernel matches.
source_bounds find_bounds(const source_bounds_request& request, const listener& news = {});

}  // namespace launchbox
