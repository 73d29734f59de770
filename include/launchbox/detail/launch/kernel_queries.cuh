// launchbox: what the CUDA runtime knows about a kernel and the current GPU, as values of the model. Internal: include
// launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

#include <launchbox/detail/launch/kernel_name.hpp>
#include <launchbox/detail/launch/launch_explanation.hpp>
#include <launchbox/launch_error.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

inline std::string error_text(cudaError_t code)
{
    return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
}

/// Scope in which failing queries to the runtime leave no error pending, unless one was pending before.
struct own_errors {
    const cudaError_t earlier = cudaPeekAtLastError();
    own_errors() = default;
    own_errors(const own_errors&) = delete;
    own_errors& operator=(const own_errors&) = delete;
    ~own_errors()
    {
        if (earlier == cudaSuccess) cudaGetLastError();
    }
};

/// Scope in which queries to the runtime are allowed while a stream is captured. They belong to no stream, but in the
/// global capture mode they would end the capture.
class beside_captures {
public:
    beside_captures()
    {
        if (used_) cudaThreadExchangeStreamCaptureMode(&mode_);
    }
    ~beside_captures()
    {
        if (used_) cudaThreadExchangeStreamCaptureMode(&mode_);
    }
    beside_captures(const beside_captures&) = delete;
    beside_captures& operator=(const beside_captures&) = delete;

private:
    // Changing the mode would clear a pending error, which may be the only trace of a failure.
    const bool used_ = cudaPeekAtLastError() == cudaSuccess;
    cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

/// A kernel without its type: the pointer by which the runtime knows it, and the name of the type.
struct kernel_handle {
    const void* function = nullptr;
    const char* type = nullptr;        ///< mangled; null without RTTI
    const char* shown_type = nullptr;  ///< mangled, of a class whose name is shown instead of the kernel's
};

template <class... Parameters>
kernel_handle handle_of(void (*kernel)(Parameters...))
{
#if defined(__cpp_rtti)
    return {reinterpret_cast<const void*>(kernel), typeid(void(Parameters...)).name(), nullptr};
#else
    return {reinterpret_cast<const void*>(kernel), nullptr, nullptr};
#endif
}

// `merge<int>`, or `kernel (int*, int)` if the runtime does not know the name.
inline std::string name_of(const kernel_handle& kernel)
{
    if (kernel.shown_type) return demangled(kernel.shown_type);
#if CUDART_VERSION >= 12030
    const char* symbol = nullptr;
    if (kernel.function && cudaFuncGetName(&symbol, kernel.function) == cudaSuccess && symbol)
        return short_kernel_name(demangled(symbol));
#endif
    if (!kernel.type) return "kernel";
    const std::string type = demangled(kernel.type);
    const std::size_t parameters = type.find('(');
    return parameters == std::string::npos ? "kernel" : "kernel " + type.substr(parameters);
}

inline int device_attribute(cudaDeviceAttr which, int device)
{
    int value = 0;
    cudaDeviceGetAttribute(&value, which, device);
    return value;
}

/// What the runtime reports about kernel and GPU; `status` is the result of cudaFuncGetAttributes, or of finding the
/// GPU.
struct gathered_facts {
    launch_facts facts;
    cudaError_t status = cudaSuccess;
};

inline gathered_facts gather(const kernel_handle& kernel)
{
    const beside_captures beside;
    gathered_facts result;
    result.facts.kernel = name_of(kernel);
    int device = 0;
    result.status = cudaGetDevice(&device);
    if (result.status != cudaSuccess) return result;
    result.facts.gpu = {.major = device_attribute(cudaDevAttrComputeCapabilityMajor, device),
                        .minor = device_attribute(cudaDevAttrComputeCapabilityMinor, device)};
    result.facts.sms = device_attribute(cudaDevAttrMultiProcessorCount, device);

    cudaFuncAttributes attributes{};
    result.status =
        kernel.function ? cudaFuncGetAttributes(&attributes, kernel.function) : cudaErrorInvalidDeviceFunction;
    if (result.status != cudaSuccess) return result;
    result.facts.registers = attributes.numRegs;
    result.facts.static_shared_bytes = static_cast<std::int64_t>(attributes.sharedSizeBytes);
    result.facts.max_threads = attributes.maxThreadsPerBlock;
    result.facts.binary_version = attributes.binaryVersion;
    result.facts.ptx_version = attributes.ptxVersion;
    const int carveout = attributes.preferredShmemCarveout;
    result.facts.carveout_percent = carveout >= 0 && carveout <= 100 ? carveout : -1;
    if (attributes.requiredClusterWidth > 0)
        result.facts.required_cluster = launch_extent(attributes.requiredClusterWidth, attributes.requiredClusterHeight,
                                                      attributes.requiredClusterDepth);
    return result;
}

inline std::string no_code_text(const launch_facts& facts)
{
    if (facts.gpu.major == 0) return "the program has no code of it for the GPU here.";
    const std::string number = std::to_string(facts.gpu.number());
    const architecture_text capability = compute_capability_name(facts.gpu);
    return "the program has no code of it for this GPU, compute capability " + std::string(capability.view()) +
           ". Compile it with -gencode=arch=compute_" + number + ",code=sm_" + number + '.';
}

// After these errors every further call fails until the process ends.
inline bool is_lasting(cudaError_t code)
{
    switch (code) {
        case cudaErrorIllegalAddress:
        case cudaErrorLaunchTimeout:
        case cudaErrorAssert:
        case cudaErrorHardwareStackError:
        case cudaErrorIllegalInstruction:
        case cudaErrorMisalignedAddress:
        case cudaErrorInvalidAddressSpace:
        case cudaErrorInvalidPc:
        case cudaErrorLaunchFailure:
        case cudaErrorECCUncorrectable:
        case cudaErrorNvlinkUncorrectable:
            return true;
        default:
            return false;
    }
}

/// No GPU, or no driver: then every call fails like this.
inline bool means_no_gpu(cudaError_t status)
{
    return status == cudaErrorNoDevice || status == cudaErrorInsufficientDriver;
}

/// For a kernel without attributes: which code is missing, or that this is not a kernel.
inline launch_explanation explain_missing(const kernel_handle& kernel, const launch_facts& facts, cudaError_t status)
{
    const std::string name = facts.kernel + ": ";
    if (!kernel.function)
        return {launch_error_kind::not_a_kernel, launch_obstacle::none, name + "the pointer to the kernel is null."};
    if (status == cudaErrorNoKernelImageForDevice)
        return {launch_error_kind::no_code, launch_obstacle::none, name + no_code_text(facts)};
    if (status == cudaErrorInvalidDeviceFunction)
        return {launch_error_kind::not_a_kernel, launch_obstacle::none,
                name +
                    "the runtime does not know it. Either its pointer is not that of a __global__ function of this "
                    "program, or " +
                    no_code_text(facts)};
    if (is_lasting(status))
        return {
            launch_error_kind::earlier_error, launch_obstacle::none,
            name + "an earlier error was pending: " + error_text(status) +
                ". Nothing can be launched until the process ends (with CUDA_LAUNCH_BLOCKING=1 the error may be this "
                "kernel's own)."};
    const bool no_gpu = means_no_gpu(status);
    return {no_gpu ? launch_error_kind::no_gpu : launch_error_kind::runtime, launch_obstacle::none,
            name + (no_gpu ? "this machine has no GPU to run it: " : "") + error_text(status) + '.'};
}

/// The facts of a kernel and the limits of its GPU, or an exception that says what is missing.
struct known_kernel {
    launch_facts facts;
    const sm_limits* limits = nullptr;
    launch_settings settings = {};
    kernel_resources resources = {};
};

// The attributes do not contain the barriers. But barriers limit the blocks of an SM equally for every shape, and the
// smallest block without shared memory shows whether they do. The smallest number of barriers with which the model
// agrees with the runtime there also agrees for every other shape.
inline int find_barriers(const kernel_handle& kernel, const known_kernel& known)
{
    const sm_limits& limits = *known.limits;
    if (!limits.barriers_per_sm) return 0;
    int runtime = 0;
    if (cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, kernel.function, warp_size, 0) != cudaSuccess) return 0;
    kernel_resources tried = known.resources;
    while (tried.barriers < max_barriers_per_block &&
           resident_blocks(limits, tried, {.threads = warp_size}, known.settings) > runtime)
        ++tried.barriers;
    return tried.barriers;
}

inline known_kernel know(const kernel_handle& kernel)
{
    const own_errors errors;
    gathered_facts gathered = gather(kernel);
    if (gathered.status != cudaSuccess) {
        const launch_explanation why = explain_missing(kernel, gathered.facts, gathered.status);
        throw launch_error(why.text, gathered.status, why.kind);
    }
    known_kernel result{.facts = std::move(gathered.facts), .limits = nullptr};
    const launch_facts& facts = result.facts;
    result.limits = find_sm_limits(facts.gpu);
    if (!result.limits) {
        const architecture_text capability = compute_capability_name(facts.gpu);
        throw launch_error(facts.kernel + ": launchbox has no limits for compute capability " +
                               std::string(capability.view()) +
                               ". Launching works; for occupancy and block sizes a newer launchbox is needed.",
                           cudaErrorNotSupported, launch_error_kind::unknown_gpu);
    }
    result.settings = settings_of(*result.limits, facts.static_shared_bytes, facts.carveout_percent);
    result.resources = {.registers = facts.registers,
                        .static_shared_bytes = facts.static_shared_bytes,
                        .max_threads = facts.max_threads};
    result.resources.barriers = find_barriers(kernel, result);
    return result;
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
