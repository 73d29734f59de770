// The kernels examined by a check: one for each name and architecture, with all of its copies.
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

/// `info` has the figures of a single copy: a figure of the kernel is the worst of all copies (`worst_of`).
struct checked_kernel {
    kernel_info info;
    std::string identity = {};                ///< see image/names/kernel_identity.hpp; filled by `one_of_each`
    std::vector<checked_kernel> others = {};  ///< further copies; their own `others` is empty

    [[nodiscard]] std::size_t copies() const { return 1 + others.size(); }
    [[nodiscard]] const checked_kernel& copy(std::size_t i) const { return i == 0 ? *this : others.at(i - 1); }
};

/// One figure of a kernel.
struct worst_figure {
    std::optional<std::int64_t> value = {};  ///< the worst among copies with a known value; `nullopt` if none
    std::size_t copy = 0;                    ///< the copy with that value; the first of equals
    bool of_all = true;                      ///< whether it is known for every copy
    std::size_t unknown_copy = 0;            ///< the first copy for which it is unknown
};

/// The largest, or, with `less_is_worse`, the smallest.
worst_figure worst_of(const checked_kernel& kernel,
                      const std::function<std::optional<std::int64_t>(const kernel_info&)>& figure,
                      bool less_is_worse = false);

/// Blocks on one SM, at the kernel's own launch bound.
struct residency {
    int blocks = 0;
    int threads = 0;  ///< per block

    friend bool operator==(const residency&, const residency&) = default;
};

/// The limits that the kernel's launch bounds impose on the compiler. A second bound that ptxas ignored imposes none.
struct heeded_bounds {
    std::optional<int> threads;    ///< per block, at most; `nullopt` if unbounded
    std::optional<int> registers;  ///< per thread, at most; unset if implied by `threads`

    [[nodiscard]] bool any() const { return threads || registers; }
    friend bool operator==(const heeded_bounds&, const heeded_bounds&) = default;
};

/// `nullopt` if the input does not contain launch bounds.
std::optional<heeded_bounds> heeded_bounds_of(const kernel_info& kernel);

/// The bounds that hold for every copy; `nullopt` if those of some copy are unknown.
std::optional<heeded_bounds> heeded_bounds_of(const checked_kernel& kernel);

/// Groups kernels with the same identity and architecture. A linked copy gets the figures that nvlink does not print
/// from the compiled ones; after that, copies compiled with -rdc no longer count. Sorted by identity, then
/// architecture, and copies by place, so that the result does not depend on the order of `found`.
std::vector<checked_kernel> one_of_each(std::vector<checked_kernel> found);

/// Resident blocks at the launch bound; `nullopt` if a required figure is unknown.
std::optional<residency> residency_of(const kernel_info& kernel);

/// Whether one of its copies is a debug build.
bool has_debug_build(const checked_kernel& kernel);

/// Where this copy was found, as a suffix of a sentence: ", in b.cubin, one of 2 copies"; empty if it is the only one.
std::string place_of_copy(const checked_kernel& kernel, std::size_t copy);

}  // namespace launchbox
