// The CUDA driver's functions, loaded at run time: one binary runs with and without a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <string>

namespace launchbox {

/// Functions by name, of the version that the name in the comment says. Null: this driver does not have it.
struct cuda_driver {
    std::string missing;  ///< empty if everything required was found; else why not, for people

    decltype(&cuInit) init = nullptr;
    decltype(&cuDriverGetVersion) driver_version = nullptr;
    decltype(&cuGetErrorName) error_name = nullptr;
    decltype(&cuGetErrorString) error_text = nullptr;

    decltype(&cuDeviceGetCount) device_count = nullptr;
    decltype(&cuDeviceGet) device = nullptr;
    decltype(&cuDeviceGetName) device_name = nullptr;
    decltype(&cuDeviceGetAttribute) device_attribute = nullptr;
    decltype(&cuDeviceTotalMem) device_memory = nullptr;
    decltype(&cuDeviceGetPCIBusId) device_bus = nullptr;  ///< optional
    decltype(&cuDeviceGetUuid) device_uuid = nullptr;     ///< optional

    decltype(&cuDevicePrimaryCtxRetain) retain_context = nullptr;
    decltype(&cuDevicePrimaryCtxSetFlags) set_context_flags = nullptr;
    decltype(&cuCtxSetCurrent) use_context = nullptr;
    decltype(&cuCtxResetPersistingL2Cache) reset_persisting_l2 = nullptr;  ///< optional: since 11.0

    decltype(&cuModuleLoadData) load_module = nullptr;
    decltype(&cuModuleUnload) unload_module = nullptr;
    decltype(&cuModuleGetFunction) get_function = nullptr;
    decltype(&cuModuleGetGlobal) get_variable = nullptr;
    decltype(&cuFuncGetAttribute) function_attribute = nullptr;
    decltype(&cuFuncSetAttribute) set_function_attribute = nullptr;
    decltype(&cuFuncGetParamInfo) parameter_info = nullptr;  ///< optional: since 12.4
    decltype(&cuLaunchKernel) launch = nullptr;
    decltype(&cuLaunchKernelEx) launch_ex = nullptr;  ///< optional: since 11.8

    decltype(&cuMemAlloc) allocate = nullptr;
    decltype(&cuMemFree) free = nullptr;
    decltype(&cuMemHostAlloc) allocate_host = nullptr;
    decltype(&cuMemHostGetDevicePointer) device_pointer = nullptr;
    decltype(&cuMemcpyHtoDAsync) copy_to_device = nullptr;
    decltype(&cuMemcpyDtoHAsync) copy_to_host = nullptr;
    decltype(&cuMemcpyDtoDAsync) copy_on_device = nullptr;
    decltype(&cuMemsetD8Async) set_bytes = nullptr;
    decltype(&cuMemsetD32Async) set_words = nullptr;

    // All optional: memory at addresses of one's own, since 10.2.
    decltype(&cuMemAddressReserve) reserve_address = nullptr;
    decltype(&cuMemAddressFree) free_address = nullptr;
    decltype(&cuMemGetAllocationGranularity) granularity = nullptr;
    decltype(&cuMemCreate) create_memory = nullptr;
    decltype(&cuMemRelease) release_memory = nullptr;
    decltype(&cuMemMap) map = nullptr;
    decltype(&cuMemUnmap) unmap = nullptr;
    decltype(&cuMemSetAccess) set_access = nullptr;

    decltype(&cuStreamCreate) create_stream = nullptr;
    decltype(&cuStreamQuery) query_stream = nullptr;
    decltype(&cuEventCreate) create_event = nullptr;
    decltype(&cuEventRecord) record_event = nullptr;
    decltype(&cuEventQuery) query_event = nullptr;
    decltype(&cuEventElapsedTime) elapsed_ms = nullptr;
};

/// Loads libcuda.so.1 and leaves it loaded for the life of the process: programs that unload it while its threads run
/// do not end well.
const cuda_driver& loaded_cuda_driver();

}  // namespace launchbox
