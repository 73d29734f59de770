// Differences between GPUs of one model: how far apart the GPUs of a run are, and which are slow.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/types/results.hpp"

namespace launchbox {

struct slow_device {
    std::string name;
    double behind = 0;  ///< 0.07: its median is 7 % above that of all
};

struct device_comparison {
    std::size_t compared = 0;  ///< GPUs with a calibration
    double spread = 0;         ///< the slowest median over the fastest, less 1
    std::vector<slow_device> slow =
        {};  ///< beyond noise, and by more than GPUs of a model usually differ; slowest first
};

/// `nullopt`: fewer than two were calibrated.
std::optional<device_comparison> compare_devices(const std::vector<device_record>& devices);

}  // namespace launchbox
