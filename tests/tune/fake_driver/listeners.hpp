// What the driver's double reports to the double of CUPTI, as the driver does to CUPTI.
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
    int carveout;              ///< -1: none was requested
    bool extended;             ///< cooperative, or through cuLaunchKernelEx with attributes
    std::uint64_t graph_node;  ///< 0: not from a graph
    double begin_ns, end_ns;
};

/// Calls that the double reports before and after they run.
enum class call {
    launch,
    launch_cooperative,
    launch_ex,
    allocate,
    free,
    load,
    load_file,
    unload,
    load_library,
    kernel_function,
    link,
    pin
};

// Their parameters, laid out as in CUPTI's headers.
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
struct load_file_parameters {
    CUmodule* to;
    const char* file;
};
struct unload_parameters {
    CUmodule what;
};
struct load_library_parameters {
    CUlibrary* to;
    const void* image;
    CUjit_option* compiler_options;
    void** compiler_values;
    unsigned compiler_count;
    CUlibraryOption* options;
    void** values;
    unsigned count;
};
struct kernel_function_parameters {
    CUfunction* to;
    CUkernel kernel;
};
struct link_parameters {
    CUlinkState state;
    CUjitInputType type;
    void* data;
    std::size_t bytes;
    const char* name;
    unsigned count;
    CUjit_option* options;
    void** values;
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
    void (*node_created)(CUgraphNode node) = nullptr;
    void (*node_cloned)(CUgraphNode node) = nullptr;
};

}  // namespace fake

/// In libcuda.so.1.
extern "C" fake::listeners* fake_driver_listeners();
/// The number of a node, as CUPTI gives it.
extern "C" std::uint64_t fake_driver_node_number(CUgraphNode node);
