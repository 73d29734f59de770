// What the double of the driver tells the double of CUPTI, as the driver tells CUPTI.
#pragma once

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

struct listeners {
    void (*context_created)() = nullptr;
    void (*module_loaded)(const void* bytes, std::size_t size) = nullptr;
    void (*launched)(const launched_kernel&) = nullptr;
};

}  // namespace fake

/// Of libcuda.so.1.
extern "C" fake::listeners* fake_driver_listeners();
