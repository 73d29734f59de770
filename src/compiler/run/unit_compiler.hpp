// Compiles one source for one architecture repeatedly with different forced includes, each only once.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "compiler/run/compile_cache.hpp"
#include "compiler/run/nvcc_run.hpp"

namespace launchbox {

/// `compile` may be called by many threads at once.
class unit_compiler {
public:
    /// Runs the preprocessor once. `tools` and `cache` must outlive this.
    unit_compiler(const toolchain& tools, const std::string& ptxas_version, const compile_cache& cache, nvcc_job unit);

    /// From the cache, or from nvcc, whose output then goes into the cache.
    nvcc_output compile(const std::string& forced_include, bool only_ptx);

    /// The same for one kernel of PTX from this unit, with ptxas only; not counted in `compiles` and `from_cache`.
    nvcc_output assemble(const std::string& ptx, const std::string& kernel) const;

    [[nodiscard]] nvcc_job job(const std::string& forced_include, bool only_ptx) const;

    /// Every file of the unit as spelled in `__FILE__`; empty if the preprocessor fails.
    [[nodiscard]] const std::vector<std::string>& files() const { return files_; }
    [[nodiscard]] std::size_t compiles() const { return compiles_; }  ///< runs of nvcc, without preprocessing
    [[nodiscard]] std::size_t from_cache() const { return from_cache_; }

private:
    const toolchain& tools_;
    const compile_cache& cache_;
    nvcc_job unit_;
    std::optional<std::string> key_;
    std::vector<std::string> files_;
    std::vector<std::filesystem::path> behind_;  ///< everything that a compile depends on
    std::string contents_;                       ///< their hash at the time of preprocessing
    std::atomic<std::size_t> compiles_{0}, from_cache_{0};
};

}  // namespace launchbox
