// What launch_box_variants_test.cpp asks of one translation unit, launch_box_variant_unit.cu, which is compiled and
// linked in many ways.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace launchbox::variants {

/// A row, as the host or the device tells it.
struct row_seen {
    int threads = 0, items = 0, min_blocks = 0;
    friend bool operator==(const row_seen&, const row_seen&) = default;
};

/// What a launch over `count` elements did.
struct run_result {
    row_seen host;           ///< the row that the host says
    row_seen device;         ///< the constants that the kernel was compiled with; of no launch: zeros
    int block = 0;           ///< blockDim.x
    int grid = 0;            ///< gridDim.x
    int compiled_for = 0;    ///< __CUDA_ARCH__ / 10, + 256 for the code of exactly one chip, + 512 for a family's
    std::int64_t wrong = 0;  ///< elements, also behind the last
    bool refused = false;    ///< launch_error: the row is not that of the kernel
    std::string error;       ///< what the runtime said
};

/// Ways to launch that are compared.
enum class way {
    body,      ///< launch<Body>
    header,    ///< the same in an inline function, of which the linker keeps one for all units
    status,    ///< try_launch<Body>
    large,     ///< a body with more than 48 KB of dynamic shared memory
    prepared,  ///< prepare<Body>() first
    classic,   ///< a __global__ function with LAUNCHBOX_BOUNDS, <<<>>> and row_for<table>(kernel)
    own,       ///< the same, `static`: a device link keeps that of each unit
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
    /// The row that the table has for code that tells this (see run_result::compiled_for).
    row_seen (*expected)(int compiled_for);
};

/// Those of this program.
const std::vector<unit>& units();

/// How this program was built, as tests/gpu/CMakeLists.txt says.
struct variant {
    const char* name;
    std::vector<std::string> images;  ///< of each unit: "compute_80:sm_90 compute_90:compute_90"
    std::vector<int> on_90;           ///< of each unit: what its code tells on a GPU of compute capability 9.0
    int ptx_version_on_90;            ///< what the runtime says there of the first unit's kernel
    bool merged;                      ///< the linker keeps the launch functions of one unit for all
    bool one_kernel;                  ///< the device link keeps one __global__ function of a name for all units
};
const variant& this_variant();

}  // namespace launchbox::variants
