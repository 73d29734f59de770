// Compiles a source with nvcc for each architecture, and collects the compiler's data on its kernels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/log/resource_log.hpp"
#include "compiler/run/nvcc_run.hpp"
#include "compiler/run/toolchain.hpp"
#include "image/cubin.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

struct compile_request {
    std::string source;  ///< .cu or .ptx, as the user named it
    std::vector<compute_capability> architectures;
    std::vector<std::string> flags;  ///< further arguments of nvcc; must not choose architectures or outputs
    unsigned jobs = 0;               ///< parallel compilers; 0: one per core
    /// Folder of cached compiles (compile_cache.hpp); empty: no cache. Costs a run of the preprocessor.
    std::filesystem::path cache_folder = {};
    cubin_options read = {};  ///< how to read cubins; lines need a flag that makes nvcc write line information
};

/// The result for one architecture. A source that does not compile is a result, not an exception: `report.messages`
/// then has at least one error, with file and line if the compiler gives them.
struct compile_result {
    compute_capability architecture;
    bool succeeded = false;
    std::string log;                   ///< what nvcc printed, without the names of temporary folders
    resource_log report;               ///< the parsed log
    std::vector<kernel_info> kernels;  ///< merged from log, cubin and PTX; container "nvcc"
};

/// Runs nvcc once per architecture, several at a time, and returns the results in the order of the request. Relative
/// paths, in `source` and in `flags`, refer to the current folder. `progress` is called after each, one call at a time,
/// from any thread. After an interrupt (support/interrupt.hpp) no further nvcc is started, and missing results have an
/// empty log. Throws `error` if nvcc cannot be started, and for names and flags that nvcc would pass to a shell.
std::vector<compile_result> compile_kernels(
    const toolchain& tools, const compile_request& request,
    const std::function<void(std::size_t done, std::size_t total)>& progress = {});

/// The kernels from one run of nvcc; its cubin is read with these options.
compile_result read_compile(const nvcc_job& job, nvcc_output output, const cubin_options& options = {});

/// The compiler's errors, one per line: "k.cu(3): identifier "x" is undefined".
std::vector<std::string> error_lines(const compile_result& result);

}  // namespace launchbox
