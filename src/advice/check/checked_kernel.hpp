// The kernels that a check looks at: one for each name and architecture, however often it was found.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/kernel_info.hpp"

namespace launchbox {

struct checked_kernel {
    kernel_info info;
    std::string demangled;
    std::string short_form;
    std::string identity = {};  ///< see image/kernel_identity.hpp; filled by `one_of_each`
};

/// Blocks on one SM, at the kernel's own launch bound.
struct residency {
    int blocks = 0;
    int threads = 0;  ///< per block

    friend bool operator==(const residency&, const residency&) = default;
};

/// Merges what has the same identity and architecture, with the worst of each figure: the largest. A figure that one of
/// them lacks is unknown, but for spills and stack frames, which nvlink does not tell. Where one is linked, what was
/// compiled with -rdc counts for these two alone. Sorted by identity, then architecture.
std::vector<checked_kernel> one_of_each(std::vector<checked_kernel> found);

/// Resident blocks at the launch bound; `nullopt` where something needed for that is not known.
std::optional<residency> residency_of(const kernel_info& kernel);

}  // namespace launchbox
