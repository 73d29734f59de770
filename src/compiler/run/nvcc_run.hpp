// One run of nvcc over one source for one architecture, and what it leaves. Whole programs: build_program.hpp.
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
    std::string source;  ///< .cu or .ptx, as the user names it
    compute_capability architecture;
    std::vector<std::string> flags = {};  ///< the user's; they may not choose architectures or outputs
    std::string forced_include = {};      ///< text that every file of the unit sees first; empty: none
    bool only_ptx = false;                ///< stop after the front end: no cubin, and no figures in the log
    bool list_files = false;              ///< of a cubin: tell what was read for it
    bool keep_ptx = false;                ///< of a cubin: the PTX that it was made from, too
};

struct nvcc_output {
    int exit_code = 0;
    bool made = false;                    ///< the requested output exists
    std::string log = {};                 ///< what nvcc printed, without the names of temporary folders
    std::string cubin = {};               ///< the module
    std::string ptx_outline = {};         ///< its PTX without what is between braces (image/ptx/ptx.hpp)
    std::string ptx = {};                 ///< the same, whole; only if it was asked for
    std::size_t peak_bytes = 0;           ///< of memory, in the largest of its processes; 0: not known
    std::vector<std::string> files = {};  ///< that the preprocessor has read, where they were asked for

    [[nodiscard]] bool succeeded() const { return exit_code == 0 && made; }
    friend bool operator==(const nvcc_output& a, const nvcc_output& b)  // the results alone, not their cost
    {
        return a.exit_code == b.exit_code && a.made == b.made && a.log == b.log && a.cubin == b.cubin &&
               a.ptx_outline == b.ptx_outline && a.ptx == b.ptx;
    }
};

/// By its name: `.ptx`.
bool is_ptx_source(const std::string& source);

/// Throws `error` when nvcc cannot be started, and for names and flags that nvcc would hand to a shell. Relative paths
/// are from the current folder.
nvcc_output run_nvcc(const toolchain& tools, const nvcc_job& job);

/// All that a compile depends on, apart from the versions of the programs.
struct unit_text {
    std::string text;      ///< the source as the device compiler of the architecture sees it, all includes in it
    std::string commands;  ///< the steps of nvcc with all their options, the environment's and those of files included
};

/// Of a job without its forced include. `nullopt` when the preprocessor fails: then compiling fails too, and says why;
/// `log` gets what it has printed.
std::optional<unit_text> preprocess(const toolchain& tools, const nvcc_job& job, std::string* log = nullptr);

/// Its text alone, in half the time.
std::optional<std::string> preprocessed_text(const toolchain& tools, const nvcc_job& job);

}  // namespace launchbox
