// launchbox: an architecture encoded as the launch bound of a kernel, from which the host reads it. Plain C++, no CUDA
// needed. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

namespace launchbox::detail {

/// An architecture as a launch bound: 90 for sm_90, 346 = 90 + 256 for sm_90a, 612 = 100 + 512 for sm_100f; 1 for 0.0,
/// which is the host pass, whose kernels never run.
constexpr int probe_value_of(const compute_capability& code)
{
    const int variant = code.variant == architecture_variant::accelerated ? 256
                        : code.variant == architecture_variant::family    ? 512
                                                                          : 0;
    return code.major == 0 ? 1 : code.number() + variant;
}

/// The architecture of such a bound.
constexpr compute_capability architecture_of_probe(int value)
{
    const int number = value % 256;
    const architecture_variant variants[] = {architecture_variant::plain, architecture_variant::accelerated,
                                             architecture_variant::family, architecture_variant::family};
    return {.major = number / 10, .minor = number % 10, .variant = variants[value / 256 % 4]};
}

}  // namespace launchbox::detail
