// The GPUs of this machine and the table of limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/sm_limits.hpp>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// A chip that the user named, and the GPU model, if it was one.
struct requested_chip {
    const sm_limits* limits = nullptr;
    std::string gpu = {};
    std::optional<int> sms = {};
};

struct devices_view {
    bool limits = true;                      ///< besides the GPUs, show the known limits
    std::vector<requested_chip> chips = {};  ///< only these, in full; empty: all, in a table
};

document devices_document(const gpu_list& gpus, const devices_view& view);

/// launchbox.devices/1.
nlohmann::ordered_json devices_json(const gpu_list& gpus, const devices_view& view);

table gpu_rows(const gpu_list& gpus);
table limits_rows(const devices_view& view);

/// Where a GPU's report differs from launchbox's table: one sentence each, for a GPU of a known compute capability.
std::vector<std::string> differences_from_table(const gpu_device& gpu);

}  // namespace launchbox
