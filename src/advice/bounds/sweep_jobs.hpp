// Which attributes of which kernels are compiled together.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "advice/bounds/kernel_trials.hpp"

namespace launchbox {

/// One attribute for all kernels defined at one place: the instantiations of a template share it.
struct site_variant {
    source_location declared_at;
    std::optional<source_location> attribute_at;
    launch_attribute attribute;

    friend bool operator==(const site_variant&, const site_variant&) = default;
};

/// The variants in one compile, each for a different place.
using sweep_job = std::vector<site_variant>;

/// The compiles that give all `trials` of all `kernels` (for one architecture), without those whose result is known
/// because the kernel already has the attribute. Kernels are compiled together (the first attribute of each, and so on)
/// only with `together`, that is, if kernels share no device function, and if their places are on different lines.
std::vector<sweep_job> jobs_for(const std::vector<kernel_trials>& kernels, bool together);

/// The job in which this attribute of the kernel is compiled.
site_variant variant_of(const kernel_trials& kernel, const launch_attribute& attribute);

}  // namespace launchbox
