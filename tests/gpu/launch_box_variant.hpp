// The interface of launch_box_variants_test.cpp to one translation unit, launch_box_variant_unit.cu, which is compiled
// and linked in many ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace launchbox::variants {

/// A row, as reported by the host or the device.
struct row_seen {
    int threads = 0, items = 0, min_blocks = 0;
    friend bool operator==(const row_seen&, const row_seen&) = default;
};

/// The outcome of a launch over `count` elements.
struct run_result {
    row_seen host;           ///< the row that the host reports
    row_seen device;         ///< constants compiled into the kernel; zeros without a launch
    int block = 0;           ///< blockDim.x
    int grid = 0;            ///< gridDim.x
    int compiled_for = 0;    ///< __CUDA_ARCH__ / 10, + 256 for the code of exactly one chip, + 512 for a family's
    std::int64_t wrong = 0;  ///< elements, also past the last
    bool refused = false;    ///< launch_error: not the kernel's row
    std::string error;       ///< what the runtime said
};

/// Ways to launch that are compared.
enum class way {
    body,      ///< launch<Body>
    header,    ///< the same in an inline function, which the linker merges across units
    status,    ///< try_launch<Body>
    large,     ///< a body with more than 48 KB of dynamic shared memory
    prepared,  ///< prepare<Body>() first
    classic,   ///< a __global__ function with LAUNCHBOX_BOUNDS, <<<>>> and row_for<table>(kernel)
    own,       ///< the same, `static`: a device link keeps one per unit
};
inline constexpr way all_ways[] = {way::body,     way::header,  way::status, way::large,
                                   way::prepared, way::classic, way::own};

/// cudaFuncAttributes of the body's kernel.
struct code_seen {
    int ptx_version = 0, binary_version = 0, max_threads = 0, registers = 0;
};

/// The functions of one unit.
struct unit {
    const char* name;
    run_result (*run)(way, std::int64_t count);
    row_seen (*row_of_body)();
    row_seen (*row_of_table)();
    row_seen (*row_of_kernel)();  ///< of the static one
    std::string (*explain)();
    code_seen (*code)();
    /// The row of the table for code that reports this (see run_result::compiled_for).
    row_seen (*expected)(int compiled_for);
};

/// The units of this program.
const std::vector<unit>& units();

/// How this program was built, as tests/gpu/CMakeLists.txt says.
struct variant {
    const char* name;
    std::vector<std::string> images;  ///< by unit: "compute_80:sm_90 compute_90:compute_90"
    std::vector<int> on_90;           ///< by unit: compiled_for on a GPU of compute capability 9.0
    int ptx_version_on_90;            ///< reported there for the first unit's kernel
    bool merged;                      ///< the linker keeps one unit's launch functions for all
    bool one_kernel;                  ///< the device link merges __global__ functions of the same name
};
const variant& this_variant();

}  // namespace launchbox::variants
