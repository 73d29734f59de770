// Compiles the kernels of a source with many launch attributes, without an edit of the source, and collects what the
// compiler makes of each.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "advice/bounds/kernel_trials.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// The attributes that are worth a compile for a kernel, of which everything but `trials` is filled in.
using bounds_plan = std::function<std::vector<launch_attribute>(const kernel_trials& kernel)>;

/// The attributes whose figures matter, once all are tried: those that a conclusion rests on.
using bounds_choice = std::function<std::vector<launch_attribute>(const kernel_trials& kernel)>;

/// What is known of a kernel's launches.
struct known_launch {
    std::vector<int> threads = {};  ///< empty: not known
    bounds_launch launch = {};
};

struct bounds_request {
    std::string source;  ///< as the user names it
    std::vector<compute_capability> architectures;
    std::vector<std::string> flags = {};      ///< further arguments of nvcc
    unsigned jobs = 0;                        ///< compilers at the same time; 0: one a core
    std::filesystem::path cache_folder = {};  ///< as `default_cache_folder` says; empty: no cache
    /// Whether a kernel is wanted; empty: all are.
    std::function<bool(const kernel_info& kernel)> wanted = {};
    /// Block sizes that the kernels may be launched with. Empty: a kernel's own bound, or what `launched` says of it,
    /// or 128, 256, 512 and 1024; with `chosen` 256 alone.
    std::vector<int> threads = {};
    /// How each of the kernels is launched, in the order of the source. Unset: unknown.
    std::function<std::vector<known_launch>(const std::vector<kernel_info>& kernels)> launched = {};
    /// If set, attributes are tried on the PTX of the unchanged source, which takes a tenth of the time. The attributes
    /// that `chosen` returns are then compiled from the source, until it returns no new one. If PTX does not give the
    /// code of the source, all are compiled.
    bounds_choice chosen = {};
    /// Of `chosen`: what else is worth a try on PTX, once the figures of the plan's attributes are known.
    bounds_plan finer = {};
    bool whole = false;  ///< with `chosen`: all of the plan's attributes are compiled from the source all the same
};

struct bounds_sweep_result {
    std::vector<kernel_trials> kernels;    ///< those asked for, architecture by architecture as requested
    std::vector<std::string> all_kernels;  ///< short names of all that the source has, sorted
    std::vector<std::string> errors;       ///< why an architecture gave nothing, one a line: "sm_90: k.cu(3): ..."
    std::size_t compiles = 0;              ///< runs of nvcc, the preprocessor's left out
    std::size_t from_cache = 0;            ///< compiles that were made before
    bool interrupted = false;              ///< what was finished is kept
};

/// Every trial equals a compile by hand with that attribute in the source instead of the kernel's own, and no other
/// change: all instantiations of a template get it, other kernels do not. A third launch bound of the kernel's own
/// stays in each row of launch bounds. `trials` starts without any attribute and continues in the order of the plan.
/// With -rdc=true the figures are those of the kernel before linking, and `relocatable` is set.
///
/// `progress` is called after each compile, one call at a time, from any thread; the total grows once, when the source
/// is known. Throws `error` as `run_nvcc` does.
bounds_sweep_result sweep_bounds(const toolchain& tools, const bounds_request& request, const bounds_plan& plan,
                                 const std::function<void(std::size_t done, std::size_t total)>& progress = {});

}  // namespace launchbox
