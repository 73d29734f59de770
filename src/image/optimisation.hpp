// How far the compiler optimised the code of an image, from the ptxas command lines recorded in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "image/container/elf.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// The optimisation that ptxas options ask for, in the form that ptxas records ("-O 0 -arch sm_90") or that a user
/// writes ("-O0", "--opt-level=0", "-g").
code_optimisation optimisation_of_options(std::string_view options);

/// For a cubin of CUDA 13: nvlink keeps the options with which each of its inputs was compiled.
struct image_optimisation {
    /// For kernels without debug information (`.debug_info`); `unknown` if the image does not tell, or was linked from
    /// objects that were compiled differently.
    code_optimisation without_debug_information = code_optimisation::unknown;
};

image_optimisation read_optimisation(const elf_image& image);

}  // namespace launchbox
