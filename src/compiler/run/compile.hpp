// Compiles a source with nvcc for each architecture and collects what the compiler says of its kernels.
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
    std::string source;  ///< .cu or .ptx, as the user names it
    std::vector<compute_capability> architectures;
    std::vector<std::string> flags;  ///< further arguments of nvcc; they may not choose architectures or outputs
    unsigned jobs = 0;               ///< compilers at the same time; 0: one a core
    /// Where compiles are kept and found again (compile_cache.hpp); empty: nowhere. Costs a run of the preprocessor.
    std::filesystem::path cache_folder = {};
    cubin_options read = {};  ///< how cubins are read; for lines the flags have to ask nvcc for line information
};

/// What one architecture gave. A source that does not compile is a result, not an exception: `report.messages` then has
/// at least one error, with file and line where the compiler gives them.
struct compile_result {
    compute_capability architecture;
    bool succeeded = false;
    std::string log;                   ///< what nvcc printed, without the names of temporary folders
    resource_log report;               ///< the log, read
    std::vector<kernel_info> kernels;  ///< what the log, the cubin and the PTX tell together; found in container "nvcc"
};

/// Runs nvcc once an architecture, several at a time, and returns the results in the order of the request. Relative
/// paths, in `source` and in `flags`, are from the current folder. `progress` is called after each, one call at a time,
/// from any thread. After an interrupt (support/interrupt.hpp) no further nvcc is started, and the results that are
/// missing have an empty log. Throws `error` when nvcc cannot be started, and for names and flags that nvcc would hand
/// to a shell.
std::vector<compile_result> compile_kernels(
    const toolchain& tools, const compile_request& request,
    const std::function<void(std::size_t done, std::size_t total)>& progress = {});

/// The kernels of one run of nvcc; its cubin is read with these options.
compile_result read_compile(const nvcc_job& job, nvcc_output output, const cubin_options& options = {});

/// The compiler's errors, one a line: "k.cu(3): identifier "x" is undefined".
std::vector<std::string> error_lines(const compile_result& result);

}  // namespace launchbox
