// The GPUs of this machine, queried through the CUDA driver, which is loaded at run time and may be missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "gpu/gpu_hardware.hpp"

namespace launchbox {

/// The driver's data on one GPU. Sizes in bytes.
struct gpu_device {
    int index = 0;
    std::string name = {};
    std::string uuid = {};  ///< "GPU-8f1c...", unique; empty if the driver does not tell
    compute_capability capability = {};
    int sms = 0;
    std::int64_t memory_bytes = 0;
    int ecc = 0;  ///< 1: ECC memory enabled
    int threads_per_sm = 0, blocks_per_sm = 0;
    int registers_per_sm = 0, registers_per_block = 0;
    int shared_per_sm = 0, shared_per_block = 0, shared_per_block_opt_in = 0, reserved_shared_per_block = 0;
    int threads_per_block = 0;
    std::array<int, 3> block_dimensions{}, grid_dimensions{};  ///< x, y, z
    gpu_hardware hardware = {};
};
/// Sizes and limits reported by the driver.
constexpr auto gpu_figures(const gpu_device&)
{
    using of = gpu_device;
    return std::tuple(field("sms", &of::sms), field("memory_bytes", &of::memory_bytes),
                      field("threads_per_sm", &of::threads_per_sm), field("blocks_per_sm", &of::blocks_per_sm),
                      field("registers_per_sm", &of::registers_per_sm),
                      field("registers_per_block", &of::registers_per_block),
                      field("shared_per_sm", &of::shared_per_sm), field("shared_per_block", &of::shared_per_block),
                      field("shared_per_block_opt_in", &of::shared_per_block_opt_in),
                      field("reserved_shared_per_block", &of::reserved_shared_per_block),
                      field("threads_per_block", &of::threads_per_block),
                      field("block_dimensions", &of::block_dimensions), field("grid_dimensions", &of::grid_dimensions));
}
constexpr auto fields_of(const compute_capability&)
{
    return std::tuple(field("major", &compute_capability::major), field("minor", &compute_capability::minor));
}
constexpr auto fields_of(const gpu_device& gpu)
{
    using of = gpu_device;
    return std::tuple_cat(
        std::tuple(field("index", &of::index), field("name", &of::name), field("uuid", &of::uuid),
                   field("capability", &of::capability), field("ecc", &of::ecc), field("hardware", &of::hardware)),
        gpu_figures(gpu));
}

/// Whether the GPUs are of one kind, so that results of one hold for the other.
bool are_alike(const gpu_device& one, const gpu_device& other);

struct gpu_list {
    std::vector<gpu_device> devices;
    std::string driver_version;  ///< the CUDA version that the driver supports, "13.0"; empty without a driver
    std::string reason;          ///< why there are no devices; empty if there are
};

/// Never throws: a machine without a GPU is a normal machine.
gpu_list find_gpus();

/// Asks NVML for `hardware.free_memory_bytes`, which the driver does not report.
void ask_free_memory(gpu_device& gpu);

}  // namespace launchbox
