// [program]: candidates that are whole programs, built and run in the spec's folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

struct program_backend_options {
    std::string architecture;  ///< "sm_90", for {arch}; empty: the commands do not name it
    /// For CUDA_VISIBLE_DEVICES: one program at a time on each; empty: one at a time on the processor.
    std::vector<std::string> gpus;
    unsigned jobs = 0;             ///< builds at once; 0: one a core
    std::filesystem::path folder;  ///< where built programs go
    /// Files that the results are known to depend on. A build of a compiler that reads others of the user's ends the
    /// run with an `error`: their changes would go unnoticed.
    std::vector<std::filesystem::path> sources = {};
};

/// How the commands of a program's spec ask for the GPU: whether {arch} is among their words.
bool asks_for_architecture(const program_target& program);

/// The backend without its environment. `spec` must outlive it.
tune_backend program_backend(const tune_spec& spec, const program_backend_options& options);

/// What a program's output says: its samples, or what is wrong with it or with them, and its checksum. Where it prints
/// no time, and where the spec wants it so, `wall_ns` is the sample.
struct program_output {
    measurement said;
    bool prints_time = false;  ///< the samples are what it printed
};
/// Adds numbers that a program prints: in each line the first behind the name, as in p99_ms: 3.4, p99_ms=3.4 or
/// "p99_ms": 3.4. One that is missing, or not above 0, makes a failure of `measured`.
void add_printed(const std::string& output, const std::vector<std::string>& names, measurement& measured);

program_output read_program_output(const std::string& output, const program_target& program, double wall_ns);

/// Whether the spec's build does not name {output}: then it writes where its sources are, and each candidate has a copy
/// of the spec's folder.
bool builds_in_place(const program_target& program);

}  // namespace launchbox
