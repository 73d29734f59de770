// A kernel compiled with many launch attributes: the results of the sweep of `bounds`, before any conclusions.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "advice/bounds/bounds_launch.hpp"
#include "image/kernel_info.hpp"
#include "image/launch_attribute.hpp"

namespace launchbox {

/// One kernel compiled with one attribute.
struct bounds_trial {
    launch_attribute attribute;
    kernel_info kernel;                    ///< the result; its name is empty if it did not compile
    std::vector<std::string> errors = {};  ///< the compiler's, if it did not compile
    bool waits = false;                    ///< so far, it need not be compiled from the source
    /// Made by ptxas from PTX without an attribute, plus a directive: compiling the source with this attribute may
    /// differ, since the front end reads it, too.
    bool from_ptx = false;
    bool is_finer = false;  ///< not in the plan: tried on PTX because of the figures of others

    [[nodiscard]] bool compiled() const { return !kernel.name.empty(); }
    /// It has still to be compiled from the source.
    [[nodiscard]] bool is_open() const { return !compiled() && errors.empty() && !waits; }
};

/// One kernel for one architecture: unchanged, and with every attribute that was tried.
struct kernel_trials {
    kernel_info written;                          ///< compiled from the unchanged source
    launch_attribute attribute;                   ///< the one in the source, as the compiler read it; empty if none
    std::optional<source_location> declared_at;   ///< the __global__ of its declaration
    std::optional<source_location> attribute_at;  ///< its own __launch_bounds__ or __maxnreg__, if it has one
    std::vector<int> threads;                     ///< block sizes that it may be launched with, ascending
    bool threads_assumed = false;                 ///< neither the user, a bound nor a launch gives them
    bounds_launch launch = {};                    ///< as the source launches it
    std::vector<bounds_trial> trials = {};  ///< first no attribute; then bounds by threads and blocks; then __maxnreg__
    std::string not_swept = {};             ///< why nothing was tried, and what would help; empty if something was
    std::size_t group = 0;                  ///< from 1, equal for one kernel on several architectures; 0: unmatched

    [[nodiscard]] bool has_open() const { return std::ranges::any_of(trials, &bounds_trial::is_open); }
};

/// Groups the trials of one kernel for several architectures, in the order of each kernel's first appearance. A symbol
/// may contain the architectures that it was compiled for, as CUB's do: then the place of the declaration and the
/// readable name identify the kernel.
void bring_together(std::vector<kernel_trials>& kernels);

}  // namespace launchbox
