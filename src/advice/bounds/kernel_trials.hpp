// A kernel compiled with many launch attributes: what the sweep of `bounds` finds out, before anything is concluded.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    kernel_info kernel;                    ///< what the compiler made of it; its name is empty where it did not compile
    std::vector<std::string> errors = {};  ///< the compiler's, if it did not compile
    bool waits = false;                    ///< it need not be compiled from the source, as far as is known yet
    /// Made by ptxas from PTX without an attribute, and a directive: what the source gives with this attribute can
    /// differ, since the front end reads it too.
    bool from_ptx = false;
    bool is_finer = false;  ///< not of the plan: tried on PTX for what the figures of others were

    [[nodiscard]] bool compiled() const { return !kernel.name.empty(); }
    /// It has still to be compiled from the source.
    [[nodiscard]] bool is_open() const { return !compiled() && errors.empty() && !waits; }
};

/// One kernel for one architecture: unchanged, and with everything that was tried instead.
struct kernel_trials {
    kernel_info written;                          ///< compiled from the unchanged source
    launch_attribute attribute;                   ///< the one in the source, as the compiler read it; empty: none
    std::optional<source_location> declared_at;   ///< the __global__ of its declaration
    std::optional<source_location> attribute_at;  ///< its own __launch_bounds__ or __maxnreg__, when it has one
    std::vector<int> threads;                     ///< block sizes that it may be launched with, rising
    bool threads_assumed = false;                 ///< neither the user, nor a bound, nor a launch tells them
    bounds_launch launch = {};                    ///< as the source launches it
    std::vector<bounds_trial> trials =
        {};                      ///< without attribute first; then bounds by threads and blocks; then __maxnreg__
    std::string not_swept = {};  ///< why nothing was tried, and how it could be; empty: it was
    std::size_t group = 0;       ///< from 1, equal for one kernel on several architectures; 0: not matched

    [[nodiscard]] bool has_open() const { return std::ranges::any_of(trials, &bounds_trial::is_open); }
};

/// Puts the same kernel for several architectures one after the other, in the order in which each kernel came first. A
/// symbol can name the architectures that it was compiled for (CUB's do): then the place of its declaration and its
/// name for people tell.
void bring_together(std::vector<kernel_trials>& kernels);

}  // namespace launchbox
