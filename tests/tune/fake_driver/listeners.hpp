// What the double of the driver tells the double of CUPTI, as the driver tells CUPTI.
#pragma once

#include <cuda.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace fake {

struct launched_kernel {
    const char* name;  ///< lives as long as the process
    std::array<unsigned, 3> grid, block, cluster;
    int registers, static_shared, dynamic_shared, local_bytes;
    int carveout;   ///< -1: none was asked for
    bool extended;  ///< cooperative, or by cuLaunchKernelEx with attributes
    double begin_ns, end_ns;
};

/// Calls of which the double tells before and after them.
enum class call { launch, launch_cooperative, launch_ex, allocate, free, load, pin };

// Their parameters, as CUPTI's headers lay them out.
struct launch_parameters {
    CUfunction what;
    unsigned grid_x, grid_y, grid_z, block_x, block_y, block_z, shared;
    CUstream stream;
    void **parameters, **extra;
};
struct launch_ex_parameters {
    const CUlaunchConfig* how;
    CUfunction what;
    void **parameters, **extra;
};
struct allocate_parameters {
    CUdeviceptr* to;
    std::size_t bytes;
};
struct free_parameters {
    CUdeviceptr what;
};
struct load_parameters {
    CUmodule* to;
    const void* image;
};
struct pin_parameters {
    void** to;
    std::size_t bytes;
    unsigned flags;
};

struct listeners {
    void (*called)(call which, const void* parameters, bool enters, CUresult result, const char* kernel) = nullptr;
    void (*context_created)() = nullptr;
    void (*module_loaded)(const void* bytes, std::size_t size) = nullptr;
    void (*launched)(const launched_kernel&) = nullptr;
};

}  // namespace fake

/// Of libcuda.so.1.
extern "C" fake::listeners* fake_driver_listeners();
