// The kernels that a check looks at: one for each name and architecture, with all of its copies.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

/// `info` has the figures of one copy only: a figure of the kernel is the worst of all copies (`worst_of`).
struct checked_kernel {
    kernel_info info;
    std::string identity = {};                ///< see image/names/kernel_identity.hpp; filled by `one_of_each`
    std::vector<checked_kernel> others = {};  ///< the further copies; their own `others` is empty

    [[nodiscard]] std::size_t copies() const { return 1 + others.size(); }
    [[nodiscard]] const checked_kernel& copy(std::size_t i) const { return i == 0 ? *this : others.at(i - 1); }
};

/// One figure of a kernel.
struct worst_figure {
    std::optional<std::int64_t> value = {};  ///< the worst of the copies of which it is known; nullopt: of none
    std::size_t copy = 0;                    ///< whose that is; of equals the first
    bool of_all = true;                      ///< whether it is known of every copy
    std::size_t unknown_copy = 0;            ///< the first of which it is not
};

/// The largest, or the smallest where `less_is_worse`.
worst_figure worst_of(const checked_kernel& kernel,
                      const std::function<std::optional<std::int64_t>(const kernel_info&)>& figure,
                      bool less_is_worse = false);

/// Blocks on one SM, at the kernel's own launch bound.
struct residency {
    int blocks = 0;
    int threads = 0;  ///< per block

    friend bool operator==(const residency&, const residency&) = default;
};

/// What the kernel's launch bounds hold the compiler to. A second bound that ptxas ignored holds it to nothing.
struct heeded_bounds {
    std::optional<int> threads;    ///< of a block, at most; nullopt: no bound
    std::optional<int> registers;  ///< per thread, at most; unset if `threads` alone implies it

    [[nodiscard]] bool any() const { return threads || registers; }
    friend bool operator==(const heeded_bounds&, const heeded_bounds&) = default;
};

/// `nullopt` where the input does not contain launch bounds.
std::optional<heeded_bounds> heeded_bounds_of(const kernel_info& kernel);

/// The bounds that hold for every copy; `nullopt` if those of some copy are unknown.
std::optional<heeded_bounds> heeded_bounds_of(const checked_kernel& kernel);

/// Groups kernels with the same identity and architecture. A linked copy gets the figures that nvlink does not print
/// from the compiled ones; after that, copies compiled with -rdc no longer count. Sorted by identity, then
/// architecture; the copies by where they were found. So the result does not depend on the order of `found`.
std::vector<checked_kernel> one_of_each(std::vector<checked_kernel> found);

/// Resident blocks at the launch bound; `nullopt` where something needed for that is not known.
std::optional<residency> residency_of(const kernel_info& kernel);

/// Whether one of its copies is.
bool has_debug_build(const checked_kernel& kernel);

/// Where this copy was found, to follow a sentence about it: ", in b.cubin, one of 2 copies"; empty if it is the only
/// one.
std::string place_of_copy(const checked_kernel& kernel, std::size_t copy);

}  // namespace launchbox
