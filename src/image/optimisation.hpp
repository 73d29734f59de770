// How far the compiler optimised the code of an image, by the command lines that ptxas leaves in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "image/container/elf.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// What the options of ptxas ask for. As ptxas notes them down ("-O 0 -arch sm_90") or as a user writes them ("-O0",
/// "--opt-level=0", "-g").
code_optimisation optimisation_of_options(std::string_view options);

/// What a cubin of CUDA 13 contains: nvlink keeps the options with which each of its inputs was compiled.
struct image_optimisation {
    /// Of kernels without debug information (`.debug_info`); `unknown`: the image does not tell, or was linked of
    /// objects that were compiled differently.
    code_optimisation without_debug_information = code_optimisation::unknown;
};

image_optimisation read_optimisation(const elf_image& image);

}  // namespace launchbox
