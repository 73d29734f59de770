// Live registers of kernels: by our own decoder, else with nvdisasm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "image/cubin.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// For `cubin_options::examine`: fills `pressure` and the live registers of the lines for the wanted kernels, with our
/// own decoder, or with `nvdisasm` for code that our decoder does not know. If that path is empty,
/// `register_pressure::doubt` names the unknown code.
std::function<void(const cubin_examination&)> pressure_examiner(std::filesystem::path nvdisasm,
                                                                std::function<bool(const kernel_info& kernel)> wanted);

}  // namespace launchbox
