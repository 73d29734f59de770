#include "measure_fake_gpu.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace launchbox {

fake_gpu gpu;

void fake_gpu::put(const std::string& name, const std::function<void()>& what)
{
    asked.push_back(name);
    host_ns += launch_ns;
    // Work starts no earlier than it is launched.
    queue.push_back([=, this, launched = host_ns] {
        gpu_ns = std::max(gpu_ns, launched);
        what();
    });
}

void fake_gpu::work(double ns, cudaError_t fails_with)
{
    put("work", [=, this] {
        gpu_ns += ns;
        if (fails_with != cudaSuccess) lasting = fails_with;
    });
}

cudaError_t fake_gpu::wait()
{
    for (const std::function<void()>& task : std::exchange(queue, {})) task();
    host_ns = std::max(host_ns, gpu_ns);
    return lasting;
}

namespace {

cudaError_t answer(cudaError_t code)
{
    if (gpu.lasting != cudaSuccess) code = gpu.lasting;
    if (code != cudaSuccess) gpu.last_error = code;
    return code;
}

cudaError_t allocate(void** memory, std::size_t bytes, cudaError_t status)
{
    if (answer(status) != cudaSuccess) return status;
    ++gpu.allocated;
    *memory = std::calloc(1, bytes);
    return cudaSuccess;
}

cudaError_t free_memory(void* memory)
{
    if (memory == nullptr) return answer(cudaSuccess);
    gpu.freed_in_use += !gpu.queue.empty();
    --gpu.allocated;
    std::free(memory);
    return answer(cudaSuccess);
}

// The only kernel launched with <<<>>>: the hold.
cudaError_t launch_hold(void** arguments)
{
    if (answer(gpu.hold_status) != cudaSuccess) return gpu.hold_status;
    volatile int* const flags = *static_cast<volatile int**>(arguments[0]);
    const double limit = static_cast<double>(*static_cast<unsigned long long*>(arguments[1]));
    gpu.released = flags;
    gpu.held += flags[0] == 0;
    gpu.put("hold", [=] {
        if (flags[0] != 0) {
            gpu.gpu_ns = std::max(gpu.gpu_ns, gpu.host_ns);  // it waits until now
        } else {
            gpu.gpu_ns += limit;
            flags[1] = 1;
            ++gpu.timed_out;
        }
    });
    return cudaSuccess;
}

}  // namespace
}  // namespace launchbox

using launchbox::answer;
using launchbox::gpu;

extern "C" {

cudaError_t cudaPeekAtLastError()
{
    return gpu.lasting != cudaSuccess ? gpu.lasting : gpu.last_error;
}
cudaError_t cudaGetLastError()
{
    const cudaError_t last = cudaPeekAtLastError();
    gpu.last_error = cudaSuccess;
    return last;
}
const char* cudaGetErrorName(cudaError_t)
{
    return "cudaErrorName";
}
const char* cudaGetErrorString(cudaError_t)
{
    return "its text";
}
cudaError_t cudaGetDevice(int* device)
{
    *device = 3;
    return answer(cudaSuccess);
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device)
{
    *value = which == cudaDevAttrL2CacheSize && device == 3 ? gpu.l2_bytes : 0;
    return answer(cudaSuccess);
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes)
{
    return launchbox::allocate(memory, bytes, gpu.malloc_status);
}
cudaError_t cudaFree(void* memory)
{
    return launchbox::free_memory(memory);
}
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned)
{
    return launchbox::allocate(memory, bytes, gpu.host_status);
}
cudaError_t cudaFreeHost(void* memory)
{
    return launchbox::free_memory(memory);
}
cudaError_t cudaHostGetDevicePointer(void** on_gpu, void* memory, unsigned)
{
    *on_gpu = memory;
    return answer(cudaSuccess);
}
cudaError_t cudaMemsetAsync(void*, int, std::size_t bytes, cudaStream_t)
{
    gpu.put("flush " + std::to_string(bytes), [] { gpu.gpu_ns += 30'000; });
    return answer(cudaSuccess);
}
cudaError_t cudaEventCreate(cudaEvent_t* event)
{
    return launchbox::allocate(reinterpret_cast<void**>(event), sizeof(double), gpu.event_status);
}
cudaError_t cudaEventDestroy(cudaEvent_t event)
{
    return launchbox::free_memory(event);
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t)
{
    gpu.put("event", [event] { *reinterpret_cast<double*>(event) = gpu.gpu_ns; });
    return answer(cudaSuccess);
}
cudaError_t cudaEventSynchronize(cudaEvent_t)
{
    gpu.wait();
    return answer(cudaSuccess);
}
cudaError_t cudaStreamSynchronize(cudaStream_t)
{
    gpu.wait();
    return answer(cudaSuccess);
}
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t begin, cudaEvent_t end)
{
    *ms = static_cast<float>((*reinterpret_cast<double*>(end) - *reinterpret_cast<double*>(begin)) / 1e6);
    return answer(cudaSuccess);
}

// Functions that nvcc's objects and their stubs call.
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
void __cudaRegisterFunction(void**, const char*, char*, const char*, int, uint3*, uint3*, dim3*, dim3*, int*) {}
unsigned __cudaPushCallConfiguration(dim3, dim3, std::size_t, void*)
{
    return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3*, dim3*, std::size_t*, void*)
{
    return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t*, const void*)
{
    return cudaSuccess;
}
// For toolkits since 12.x, and for earlier ones.
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void** arguments, std::size_t, cudaStream_t)
{
    return launchbox::launch_hold(arguments);
}
cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void** arguments, std::size_t, cudaStream_t)
{
    return launchbox::launch_hold(arguments);
}
}
