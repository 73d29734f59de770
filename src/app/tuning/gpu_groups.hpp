// The GPUs that a backend measures on, and what is recorded of them and of this machine.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "gpu/driver.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

std::string host_name();
std::string processor_name();

/// GPUs that are alike.
using gpu_group = std::vector<gpu_device>;

/// Groups the GPUs with the `wanted` numbers; empty: all. Throws `error` for a number that no GPU has.
std::vector<gpu_group> groups_of(const gpu_list& found, const std::vector<int>& wanted);

/// The warning if several GPUs of one model measure energy.
std::string energies_differ(std::size_t gpus, const std::string& model);

/// "NVIDIA H200", "8 x NVIDIA H200".
std::string label_of(const gpu_group& group);
std::vector<device_record> devices_of(const gpu_group& group);
std::vector<int> indices_of(const gpu_group& group);

/// For CUDA_VISIBLE_DEVICES of another process: the UUID of each GPU ("MIG-..." for a part of one). Numbers would not
/// do, since a CUDA_VISIBLE_DEVICES of this process may have renumbered the GPUs. If the driver does not report a UUID,
/// the number.
std::vector<std::string> visible_names(const gpu_group& group);

environment_info environment_of(const gpu_device& gpu, const gpu_list& all, const target& on, std::string toolkit);

}  // namespace launchbox
