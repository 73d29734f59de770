// A CUDA runtime with one stream and a GPU that only keeps time, to test without a GPU what measure.cuh calls, in which
// order, and how it handles failures.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <string>
#include <vector>

namespace launchbox {

struct fake_gpu {
    // Properties of the machine.
    int l2_bytes = 1000;
    double launch_ns = 5000;                  ///< host time to enqueue one operation
    cudaError_t malloc_status = cudaSuccess;  ///< cudaMalloc
    cudaError_t host_status = cudaSuccess;    ///< cudaHostAlloc
    cudaError_t event_status = cudaSuccess;   ///< cudaEventCreate
    cudaError_t hold_status = cudaSuccess;    ///< launching the kernel that holds the stream
    cudaError_t last_error = cudaSuccess;
    cudaError_t lasting = cudaSuccess;  ///< every call returns this error

    // Calls so far.
    std::vector<std::string> asked;  ///< "flush 1000", "hold", "event", "work", in the stream's order
    int allocated = 0, freed_in_use = 0, held = 0, timed_out = 0;
    volatile int* released = nullptr;  ///< the flag of the hold that was launched last

    double host_ns = 0, gpu_ns = 0;
    std::vector<std::function<void()>> queue;

    void put(const std::string& name, const std::function<void()>& what);
    void work(double ns, cudaError_t fails_with = cudaSuccess);
    cudaError_t wait();
};

extern fake_gpu gpu;

}  // namespace launchbox
