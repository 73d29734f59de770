// Live registers of kernels: by our own decoder, else with nvdisasm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "image/cubin.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// For `cubin_options::examine`: fills `pressure` and the live registers of the lines, for the kernels that are wanted:
/// by our own decoder, and for code that it does not know by `nvdisasm`. An empty path: there is none; then what is not
/// known is named in `register_pressure::doubt`.
std::function<void(const cubin_examination&)> pressure_examiner(std::filesystem::path nvdisasm,
                                                                std::function<bool(const kernel_info& kernel)> wanted);

}  // namespace launchbox
