// One run of nvcc for one source and one architecture, and its output. For whole programs see build_program.hpp.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/toolchain.hpp"

namespace launchbox {

struct nvcc_job {
    std::string source;  ///< .cu or .ptx, as the user named it
    compute_capability architecture;
    std::vector<std::string> flags = {};  ///< the user's; must not choose architectures or outputs
    std::string forced_include = {};      ///< text included before every file of the unit; may be empty
    bool only_ptx = false;                ///< stop after the front end: no cubin, and no figures in the log
    bool list_files = false;              ///< with a cubin: list the files read for it
    bool keep_ptx = false;                ///< with a cubin: also keep its PTX
};

struct nvcc_output {
    int exit_code = 0;
    bool made = false;                    ///< the requested output exists
    std::string log = {};                 ///< what nvcc printed, without the names of temporary folders
    std::string cubin = {};               ///< the module
    std::string ptx_outline = {};         ///< its PTX without the contents of braces (image/ptx/ptx.hpp)
    std::string ptx = {};                 ///< the complete PTX; only if requested
    std::size_t peak_bytes = 0;           ///< memory of its largest process; 0: unknown
    std::vector<std::string> files = {};  ///< read by the preprocessor; only if requested

    [[nodiscard]] bool succeeded() const { return exit_code == 0 && made; }
    friend bool operator==(const nvcc_output& a, const nvcc_output& b)  // compares results, not their cost
    {
        return a.exit_code == b.exit_code && a.made == b.made && a.log == b.log && a.cubin == b.cubin &&
               a.ptx_outline == b.ptx_outline && a.ptx == b.ptx;
    }
};

/// By its name: `.ptx`.
bool is_ptx_source(const std::string& source);

/// Throws `error` if nvcc cannot be started, and for names and flags that nvcc would pass to a shell. Relative paths
/// refer to the current folder.
nvcc_output run_nvcc(const toolchain& tools, const nvcc_job& job);

/// Everything that a compile depends on, except the versions of the programs.
struct unit_text {
    std::string text;      ///< the preprocessed source for the architecture's device compiler
    std::string commands;  ///< nvcc's steps with all options, including those from files and the environment
};

/// For a job, without its forced include. `nullopt` if the preprocessor fails: then compiling fails, too, and reports
/// why; `log` gets the preprocessor's output.
std::optional<unit_text> preprocess(const toolchain& tools, const nvcc_job& job, std::string* log = nullptr);

/// Only the preprocessed text, in half the time.
std::optional<std::string> preprocessed_text(const toolchain& tools, const nvcc_job& job);

}  // namespace launchbox
