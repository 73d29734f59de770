// For which architecture a cubin is, and which toolkit made it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "image/container/elf.hpp"
#include "image/container/image_diagnostic.hpp"

namespace launchbox {

struct cubin_identity {
    int sm = 0;                ///< 90 for sm_90; 0 when the image does not tell
    std::string architecture;  ///< "sm_90a"; empty when the image does not tell
    /// "compute_80", what it was compiled from; empty when the image does not tell. That of sm_90a is taken for
    /// compute_90a: code compiled from compute_90 for sm_90a, which hardly anyone asks for, is the same byte by byte.
    std::string virtual_architecture;
    std::optional<int> toolkit_version;  ///< CUDA version x 10
};

cubin_identity identify_cubin(const elf_image& image, std::vector<image_diagnostic>& diagnostics);

}  // namespace launchbox
