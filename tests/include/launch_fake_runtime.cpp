#include "launch_fake_runtime.hpp"

#include <launchbox/sm_limits.hpp>

#include <mutex>

namespace launchbox {

fake_runtime fake;
thread_local fake_thread here;

namespace {

std::recursive_mutex mutex;
using turn = std::lock_guard<std::recursive_mutex>;

std::map<std::string, const void*>& kernels()
{
    static std::map<std::string, const void*> all;
    return all;
}

fake_code& code_of(const void* kernel)
{
    const auto found = fake.codes.find({kernel, here.device});
    return found == fake.codes.end() ? fake : found->second;
}

compute_capability gpu(int device)
{
    const auto found = fake.gpus.find(device);
    if (found == fake.gpus.end()) return {.major = fake.major};
    return {.major = found->second.first, .minor = found->second.second};
}

cudaError_t answer(cudaError_t code)
{
    if (fake.lasting != cudaSuccess) code = fake.lasting;
    if (code != cudaSuccess) here.last_error = code;
    return code;
}

// A query about a kernel may load its code, which ends a capture.
void note_question(const void* kernel)
{
    ++fake.questions;
    ++fake.asked[{kernel, here.device}];
    if (here.mode != cudaStreamCaptureModeRelaxed && fake.capturing) ++fake.in_the_way;
}

cudaError_t why_refused(const cudaLaunchConfig_t& config, const fake_code& code)
{
    if (fake.refuse_with != cudaSuccess) return fake.refuse_with;
    const unsigned threads = config.blockDim.x * config.blockDim.y * config.blockDim.z;
    if (threads == 0 || threads > 1024 || config.gridDim.x == 0 || config.gridDim.x > 2147483647u)
        return cudaErrorInvalidConfiguration;
    if (static_cast<int>(threads) > code.max_threads) return cudaErrorInvalidValue;
    if (config.dynamicSmemBytes > static_cast<std::size_t>(code.max_dynamic_shared)) return cudaErrorInvalidValue;
    for (unsigned i = 0; i < config.numAttrs; ++i)
        if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
            if (config.attrs[i].val.clusterDim.x > (code.large_clusters ? 16u : 8u)) return cudaErrorInvalidClusterSize;
    return cudaSuccess;
}

}  // namespace

const std::map<std::string, const void*>& registered_kernels()
{
    return kernels();
}

}  // namespace launchbox

using launchbox::answer;
using launchbox::code_of;
using launchbox::fake;
using launchbox::fake_code;
using launchbox::here;
using launchbox::note_question;
using launchbox::turn;

