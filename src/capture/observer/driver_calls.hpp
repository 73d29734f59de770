// The driver functions that the observer calls for a launch to be captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include "support/loaded_library.hpp"

namespace launchbox {

struct driver_calls {
    loaded_library driver;                                                        ///< loaded by the program
    decltype(&cuFuncGetParamInfo) parameter = driver.need("cuFuncGetParamInfo");  ///< since 12.4
    decltype(&cuKernelGetFunction) function_of_kernel = driver.need("cuKernelGetFunction");
    decltype(&cuKernelGetLibrary) library_of =
        driver.find("cuKernelGetLibrary");  ///< since 12.5; null: the driver is older
    decltype(&cuFuncGetModule) module_of = driver.need("cuFuncGetModule");
    decltype(&cuFuncGetAttribute) attribute = driver.need("cuFuncGetAttribute");
    decltype(&cuModuleGetGlobal) variable = driver.need("cuModuleGetGlobal_v2");
    decltype(&cuCtxSynchronize) synchronize = driver.need("cuCtxSynchronize");
    decltype(&cuMemcpyDtoH) copy_to_host = driver.need("cuMemcpyDtoH_v2");
    decltype(&cuPointerGetAttribute) pointer_attribute = driver.need("cuPointerGetAttribute");
    decltype(&cuStreamIsCapturing) is_capturing = driver.need("cuStreamIsCapturing");
    decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode =
        driver.need("cuThreadExchangeStreamCaptureMode");
};

}  // namespace launchbox
