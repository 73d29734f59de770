// Compiles candidates of a [kernel] in worker processes, with a cache on disk.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
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

/// What tells the sources of one build from those of another.
struct source_identity {
    std::string files;  ///< of the user's files that the compiler reads: the same with every release of one compiler
    std::string text;   ///< of what this release makes of them, the headers of toolkit and system among them
    std::vector<std::filesystem::path> own;  ///< the files behind `files`

    [[nodiscard]] std::string hash() const { return files + text; }
};

/// `build` may be called by many threads at once; each call waits for one of the compilers.
class kernel_builder {
public:
    /// Finds the compiler and reads the source. Throws `error`: missing, when there is no compiler; bad_input, when the
    /// source cannot be read.
    kernel_builder(const tune_spec& spec, const builder_options& options);
    ~kernel_builder();

    /// `values`: those of candidate and workload. Candidates whose name and flags come out the same are one build.
    /// Never throws for what a compiler does: it fails, hangs, eats memory or dies.
    build_result build(const assignment& values, const compute_capability& architecture);

    /// Ends what is being compiled: those calls of `build` throw `error` with status `interrupted`.
    void give_up();

    [[nodiscard]] std::string compiler() const;  ///< "NVRTC 13.0" or "nvcc 13.0.88"
    /// What candidates for one architecture are compiled from; the compiler is asked, the first time. Throws `error`
    /// where none can be.
    [[nodiscard]] source_identity sources(const compute_capability& architecture);
    [[nodiscard]] unsigned jobs() const;
    [[nodiscard]] double compile_seconds() const;  ///< spent by all compilers so far, in this process
    [[nodiscard]] std::size_t compiles() const;
    [[nodiscard]] std::size_t from_cache() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

/// The other side: reads jobs from standard input until it ends. Never returns to a caller that has other work.
int run_compile_worker();

}  // namespace launchbox
