// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_driver.hpp"

#include <dlfcn.h>

namespace launchbox {

namespace {

cuda_driver load()
{
    cuda_driver driver;
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        driver.missing = "the CUDA driver (libcuda.so.1) is not installed";
        return driver;
    }
    const auto find = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(::dlsym(library, name));
        return function != nullptr;
    };
    const auto need = [&](auto& function, const char* name) {
        if (!find(function, name) && driver.missing.empty())
            driver.missing = std::string("libcuda.so.1 is not a CUDA driver that launchbox knows: it has no ") + name;
    };
    // cuda.h renames some functions to their current version by macros; these are the names that the macros stand for.
    need(driver.init, "cuInit");
    need(driver.driver_version, "cuDriverGetVersion");
    need(driver.error_name, "cuGetErrorName");
    need(driver.error_text, "cuGetErrorString");
    need(driver.device_count, "cuDeviceGetCount");
    need(driver.device, "cuDeviceGet");
    need(driver.device_name, "cuDeviceGetName");
    need(driver.device_attribute, "cuDeviceGetAttribute");
    need(driver.device_memory, "cuDeviceTotalMem_v2");
    find(driver.device_bus, "cuDeviceGetPCIBusId");
    find(driver.device_uuid, "cuDeviceGetUuid_v2");  // of a part of a GPU (MIG) its own
    need(driver.retain_context, "cuDevicePrimaryCtxRetain");
    need(driver.set_context_flags, "cuDevicePrimaryCtxSetFlags_v2");
    need(driver.use_context, "cuCtxSetCurrent");
    find(driver.reset_persisting_l2, "cuCtxResetPersistingL2Cache");
    need(driver.load_module, "cuModuleLoadData");
    need(driver.unload_module, "cuModuleUnload");
    need(driver.get_function, "cuModuleGetFunction");
    need(driver.get_variable, "cuModuleGetGlobal_v2");
    need(driver.function_attribute, "cuFuncGetAttribute");
    need(driver.set_function_attribute, "cuFuncSetAttribute");
    find(driver.parameter_info, "cuFuncGetParamInfo");
    need(driver.launch, "cuLaunchKernel");
    find(driver.launch_ex, "cuLaunchKernelEx");
    need(driver.allocate, "cuMemAlloc_v2");
    need(driver.free, "cuMemFree_v2");
    need(driver.allocate_host, "cuMemHostAlloc");
    need(driver.device_pointer, "cuMemHostGetDevicePointer_v2");
    need(driver.copy_to_device, "cuMemcpyHtoDAsync_v2");
    need(driver.copy_to_host, "cuMemcpyDtoHAsync_v2");
    need(driver.copy_on_device, "cuMemcpyDtoDAsync_v2");
    need(driver.set_bytes, "cuMemsetD8Async");
    need(driver.set_words, "cuMemsetD32Async");
    const bool has_addresses =
        find(driver.free_address, "cuMemAddressFree") && find(driver.granularity, "cuMemGetAllocationGranularity") &&
        find(driver.create_memory, "cuMemCreate") && find(driver.release_memory, "cuMemRelease") &&
        find(driver.map, "cuMemMap") && find(driver.unmap, "cuMemUnmap") && find(driver.set_access, "cuMemSetAccess");
    if (has_addresses) find(driver.reserve_address, "cuMemAddressReserve");
    need(driver.create_stream, "cuStreamCreate");
    need(driver.query_stream, "cuStreamQuery");
    need(driver.create_event, "cuEventCreate");
    need(driver.record_event, "cuEventRecord");
    need(driver.query_event, "cuEventQuery");
    // Drivers before 12.8 have only the first version, which takes the same arguments.
    if (!find(driver.elapsed_ms, "cuEventElapsedTime_v2")) need(driver.elapsed_ms, "cuEventElapsedTime");
    return driver;
}

}  // namespace

const cuda_driver& loaded_cuda_driver()
{
    static const cuda_driver driver = load();
    return driver;
}

}  // namespace launchbox
