// The CUDA driver's functions, loaded at run time, so that one binary runs with and without a GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <string>

#include "support/loaded_library.hpp"

namespace launchbox {

/// cuda.h renames some functions to their current version by macros; the names here are the versioned ones. Null if
/// this driver lacks the function.
struct cuda_driver {
    loaded_library library;
    std::string missing = {};  ///< for people: what is missing; empty if everything required was found

    decltype(&cuInit) init = library.need("cuInit");
    decltype(&cuDriverGetVersion) driver_version = library.need("cuDriverGetVersion");
    decltype(&cuGetErrorName) error_name = library.need("cuGetErrorName");
    decltype(&cuGetErrorString) error_text = library.need("cuGetErrorString");

    decltype(&cuDeviceGetCount) device_count = library.need("cuDeviceGetCount");
    decltype(&cuDeviceGet) device = library.need("cuDeviceGet");
    decltype(&cuDeviceGetName) device_name = library.need("cuDeviceGetName");
    decltype(&cuDeviceGetAttribute) device_attribute = library.need("cuDeviceGetAttribute");
    decltype(&cuDeviceTotalMem) device_memory = library.need("cuDeviceTotalMem_v2");
    decltype(&cuDeviceGetPCIBusId) device_bus = library.find("cuDeviceGetPCIBusId");
    decltype(&cuDeviceGetUuid) device_uuid = library.find("cuDeviceGetUuid_v2");  ///< a part of a GPU (MIG) has its own

    decltype(&cuDevicePrimaryCtxRetain) retain_context = library.need("cuDevicePrimaryCtxRetain");
    decltype(&cuDevicePrimaryCtxSetFlags) set_context_flags = library.need("cuDevicePrimaryCtxSetFlags_v2");
    decltype(&cuCtxSetCurrent) use_context = library.need("cuCtxSetCurrent");
    decltype(&cuCtxResetPersistingL2Cache) reset_persisting_l2 =
        library.find("cuCtxResetPersistingL2Cache");  ///< since 11.0

    decltype(&cuModuleLoadData) load_module = library.need("cuModuleLoadData");
    decltype(&cuModuleUnload) unload_module = library.need("cuModuleUnload");
    decltype(&cuModuleGetFunction) get_function = library.need("cuModuleGetFunction");
    decltype(&cuModuleGetGlobal) get_variable = library.need("cuModuleGetGlobal_v2");
    decltype(&cuFuncGetAttribute) function_attribute = library.need("cuFuncGetAttribute");
    decltype(&cuFuncSetAttribute) set_function_attribute = library.need("cuFuncSetAttribute");
    decltype(&cuFuncGetParamInfo) parameter_info = library.find("cuFuncGetParamInfo");  ///< since 12.4
    decltype(&cuLaunchKernel) launch = library.need("cuLaunchKernel");
    decltype(&cuLaunchKernelEx) launch_ex = library.find("cuLaunchKernelEx");  ///< since 11.8

    decltype(&cuMemAlloc) allocate = library.need("cuMemAlloc_v2");
    decltype(&cuMemFree) free = library.need("cuMemFree_v2");
    decltype(&cuMemHostAlloc) allocate_host = library.need("cuMemHostAlloc");
    decltype(&cuMemHostGetDevicePointer) device_pointer = library.need("cuMemHostGetDevicePointer_v2");
    decltype(&cuMemcpyHtoDAsync) copy_to_device = library.need("cuMemcpyHtoDAsync_v2");
    decltype(&cuMemcpyDtoHAsync) copy_to_host = library.need("cuMemcpyDtoHAsync_v2");
    decltype(&cuMemcpyDtoDAsync) copy_on_device = library.need("cuMemcpyDtoDAsync_v2");
    decltype(&cuMemsetD8Async) set_bytes = library.need("cuMemsetD8Async");
    decltype(&cuMemsetD32Async) set_words = library.need("cuMemsetD32Async");

    // Memory at chosen addresses, since 10.2. If one function is missing, `reserve_address` is null.
    decltype(&cuMemAddressReserve) reserve_address = library.find("cuMemAddressReserve");
    decltype(&cuMemAddressFree) free_address = library.find("cuMemAddressFree");
    decltype(&cuMemGetAllocationGranularity) granularity = library.find("cuMemGetAllocationGranularity");
    decltype(&cuMemCreate) create_memory = library.find("cuMemCreate");
    decltype(&cuMemRelease) release_memory = library.find("cuMemRelease");
    decltype(&cuMemMap) map = library.find("cuMemMap");
    decltype(&cuMemUnmap) unmap = library.find("cuMemUnmap");
    decltype(&cuMemSetAccess) set_access = library.find("cuMemSetAccess");

    decltype(&cuStreamCreate) create_stream = library.need("cuStreamCreate");
    decltype(&cuStreamQuery) query_stream = library.need("cuStreamQuery");
    decltype(&cuEventCreate) create_event = library.need("cuEventCreate");
    decltype(&cuEventRecord) record_event = library.need("cuEventRecord");
    decltype(&cuEventQuery) query_event = library.need("cuEventQuery");
    decltype(&cuEventElapsedTime) elapsed_ms = library.need("cuEventElapsedTime_v2", "cuEventElapsedTime");
};

/// Loads libcuda.so.1 and keeps it loaded: unloading it while its threads run crashes.
const cuda_driver& loaded_cuda_driver();

}  // namespace launchbox
