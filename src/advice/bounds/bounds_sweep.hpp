// Compiles the kernels of a source with many launch attributes, without editing the source, and collects the results.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "advice/bounds/kernel_trials.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// The attributes that are worth compiling for a kernel, of which everything but `trials` is filled in.
using bounds_plan = std::function<std::vector<launch_attribute>(const kernel_trials& kernel)>;

/// The attributes whose figures conclusions depend on, once all were tried.
using bounds_choice = std::function<std::vector<launch_attribute>(const kernel_trials& kernel)>;

/// Known launches of a kernel.
struct known_launch {
    std::vector<int> threads = {};  ///< empty if unknown
    bounds_launch launch = {};
};

struct bounds_request {
    std::string source;  ///< as the user named it
    std::vector<compute_capability> architectures;
    std::vector<std::string> flags = {};      ///< further arguments of nvcc
    unsigned jobs = 0;                        ///< parallel compilers; 0: one per core
    std::filesystem::path cache_folder = {};  ///< such as `default_cache_folder`; empty: no cache
    /// Whether a kernel is wanted; if empty, all are.
    std::function<bool(const kernel_info& kernel)> wanted = {};
    /// Block sizes that the kernels may be launched with. If empty: the kernel's own bound, else the size from
    /// `launched`, else 128, 256, 512 and 1024; with `chosen` only 256.
    std::vector<int> threads = {};
    /// The launches of each kernel, in the order of the source. Unset: unknown.
    std::function<std::vector<known_launch>(const std::vector<kernel_info>& kernels)> launched = {};
    /// If set, attributes are tried on the PTX of the unchanged source, which takes a tenth of the time. The attributes
    /// that `chosen` returns are then compiled from the source, until it returns no new one. If the PTX does not give
    /// the code of the source, all are compiled.
    bounds_choice chosen = {};
    /// With `chosen`: further attributes to try on PTX, once the figures of the plan's attributes are known.
    bounds_plan finer = {};
    bool whole = false;  ///< with `chosen`: still compile all of the plan's attributes from the source
};

struct bounds_sweep_result {
    std::vector<kernel_trials> kernels;    ///< those asked for, architecture by architecture as requested
    std::vector<std::string> all_kernels;  ///< short names of all kernels in the source, sorted
    std::vector<std::string> errors;       ///< why an architecture has no result, one per line: "sm_90: k.cu(3): ..."
    std::size_t compiles = 0;              ///< runs of nvcc, without preprocessing
    std::size_t from_cache = 0;            ///< compiles found in the cache
    bool interrupted = false;              ///< finished results are kept
};

/// Every trial equals compiling by hand with that attribute in the source instead of the kernel's own, and no other
/// change: all instantiations of a template get it, other kernels do not. A third launch bound of the kernel's own is
/// kept in each row of launch bounds. `trials` starts with no attribute and continues in the order of the plan. With
/// -rdc=true, the figures are those of the kernel before linking, and `relocatable` is set.
///
/// `progress` is called after each compile, one call at a time, from any thread; the total grows once, when the source
/// is known. Throws `error` as `run_nvcc` does.
bounds_sweep_result sweep_bounds(const toolchain& tools, const bounds_request& request, const bounds_plan& plan,
                                 const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace launchbox
