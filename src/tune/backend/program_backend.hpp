// [program]: candidates that are whole programs, built and run in the spec's folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

struct program_backend_options {
    std::string architecture;  ///< "sm_90", for {arch}; empty: the commands do not name it
    /// Values of CUDA_VISIBLE_DEVICES: one program at a time on each; empty: one at a time on the processor.
    std::vector<std::string> gpus;
    unsigned jobs = 0;             ///< builds at once; 0: one a core
    std::filesystem::path folder;  ///< where built programs go
    /// Files that the results are known to depend on. If a compiler reads other files of the user during a build, the
    /// run ends with an `error`, since changes to them would go unnoticed.
    std::vector<std::filesystem::path> sources = {};
};

/// Whether the commands of a program's spec need the GPU's architecture: whether {arch} is among their words.
bool asks_for_architecture(const program_target& program);

/// The backend without its environment. `spec` must outlive it.
tune_backend program_backend(const tune_spec& spec, const program_backend_options& options);

/// Reads a program's output: its samples and checksum, or what is wrong with them. If it prints no time, and the spec
/// asks for that, `wall_ns` is the sample.
struct program_output {
    measurement said;
    bool prints_time = false;  ///< the samples are what it printed
};
/// Adds numbers that a program prints: in each line the first behind the name, as in p99_ms: 3.4, p99_ms=3.4 or
/// "p99_ms": 3.4. One that is missing, or not above 0, makes a failure of `measured`.
void add_printed(const std::string& output, const std::vector<std::string>& names, measurement& measured);

program_output read_program_output(const std::string& output, const program_target& program, double wall_ns);

/// Whether the spec's build does not name {output}: then it writes beside its sources, and each candidate gets a copy
/// of the spec's folder.
bool builds_in_place(const program_target& program);

}  // namespace launchbox
