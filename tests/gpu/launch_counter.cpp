// An oracle for `launchbox capture`: counts the launches of a program with CUPTI callbacks on the driver's functions,
// while the observer reads CUPTI's activity records. The driver loads it ($CUDA_INJECTION64_PATH); when the program
// ends, it writes lines "KERNEL GRIDxYxZ BLOCKxYxZ SHARED COUNT" to $LAUNCH_COUNTS, without launches by graphs.
//
// With $LAUNCH_RECORDS set it instead requests activity records of kernels and discards them, to measure the cost of
// CUPTI alone.
#include <cuda.h>
#include <cupti.h>
#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace {

using shape = std::tuple<std::string, std::array<unsigned, 3>, std::array<unsigned, 3>, unsigned>;

struct counter {
    std::mutex lock;
    std::map<shape, unsigned long> counts;
};
counter& the_counter()
{
    static auto* const the = new counter;
    return *the;
}

template <class Parameters>
shape shape_of(const char* name, const void* parameters)
{
    const auto& with = *static_cast<const Parameters*>(parameters);
    return {name,
            {with.gridDimX, with.gridDimY, with.gridDimZ},
            {with.blockDimX, with.blockDimY, with.blockDimZ},
            with.sharedMemBytes};
}

void CUPTIAPI called(void*, CUpti_CallbackDomain, CUpti_CallbackId id, const void* data)
{
    const auto& call = *static_cast<const CUpti_CallbackData*>(data);
    if (call.callbackSite != CUPTI_API_EXIT || call.symbolName == nullptr) return;
    if (*static_cast<const CUresult*>(call.functionReturnValue) != CUDA_SUCCESS) return;
    shape launched;
    switch (id) {
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel:
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel_ptsz:
            launched = shape_of<cuLaunchKernel_params>(call.symbolName, call.functionParams);
            break;
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel:
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz:
            launched = shape_of<cuLaunchCooperativeKernel_params>(call.symbolName, call.functionParams);
            break;
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx:
        case CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz: {
            const CUlaunchConfig& with = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams)->config;
            launched = {call.symbolName,
                        {with.gridDimX, with.gridDimY, with.gridDimZ},
                        {with.blockDimX, with.blockDimY, with.blockDimZ},
                        with.sharedMemBytes};
            break;
        }
        default:
            return;
    }
    const std::lock_guard guard(the_counter().lock);
    ++the_counter().counts[launched];
}

void write_counts()
{
    const char* const path = std::getenv("LAUNCH_COUNTS");
    std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
    if (file == nullptr) return;
    for (const auto& [launched, count] : the_counter().counts) {
        const auto& [name, grid, block, shared] = launched;
        std::fprintf(file, "%s %ux%ux%u %ux%ux%u %u %lu\n", name.c_str(), grid[0], grid[1], grid[2], block[0], block[1],
                     block[2], shared, count);
    }
    std::fclose(file);
}

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* max_records)
{
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, buffer_bytes));
    *size = buffer_bytes;
    *max_records = 0;
}
void CUPTIAPI drop_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t)
{
    std::free(buffer);
}

int ask_for_records(void* cupti)
{
    const auto give =
        reinterpret_cast<decltype(&cuptiActivityRegisterCallbacks)>(::dlsym(cupti, "cuptiActivityRegisterCallbacks"));
    const auto enable = reinterpret_cast<decltype(&cuptiActivityEnable)>(::dlsym(cupti, "cuptiActivityEnable"));
    return give(give_buffer, drop_buffer) == CUPTI_SUCCESS &&
                   enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL) == CUPTI_SUCCESS
               ? 1
               : 0;
}

}  // namespace

extern "C" [[gnu::visibility("default")]] int InitializeInjection()
{
    void* const library = ::dlopen(std::getenv("LAUNCHBOX_CUPTI"), RTLD_NOW);
    if (library == nullptr) return 0;
    if (std::getenv("LAUNCH_RECORDS") != nullptr) return ask_for_records(library);
    const auto subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(::dlsym(library, "cuptiSubscribe"));
    const auto enable = reinterpret_cast<decltype(&cuptiEnableDomain)>(::dlsym(library, "cuptiEnableDomain"));
    CUpti_SubscriberHandle subscriber{};
    if (subscribe(&subscriber, called, nullptr) != CUPTI_SUCCESS) return 0;
    enable(1, subscriber, CUPTI_CB_DOMAIN_DRIVER_API);
    std::atexit(write_counts);
    return 1;
}
