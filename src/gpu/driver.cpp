#include "gpu/driver.hpp"

#include <cuda.h>
#include <dlfcn.h>

#include <array>

namespace launchbox {

namespace {

// The driver's functions by name. cuda.h renames some to their current version (cuDeviceTotalMem_v2); so do we.
struct driver_library {
    void* handle = nullptr;

    driver_library() : handle(::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {}
    ~driver_library()
    {
        if (handle != nullptr) ::dlclose(handle);
    }
    driver_library(const driver_library&) = delete;
    driver_library& operator=(const driver_library&) = delete;

    template <class Function>
    Function* function(const char* name) const
    {
        return handle == nullptr ? nullptr : reinterpret_cast<Function*>(::dlsym(handle, name));
    }
};

gpu_list failed(std::string reason)
{
    return {{}, {}, std::move(reason)};
}

}  // namespace

gpu_list find_gpus()
{
    const driver_library driver;
    if (driver.handle == nullptr) return failed("the CUDA driver (libcuda.so.1) is not installed");
    const auto init = driver.function<decltype(cuInit)>("cuInit");
    const auto version_of = driver.function<decltype(cuDriverGetVersion)>("cuDriverGetVersion");
    const auto count_of = driver.function<decltype(cuDeviceGetCount)>("cuDeviceGetCount");
    const auto device_of = driver.function<decltype(cuDeviceGet)>("cuDeviceGet");
    const auto name_of = driver.function<decltype(cuDeviceGetName)>("cuDeviceGetName");
    const auto attribute_of = driver.function<decltype(cuDeviceGetAttribute)>("cuDeviceGetAttribute");
    const auto memory_of = driver.function<decltype(cuDeviceTotalMem)>("cuDeviceTotalMem_v2");
    if (!init || !version_of || !count_of || !device_of || !name_of || !attribute_of || !memory_of)
        return failed("libcuda.so.1 is not a CUDA driver that launchbox knows");

    if (const CUresult code = init(0); code != CUDA_SUCCESS)
        return failed(code == CUDA_ERROR_NO_DEVICE ? "the driver finds no GPU"
                                                   : "cuInit fails with code " + std::to_string(code));
    gpu_list list;
    int version = 0, count = 0;
    if (version_of(&version) == CUDA_SUCCESS)
        list.driver_version = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    if (count_of(&count) != CUDA_SUCCESS || count == 0) return failed("the driver finds no GPU");

    for (int index = 0; index < count; ++index) {
        CUdevice device = 0;
        std::array<char, 256> name{};
        std::size_t memory = 0;
        if (device_of(&device, index) != CUDA_SUCCESS) continue;
        gpu_device gpu{.index = index};
        if (name_of(name.data(), static_cast<int>(name.size()) - 1, device) == CUDA_SUCCESS) gpu.name = name.data();
        if (memory_of(&memory, device) == CUDA_SUCCESS) gpu.memory_bytes = static_cast<std::int64_t>(memory);
        const auto ask = [&](int& value, CUdevice_attribute which) {
            if (attribute_of(&value, which, device) != CUDA_SUCCESS) value = 0;
        };
        ask(gpu.capability.major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
        ask(gpu.capability.minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
        ask(gpu.sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
        ask(gpu.threads_per_sm, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
        ask(gpu.blocks_per_sm, CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
        ask(gpu.registers_per_sm, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
        ask(gpu.registers_per_block, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
        ask(gpu.shared_per_sm, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
        ask(gpu.shared_per_block, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK);
        ask(gpu.shared_per_block_opt_in, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
        ask(gpu.reserved_shared_per_block, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);
        list.devices.push_back(std::move(gpu));
    }
    if (list.devices.empty()) list.reason = "the driver opens none of its GPUs";
    return list;
}

}  // namespace launchbox
