// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/cuda_outcome.hpp"

#include <fmt/format.h>

namespace launchbox {

outcome outcome_of(CUresult code)
{
    switch (static_cast<int>(code)) {
        case CUDA_SUCCESS:
            return outcome::measured;
        case CUDA_ERROR_OUT_OF_MEMORY:
            return outcome::out_of_memory;
        case CUDA_ERROR_ILLEGAL_ADDRESS:
        case CUDA_ERROR_HARDWARE_STACK_ERROR:
        case CUDA_ERROR_MISALIGNED_ADDRESS:
        case CUDA_ERROR_INVALID_ADDRESS_SPACE:
        case CUDA_ERROR_INVALID_PC:
            return outcome::illegal_access;
        case CUDA_ERROR_ASSERT:
        case CUDA_ERROR_ILLEGAL_INSTRUCTION:
        case CUDA_ERROR_TENSOR_MEMORY_LEAK:
        case CUDA_ERROR_LAUNCH_FAILED:
            return outcome::trap;  // the last one is from __trap
        case CUDA_ERROR_LAUNCH_TIMEOUT:
            return outcome::hang;
        case CUDA_ERROR_NOT_INITIALIZED:
        case CUDA_ERROR_DEINITIALIZED:
        case CUDA_ERROR_DEVICE_UNAVAILABLE:
        case CUDA_ERROR_NO_DEVICE:
        case CUDA_ERROR_INVALID_DEVICE:
        case CUDA_ERROR_INVALID_CONTEXT:
        case CUDA_ERROR_ECC_UNCORRECTABLE:
        case CUDA_ERROR_NVLINK_UNCORRECTABLE:
        case CUDA_ERROR_CONTAINED:
        case CUDA_ERROR_EXTERNAL_DEVICE:
        case CUDA_ERROR_CONTEXT_IS_DESTROYED:
        case CUDA_ERROR_SYSTEM_NOT_READY:
        case CUDA_ERROR_SYSTEM_DRIVER_MISMATCH:
        case CUDA_ERROR_UNKNOWN:
            return outcome::device_lost;
        default:
            return outcome::launch_error;
    }
}

bool is_sticky(CUresult code)
{
    switch (outcome_of(code)) {
        case outcome::illegal_access:
        case outcome::trap:
        case outcome::hang:
        case outcome::device_lost:
            return true;
        default:
            return false;
    }
}

measurement measurement_of(const cuda_driver& driver, const cuda_failure& failure)
{
    const char *name = nullptr, *text = nullptr;
    if (driver.error_name == nullptr || driver.error_name(failure.code, &name) != CUDA_SUCCESS || name == nullptr)
        name = "an unknown error";
    if (driver.error_text == nullptr || driver.error_text(failure.code, &text) != CUDA_SUCCESS || text == nullptr)
        text = "no description";
    return {.status = outcome_of(failure.code),
            .reason = fmt::format("{} ({}, {}) {}", name, static_cast<int>(failure.code), text, failure.stage),
            .sticky = is_sticky(failure.code)};
}

measurement measurement_of(const gpu_hang& hang)
{
    return {.status = outcome::hang,
            .reason = fmt::format("not finished after {:.3g} s {}", hang.seconds, hang.stage),
            .sticky = true};
}

}  // namespace launchbox
