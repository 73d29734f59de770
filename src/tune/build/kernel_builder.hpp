// Compiles candidates of a [kernel] in worker processes, with a cache on disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "tune/spec/tune_spec.hpp"
#include "tune/types/build_record.hpp"

namespace launchbox {

struct build_result {
    build_record build = {};  ///< never `rejected`
    std::string cubin = {};   ///< the module
};

struct builder_options {
    std::string compiler = {};                ///< "nvrtc", "nvcc", or empty: NVRTC where it is found
    std::string nvcc = {};                    ///< as for find_toolchain
    std::filesystem::path cache_folder = {};  ///< empty: no cache
    unsigned jobs = 0;                        ///< compilers at once; 0: one a core
    std::string worker_program = {};          ///< starts with run_compile_worker; empty: this program
};

/// Identifies the sources of a build.
struct source_identity {
    std::string files;  ///< of the user's files that the compiler reads: the same with every release of one compiler
    std::string text;   ///< of what this release makes of them, the headers of toolkit and system among them
    std::vector<std::filesystem::path> own;  ///< the files behind `files`

    [[nodiscard]] std::string hash() const { return files + text; }
};

/// Many threads may call `build` at once; each call waits for a free compiler.
class kernel_builder {
public:
    /// Finds the compiler and reads the source. Throws `error`: `missing` without a compiler, `bad_input` if the source
    /// cannot be read.
    kernel_builder(const tune_spec& spec, const builder_options& options);
    ~kernel_builder();

    /// `values`: those of candidate and workload. Candidates with the same name and flags share a build. Never throws
    /// when a compiler fails, hangs, runs out of memory or dies.
    build_result build(const assignment& values, const compute_capability& architecture);

    /// Stops running compiles: those calls of `build` throw `error` with status `interrupted`.
    void give_up();

    [[nodiscard]] std::string compiler() const;  ///< "NVRTC 13.0" or "nvcc 13.0.88"
    /// The sources of candidates for one architecture; asks the compiler the first time. Throws `error` if none can be
    /// compiled.
    [[nodiscard]] source_identity sources(const compute_capability& architecture);
    [[nodiscard]] unsigned jobs() const;
    [[nodiscard]] double compile_seconds() const;  ///< spent by all compilers so far, in this process
    [[nodiscard]] std::size_t compiles() const;
    [[nodiscard]] std::size_t from_cache() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// The worker's main loop: reads jobs from standard input until it ends.
int run_compile_worker();

}  // namespace launchbox
