// The architecture that a cubin is for, and the toolkit that made it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/container/elf.hpp"
#include "image/container/image_diagnostic.hpp"

namespace launchbox {

struct cubin_identity {
    int sm = 0;                ///< 90 for sm_90; 0 if unknown
    std::string architecture;  ///< "sm_90a"; empty if unknown
    /// "compute_80", which it was compiled from; empty if unknown. For sm_90a, compute_90a is assumed: code compiled
    /// from compute_90 for sm_90a, which is rare, is identical byte for byte.
    std::string virtual_architecture;
    std::optional<int> toolkit_version;  ///< CUDA version x 10
};

cubin_identity identify_cubin(const elf_image& image, std::vector<image_diagnostic>& diagnostics);

}  // namespace launchbox
