// Live registers of kernels, with nvdisasm: NVIDIA's disassembler, of the toolkit or of its Python package.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "image/cubin.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// Beside `nvcc` where that is given, else in PATH, $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. Throws `error` with
/// status `missing`, and with the command that installs it.
std::filesystem::path find_nvdisasm(const std::string& nvcc);

/// For `cubin_options::examine`: fills `pressure` and the live registers of the lines, for the kernels that are wanted.
/// nvdisasm runs once for some megabytes of code.
std::function<void(const cubin_examination&)> pressure_examiner(std::filesystem::path nvdisasm,
                                                                std::function<bool(const kernel_info& kernel)> wanted);

}  // namespace launchbox
