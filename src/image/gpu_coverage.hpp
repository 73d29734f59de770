// The GPUs on which compiled images run, by CUDA's rules of binary and PTX compatibility.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <string>

namespace launchbox {

/// Whether a cubin for `image` runs on `gpu`: a plain one on the same major and the same or a higher minor compute
/// capability, one with `a` only on its own, one with `f` on its family. Tegra chips run only their own cubins, and no
/// other chip runs theirs (CUDA Programming Guide, "Binary Compatibility").
bool cubin_runs_on(const compute_capability& image, const compute_capability& gpu);

/// Whether the driver can compile PTX for the virtual architecture `image` for `gpu`: plain PTX for the same or any
/// later compute capability, `a` only for its own, `f` for its family.
bool ptx_runs_on(const compute_capability& image, const compute_capability& gpu);

/// The GPUs that run an image, in words: "8.6 and later 8.x by cubin".
std::string where_cubin_runs(const compute_capability& image);
std::string where_ptx_runs(const compute_capability& image);

}  // namespace launchbox
