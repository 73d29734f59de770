// GPUs by their product names: for options, and for figures that depend on the number of SMs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// One model; docs/gpus.md has the sources. A board with two GPUs counts as one of them.
struct gpu_model {
    std::string_view words;  ///< "[Quadro] P4000": words in brackets may be left out
    compute_capability capability;
    int sms = 0;  ///< enabled streaming multiprocessors
    /// Memory sizes in GB, if models otherwise have equal names: "12". With "-", a name without a size means this one,
    /// the model that was sold first: "- 10".
    std::string_view memory = {};

    friend bool operator==(const gpu_model&, const gpu_model&) = default;
};

/// Display name: "Quadro P4000", "RTX 3080 12GB".
std::string name_of(const gpu_model& model);

/// Ascending by compute capability.
std::span<const gpu_model> gpu_models();

/// What a name may mean.
struct named_gpus {
    std::vector<const gpu_model*> models;  ///< several if it leaves out words: "Titan X", "Orin"
    bool whole = false;                    ///< it has every word that tells these models from others

    /// If all have the same one.
    [[nodiscard]] std::optional<compute_capability> capability() const;
    /// If the number is certain.
    [[nodiscard]] std::optional<int> sms() const;
};

/// In the forms that people and the driver use: "GTX 480", "gtx480", "NVIDIA GeForce GTX 480", "V100-SXM2-16GB",
/// "1080", "T4".
named_gpus gpus_named(std::string_view name);

}  // namespace launchbox
