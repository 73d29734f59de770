// launchbox: the failures that end a measurement, and their names. Internal: include measure.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include <launchbox/measurement.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

enum class measuring { before, setting_up, preparing, launching, running };

/// Thrown and caught within measure.cuh.
struct measuring_failure {
    cudaError_t code;
    measuring when;
};

inline void require(cudaError_t code, measuring when)
{
    if (code != cudaSuccess) throw measuring_failure{code, when};
}

// The names are those that `tune` stores.
inline const char* failure_kind(const measuring_failure& failure)
{
    switch (failure.code) {
        case cudaErrorIllegalAddress:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorHardwareStackError:
            return "illegal_access";
        case cudaErrorAssert:
        case cudaErrorIllegalInstruction:
        case cudaErrorLaunchFailure:  // the error of __trap()
            return "trap";
        case cudaErrorLaunchTimeout:
            return "hang";
        case cudaErrorMemoryAllocation:
            return "out_of_memory";
        case cudaErrorNoDevice:
        case cudaErrorInsufficientDriver:
        case cudaErrorInitializationError:
        case cudaErrorDevicesUnavailable:
        case cudaErrorSystemNotReady:
        case cudaErrorSystemDriverMismatch:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
            return "device_lost";
        default:
            return failure.when == measuring::running ? "trap" : "launch_error";
    }
}

inline std::string failure_reason(const measuring_failure& failure)
{
    const char* when = "";
    switch (failure.when) {
        case measuring::before:
            when = "an error was pending before the measurement";
            break;
        case measuring::setting_up:
            when = "nothing was launched, since the measurement could not be set up";
            break;
        case measuring::preparing:
            when = "prepare failed";
            break;
        case measuring::launching:
            when = "a launch was refused";
            break;
        case measuring::running:
            when = "a kernel failed while it ran";
            break;
    }
    return std::string(when) + ": " + cudaGetErrorName(failure.code) + ", " + cudaGetErrorString(failure.code);
}

inline measurement_result failed_measurement(const measuring_failure& failure)
{
    measurement_result result;
    result.failure = failure_kind(failure);
    result.error = cudaGetErrorName(failure.code);
    result.reason = failure_reason(failure);
    return result;
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
