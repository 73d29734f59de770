// Builds the user's benchmark once per launch attribute of a kernel, checks that the program has it, and races the
// programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/toolchain.hpp"
#include "image/kernel_info.hpp"
#include "tune/bench/benchmark_race.hpp"

namespace launchbox {

/// One way to compile the kernel.
struct bounds_variant {
    std::string attribute;  ///< as it is written in a source; empty: none
    std::string header;     ///< the forced include that injects it; empty: the source as it is
    int threads = 0;        ///< of a block, which the benchmark is to launch
    int min_blocks = 0, max_registers = 0;
    kernel_info expected;  ///< what its program has to hold
};

struct bounds_benchmark {
    std::string source;
    std::vector<std::string> flags;  ///< of nvcc
    compute_capability architecture;
    /// The benchmark. {program} is a program built here from the source; {threads}, {min_blocks} and {max_registers}
    /// are the variant's, {architecture} is "sm_90".
    std::vector<std::string> command;
    std::vector<std::string> build;  ///< run once a variant, before it is measured; empty: nothing is to be run
    race_options race;
    double build_time_limit = 3600;  ///< seconds
    unsigned jobs = 0;               ///< programs built at once
};

struct variant_time {
    std::vector<double> times_ns;  ///< one a run
    std::string failure = {};      ///< why there are none, or fewer, in one line
    std::string note = {};         ///< what the reader of the times should know
};

/// In the order of `variants`. Both commands find the variant in their environment, too: LAUNCHBOX_ATTRIBUTE,
/// LAUNCHBOX_THREADS, LAUNCHBOX_MIN_BLOCKS, LAUNCHBOX_MAX_REGISTERS, LAUNCHBOX_ARCHITECTURE, and NVCC_APPEND_FLAGS with
/// the forced include, which every nvcc that they start obeys. What a build overwrites is kept: the program is copied
/// beside itself. Throws `error` for a benchmark that cannot have been built with the variants: a program that holds
/// kernels, without {program} and without a build.
std::vector<variant_time> race_bounds(const toolchain& tools, const bounds_benchmark& benchmark,
                                      const std::vector<bounds_variant>& variants,
                                      const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace launchbox
