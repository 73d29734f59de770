// SPDX-License-Identifier: Apache-2.0
#include "gpu/driver.hpp"

#include "gpu/cuda_driver.hpp"
#include "gpu/nvml.hpp"

namespace launchbox {

namespace {

// In the form of nvidia-smi.
std::string uuid_text(const CUuuid& uuid)
{
    constexpr const char* digits = "0123456789abcdef";
    std::string text = "GPU-";
    for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
        if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
        const auto byte = static_cast<unsigned char>(uuid.bytes[i]);
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

gpu_hardware hardware_of(const cuda_driver& driver, CUdevice device)
{
    gpu_hardware found;
    const auto ask = [&](std::optional<std::int64_t>& value, CUdevice_attribute which, int unit) {
        int answer = 0;  // 0: unknown, as for the memory of some integrated GPUs
        if (driver.device_attribute(&answer, which, device) == CUDA_SUCCESS && answer > 0) value = answer / unit;
    };
    ask(found.sm_clock_mhz, CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1000);  // in kHz
    ask(found.memory_clock_mhz, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 1000);
    ask(found.memory_bus_bits, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 1);
    ask(found.l2_bytes, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 1);
    std::array<char, 64> bus{};
    if (driver.device_bus != nullptr &&
        driver.device_bus(bus.data(), static_cast<int>(bus.size()) - 1, device) == CUDA_SUCCESS)
        found.pci_bus = bus.data();
    return found;
}

gpu_list failed(std::string reason)
{
    return {{}, {}, std::move(reason)};
}

}  // namespace

// The driver reports this only in a context, which takes a second and hundreds of megabytes to create.
void ask_free_memory(gpu_device& gpu)
{
    gpu.hardware.free_memory_bytes = nvml_device(gpu.hardware.pci_bus).free_memory_bytes();
}

bool are_alike(const gpu_device& one, const gpu_device& other)
{
    return one.name == other.name && one.capability == other.capability && one.sms == other.sms &&
           one.memory_bytes == other.memory_bytes;
}

gpu_list find_gpus()
{
    const cuda_driver& driver = loaded_cuda_driver();
    if (!driver.missing.empty()) return failed(driver.missing);

    if (const CUresult code = driver.init(0); code != CUDA_SUCCESS)
        return failed(code == CUDA_ERROR_NO_DEVICE ? "the driver finds no GPU"
                                                   : "cuInit fails with code " + std::to_string(code));
    gpu_list list;
    int version = 0, count = 0;
    if (driver.driver_version(&version) == CUDA_SUCCESS)
        list.driver_version = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    if (driver.device_count(&count) != CUDA_SUCCESS || count == 0) return failed("the driver finds no GPU");

    for (int index = 0; index < count; ++index) {
        CUdevice device = 0;
        std::array<char, 256> name{};
        std::size_t memory = 0;
        if (driver.device(&device, index) != CUDA_SUCCESS) continue;
        gpu_device gpu{.index = index};
        if (driver.device_name(name.data(), static_cast<int>(name.size()) - 1, device) == CUDA_SUCCESS)
            gpu.name = name.data();
        if (CUuuid uuid{}; driver.device_uuid != nullptr && driver.device_uuid(&uuid, device) == CUDA_SUCCESS)
            gpu.uuid = uuid_text(uuid);
        if (driver.device_memory(&memory, device) == CUDA_SUCCESS) gpu.memory_bytes = static_cast<std::int64_t>(memory);
        const auto ask = [&](int& value, CUdevice_attribute which) {
            if (driver.device_attribute(&value, which, device) != CUDA_SUCCESS) value = 0;
        };
        ask(gpu.capability.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        ask(gpu.capability.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        ask(gpu.ecc, CU_DEVICE_ATTRIBUTE_ECC_ENABLED);
        ask(gpu.sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        ask(gpu.threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
        ask(gpu.blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
        ask(gpu.registers_per_sm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
        ask(gpu.registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
        ask(gpu.shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
        ask(gpu.shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
        ask(gpu.shared_per_block_opt_in, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        ask(gpu.reserved_shared_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
        ask(gpu.threads_per_block, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
        ask(gpu.block_dimensions[0], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X);
        ask(gpu.block_dimensions[1], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y);
        ask(gpu.block_dimensions[2], CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z);
        ask(gpu.grid_dimensions[0], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X);
        ask(gpu.grid_dimensions[1], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y);
        ask(gpu.grid_dimensions[2], CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z);
        gpu.hardware = hardware_of(driver, device);
        list.devices.push_back(std::move(gpu));
    }
    if (list.devices.empty()) list.reason = "the driver cannot open any of its GPUs";
    return list;
}

}  // namespace launchbox
