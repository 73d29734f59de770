// Analyses the instructions of kernels with nvdisasm.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>

#include "image/cubin.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// For `cubin_options::examine`: fills `traffic` of the wanted kernels, and names their lines.
std::function<void(const cubin_examination&)> traffic_examiner(std::filesystem::path nvdisasm,
                                                               std::function<bool(const kernel_info& kernel)> wanted);

}  // namespace launchbox
