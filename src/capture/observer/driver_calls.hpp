// The functions of the CUDA driver that the observer calls for a launch that is to be captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <string>

namespace launchbox {

struct driver_calls {
    decltype(&cuFuncGetParamInfo) parameter = nullptr;  ///< since 12.4
    decltype(&cuKernelGetFunction) function_of_kernel = nullptr;
    decltype(&cuKernelGetLibrary) library_of = nullptr;  ///< since 12.5; null: the driver is older
    decltype(&cuFuncGetModule) module_of = nullptr;
    decltype(&cuFuncGetAttribute) attribute = nullptr;
    decltype(&cuModuleGetGlobal) variable = nullptr;
    decltype(&cuCtxSynchronize) synchronize = nullptr;
    decltype(&cuMemcpyDtoH) copy_to_host = nullptr;
    decltype(&cuPointerGetAttribute) pointer_attribute = nullptr;
    decltype(&cuStreamIsCapturing) is_capturing = nullptr;
    decltype(&cuThreadExchangeStreamCaptureMode) exchange_capture_mode = nullptr;
};

/// `find` looks a name up in the driver that the program has loaded. Returns the name of the first function that is
/// missing; empty if none is.
template <class Find>
std::string load_driver_calls(driver_calls& to, Find find)
{
    std::string missing;
    const auto need = [&](auto& function, const char* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(find(name));
        if (function == nullptr && missing.empty()) missing = name;
    };
    need(to.parameter, "cuFuncGetParamInfo");
    need(to.function_of_kernel, "cuKernelGetFunction");
    to.library_of = reinterpret_cast<decltype(to.library_of)>(find("cuKernelGetLibrary"));
    need(to.module_of, "cuFuncGetModule");
    need(to.attribute, "cuFuncGetAttribute");
    need(to.variable, "cuModuleGetGlobal_v2");
    need(to.synchronize, "cuCtxSynchronize");
    need(to.copy_to_host, "cuMemcpyDtoH_v2");
    need(to.pointer_attribute, "cuPointerGetAttribute");
    need(to.is_capturing, "cuStreamIsCapturing");
    need(to.exchange_capture_mode, "cuThreadExchangeStreamCaptureMode");
    return missing;
}

}  // namespace launchbox
