// GPUs by the names under which they are sold: for options, and for figures that depend on how many SMs there are.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// One model; docs/gpus.md has the source of each. Of a board with two GPUs, one of them.
struct gpu_model {
    std::string_view words;  ///< "[Quadro] P4000": what is in brackets may be left out
    compute_capability capability;
    int sms = 0;  ///< streaming multiprocessors that are enabled
    /// The sizes of its memory in GB, where models differ in nothing else that their names tell: "12". With "-" also
    /// a name without a size means this one, the model that was sold first: "- 10".
    std::string_view memory = {};

    friend bool operator==(const gpu_model&, const gpu_model&) = default;
};

/// As it is shown: "Quadro P4000", "RTX 3080 12GB".
std::string name_of(const gpu_model& model);

/// Rising by compute capability.
std::span<const gpu_model> gpu_models();

/// What a name can mean.
struct named_gpus {
    std::vector<const gpu_model*> models;  ///< several where it leaves words out: "Titan X", "Orin"
    bool whole = false;                    ///< it says all that tells these models from others

    /// Where all are of one.
    [[nodiscard]] std::optional<compute_capability> capability() const;
    /// Where it is sure how many there are.
    [[nodiscard]] std::optional<int> sms() const;
};

/// As people and the driver write them: "GTX 480", "gtx480", "NVIDIA GeForce GTX 480", "V100-SXM2-16GB", "1080", "T4".
named_gpus gpus_named(std::string_view name);

}  // namespace launchbox
