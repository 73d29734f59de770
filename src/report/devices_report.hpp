// The GPUs found and the table of limits.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include "gpu/driver.hpp"
#include "report/document.hpp"

namespace launchbox {

document devices_document(const gpu_list& gpus, bool with_limits);

/// launchbox.devices/1.
nlohmann::ordered_json devices_json(const gpu_list& gpus, bool with_limits);

table gpu_rows(const gpu_list& gpus);
table limits_rows();

/// What a GPU reports that differs from launchbox's table: one sentence each, for a GPU of a known compute capability.
std::vector<std::string> differences_from_table(const gpu_device& gpu);

}  // namespace launchbox