extern "C" {

cudaError_t cudaPeekAtLastError()
{
    const turn mine(launchbox::mutex);
    return fake.lasting != cudaSuccess ? fake.lasting : here.last_error;
}
cudaError_t cudaGetLastError()
{
    const turn mine(launchbox::mutex);
    ++fake.cleared;
    const cudaError_t last = cudaPeekAtLastError();
    here.last_error = cudaSuccess;
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
        case cudaErrorNoDevice:
            return "cudaErrorNoDevice";
        default:
            return "cudaErrorOther";
    }
}
const char* cudaGetErrorString(cudaError_t)
{
    return "its text";
}
cudaError_t cudaDriverGetVersion(int* version)
{
    const turn mine(launchbox::mutex);
    *version = fake.driver;
    return answer(cudaSuccess);
}
cudaError_t cudaGetDeviceCount(int* count)
{
    const turn mine(launchbox::mutex);
    *count = fake.visible_gpus;
    return answer(cudaSuccess);
}
cudaError_t cudaGetDevice(int* device)
{
    const turn mine(launchbox::mutex);
    if (fake.device_status != cudaSuccess) return answer(fake.device_status);
    *device = here.device;
    return answer(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device)
{
    const turn mine(launchbox::mutex);
    ++fake.questions;
    const launchbox::compute_capability gpu = launchbox::gpu(device);
    const launchbox::sm_limits* known = launchbox::find_sm_limits(gpu);
    const launchbox::sm_limits& limits = known ? *known : launchbox::sm_90;
    const auto found = fake.figures.find(device);
    const launchbox::fake_figures figures = found == fake.figures.end() ? launchbox::fake_figures() : found->second;
    *value = which == cudaDevAttrComputeCapabilityMajor         ? gpu.major
             : which == cudaDevAttrComputeCapabilityMinor       ? gpu.minor
             : which == cudaDevAttrMultiProcessorCount          ? figures.sms
             : which == cudaDevAttrL2CacheSize                  ? figures.l2_bytes
             : which == cudaDevAttrMemoryClockRate              ? figures.memory_clock_khz
             : which == cudaDevAttrGlobalMemoryBusWidth         ? figures.memory_bus_bits
             : which == cudaDevAttrMaxSharedMemoryPerBlockOptin ? limits.shared_per_block_opt_in
                                                                : 0;
    return answer(cudaSuccess);
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total)
{
    const turn mine(launchbox::mutex);
    ++fake.questions;
    const auto found = fake.figures.find(here.device);
    *total = (found == fake.figures.end() ? launchbox::fake_figures() : found->second).memory_bytes;
    *free = *total / 2;
    return answer(cudaSuccess);
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void* kernel)
{
    const turn mine(launchbox::mutex);
    note_question(kernel);
    const fake_code& code = code_of(kernel);
    if (code.attributes_status != cudaSuccess) return answer(code.attributes_status);
    *attributes = {};
    attributes->numRegs = code.registers;
    attributes->maxThreadsPerBlock = code.max_threads;
    attributes->sharedSizeBytes = code.static_shared;
    attributes->localSizeBytes = code.local;
    attributes->binaryVersion = code.binary_version;
    attributes->ptxVersion = code.ptx_version;
    attributes->maxDynamicSharedSizeBytes = code.max_dynamic_shared;
    attributes->preferredShmemCarveout = -1;
    return answer(cudaSuccess);
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute which, int value)
{
    const turn mine(launchbox::mutex);
    here.last_error = cudaSuccess;  // as on an H200 with CUDA 13.0
    if (here.mode != cudaStreamCaptureModeRelaxed && fake.capturing) return answer(cudaErrorStreamCaptureUnsupported);
    if (which == cudaFuncAttributeNonPortableClusterSizeAllowed) {
        ++fake.allowed;
        code_of(kernel).large_clusters = value != 0;
    } else {
        ++fake.raised;
        fake.raised_to.push_back(value);
        code_of(kernel).max_dynamic_shared = value;
    }
    return answer(cudaSuccess);
}
cudaError_t cudaFuncGetName(const char** name, const void*)
{
    const turn mine(launchbox::mutex);
    *name = fake.symbol;
    return answer(fake.symbol ? cudaSuccess : cudaErrorInvalidDeviceFunction);
}
cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode)
{
    std::swap(*mode, here.mode);
    return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, const void*, int, std::size_t)
{
    const turn mine(launchbox::mutex);
    *blocks = fake.runtime_blocks;
    return answer(cudaSuccess);
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* kernel, const cudaLaunchConfig_t*)
{
    const turn mine(launchbox::mutex);
    *blocks = code_of(kernel).large_clusters ? 16 : 8;
    return answer(cudaSuccess);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void** arguments)
{
    const turn mine(launchbox::mutex);
    ++fake.tried;
    const cudaError_t code = answer(launchbox::why_refused(*config, code_of(kernel)));
    if (code == cudaSuccess) {
        ++fake.launched;
        fake.arguments.assign(arguments, arguments + (arguments ? 2 : 0));
        if (fake.on_launch) fake.on_launch(*config, kernel, arguments);
    }
    return code;
}

// Functions that nvcc's objects call before main, and stubs that are never called here.
void** __cudaRegisterFatBinary(void*)
{
    static void* handle = nullptr;
    return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**)
{
    return 0;
}
void __cudaRegisterFunction(void**, const char* stub, char*, const char* symbol, int, uint3*, uint3*, dim3*, dim3*,
                            int*)
{
    launchbox::kernels()[symbol] = stub;
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*)
{
    return cudaErrorNotSupported;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void**, std::size_t, cudaStream_t)
{
    return cudaErrorNotSupported;
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*)
{
    return cudaErrorNotSupported;
}
}
