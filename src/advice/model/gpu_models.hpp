// GPUs by the names under which they are sold: for options, and for figures that depend on how many SMs there are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <optional>
#include <span>
#include <string_view>

namespace launchbox {

struct gpu_model {
    std::string_view name;  ///< "H100 PCIe"
    compute_capability capability;
    int sms = 0;  ///< streaming multiprocessors that are enabled; from NVIDIA's data sheets and architecture papers
};

/// Rising by compute capability.
std::span<const gpu_model> gpu_models();

/// By its name, in any case and with or without spaces and dashes: "h100pcie", "RTX 4090", "rtx-4090".
std::optional<gpu_model> find_gpu_model(std::string_view name);

}  // namespace launchbox
