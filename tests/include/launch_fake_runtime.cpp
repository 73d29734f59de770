#include "launch_fake_runtime.hpp"

#include <launchbox/sm_limits.hpp>

namespace launchbox {

fake_runtime fake;

namespace {

cudaError_t answer(cudaError_t code)
{
    if (fake.lasting != cudaSuccess) code = fake.lasting;
    if (code != cudaSuccess) fake.last_error = code;
    return code;
}

cudaError_t why_refused(const cudaLaunchConfig_t& config)
{
    if (fake.refuse_with != cudaSuccess) return fake.refuse_with;
    const unsigned threads = config.blockDim.x * config.blockDim.y * config.blockDim.z;
    if (threads == 0 || threads > 1024 || config.gridDim.x == 0) return cudaErrorInvalidConfiguration;
    if (static_cast<int>(threads) > fake.max_threads) return cudaErrorInvalidValue;
    if (config.dynamicSmemBytes > static_cast<std::size_t>(fake.max_dynamic_shared)) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < config.numAttrs; ++i)
        if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
            if (config.attrs[i].val.clusterDim.x > (fake.large_clusters ? 16u : 8u)) return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

}  // namespace
}  // namespace launchbox

using launchbox::answer;
using launchbox::fake;

extern "C" {

cudaError_t cudaPeekAtLastError()
{
    return fake.lasting != cudaSuccess ? fake.lasting : fake.last_error;
}
cudaError_t cudaGetLastError()
{
    ++fake.cleared;
    const cudaError_t last = cudaPeekAtLastError();
    fake.last_error = cudaSuccess;
    return last;
}
const char* cudaGetErrorName(cudaError_t code)
{
    switch (code) {
        case cudaErrorInvalidValue:
            return "cudaErrorInvalidValue";
        case cudaErrorInvalidResourceHandle:
            return "cudaErrorInvalidResourceHandle";
        case cudaErrorIllegalAddress:
            return "cudaErrorIllegalAddress";
        default:
            return "cudaErrorOther";
    }
}
const char* cudaGetErrorString(cudaError_t)
{
    return "its text";
}
cudaError_t cudaGetDevice(int* device)
{
    *device = fake.device;
    return answer(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int)
{
    ++fake.questions;
    const launchbox::sm_limits& limits = launchbox::sm_90;
    *value = which == cudaDevAttrComputeCapabilityMajor         ? fake.major
             : which == cudaDevAttrMultiProcessorCount          ? 132
             : which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? limits.shared_per_block_opt_in
                                                                : 0;
    return answer(cudaSuccess);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*)
{
    ++fake.questions;
    if (fake.attributes_status != cudaSuccess) return answer(fake.attributes_status);
    *attributes = {};
    attributes->numRegs = fake.registers;
    attributes->maxThreadsPerBlock = fake.max_threads;
    attributes->sharedSizeBytes = fake.static_shared;
    attributes->binaryVersion = 90;
    attributes->ptxVersion = fake.ptx_version;
    attributes->maxDynamicSharedSizeBytes = fake.max_dynamic_shared;
    attributes->preferredShmemCarveout = -1;
    return answer(cudaSuccess);
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute which, int value)
{
    fake.last_error = cudaSuccess;  // as on an H200 with CUDA 13.0
    if (which == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        ++fake.allowed;
        fake.large_clusters = value != 0;
    } else {
        ++fake.raised;
        fake.raised_to.push_back(value);
        fake.max_dynamic_shared = value;
    }
    return answer(fake.mode == cudaStreamCaptureModeRelaxed || !fake.capturing ? cudaSuccess
                                                                               : cudaErrorStreamCaptureUnsupported);
}
cudaError_t cudaFuncGetName(const char** name, const void*)
{
    *name = fake.symbol;
    return answer(fake.symbol ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    std::swap(*mode, fake.mode);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, std::size_t)
{
    *blocks = fake.runtime_blocks;
    return answer(cudaSuccess);
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void*, const cudaLaunchConfig_t*)
{
    *blocks = fake.large_clusters ? 16 : 8;
    return answer(cudaSuccess);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void*, void** arguments)
{
    ++fake.tried;
    const cudaError_t code = answer(launchbox::why_refused(*config));
    if (code == cudaSuccess) {
        ++fake.launched;
        fake.arguments.assign(arguments, arguments + (arguments ? 2 : 0));
    }
    return code;
}
}
