// What is known about one compiled kernel, wherever it was read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>
#include <launchbox/sm_limits.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "image/code/code_traffic.hpp"
#include "image/kernel_features.hpp"
#include "image/lines/code_lines.hpp"
#include "support/text/source_location.hpp"

namespace launchbox {

/// Where a kernel was found, in the user's words.
struct kernel_source {
    std::string file;  ///< as the user gave it; "-" for standard input
    /// "nvcc", "ptxas log", "nvlink log", "cubin", "ptx"; in a larger file also the member of an archive and where the
    /// container starts: "a.o: fatbin at byte 64 (.nv_fatbin)"
    std::string container;
    std::string entry;  ///< the place in it: "line 12", "entry 3"; may be empty

    friend bool operator==(const kernel_source&, const kernel_source&) = default;
};

struct constant_bank {
    int bank = 0;
    std::int64_t bytes = 0;

    friend bool operator==(const constant_bank&, const constant_bank&) = default;
};

/// Bounds of the spilled bytes if they are not known exactly.
struct spill_range {
    std::int64_t min_stores = 0, max_stores = 0;
    std::int64_t min_loads = 0, max_loads = 0;

    [[nodiscard]] std::int64_t min_bytes() const { return min_stores + min_loads; }
    [[nodiscard]] std::int64_t max_bytes() const { return max_stores + max_loads; }

    friend bool operator==(const spill_range&, const spill_range&) = default;
};

/// How far the compiler optimised the code. -lineinfo changes nothing in it.
enum class code_optimisation : std::uint8_t {
    unknown,
    full,          ///< the default of ptxas: -O3; -O2 gives the same
    reduced,       ///< ptxas -O1
    fast_compile,  ///< ptxas -Ofc mid or max: optimised no further than compiles quickly
    none,          ///< ptxas -O0
    debug,         ///< nvcc -G, ptxas -g
};

/// A device function that the compiler kept apart from its kernel; its figures are not the kernel's.
struct callee_info {
    std::string name;
    std::optional<std::int64_t> stack_frame_bytes, spill_store_bytes, spill_load_bytes;

    friend bool operator==(const callee_info&, const callee_info&) = default;
};

/// A `__shared__` variable.
struct shared_variable {
    std::string name;  ///< as the linker knows it
    std::int64_t bytes = 0;

    friend bool operator==(const shared_variable&, const shared_variable&) = default;
};

/// What the compiler made of a kernel. Bytes per thread for spills and stack, per block for shared memory.
struct kernel_figures {
    std::optional<int> registers;  ///< per thread
    std::optional<std::int64_t> spill_store_bytes, spill_load_bytes;
    std::optional<spill_range> spills_between;  ///< if the image's list of spills is cut off, and those two unknown
    /// Registers spilled to shared memory (enable_smem_spilling), which are not part of the figures above.
    std::optional<std::int64_t> shared_spill_store_bytes, shared_spill_load_bytes;
    std::optional<std::int64_t> stack_frame_bytes;
    std::optional<std::int64_t> cumulative_stack_bytes;  ///< with the functions that it calls
    bool stack_unbounded = false;                        ///< recursion or alloca: the stack size is not known
    std::optional<std::int64_t> static_shared_bytes;     ///< without what the system reserves
    std::optional<std::int64_t> reserved_shared_bytes;   ///< what the system reserves (1,024 from sm_90 on)
    std::vector<shared_variable> shared_variables;       ///< static, the largest first; only PTX has them
    std::vector<constant_bank> constant_banks;           ///< rising; empty: unknown
    std::optional<std::int64_t> parameter_bytes;
    std::optional<int> barriers;  ///< highest named barrier + 1
    std::optional<std::int64_t> code_bytes;
    std::optional<std::uint64_t> code_hash;  ///< of the machine code: equal for equal code
    std::vector<callee_info> callees;

    friend bool operator==(const kernel_figures&, const kernel_figures&) = default;
};

/// What the kernel's declaration and the compiler's flags demand, and what the compiler did about it.
struct declared_bounds {
    std::optional<std::array<int, 3>> max_threads;       ///< first launch bound (.maxntid)
    std::optional<std::array<int, 3>> required_threads;  ///< exact block size (.reqntid)
    std::optional<int> min_blocks;                       ///< second launch bound (.minnctapersm)
    bool min_blocks_inferred = false;                    ///< not read but concluded from the register cap
    std::optional<int> register_cap;                     ///< what the compiler limited registers to; 255: nothing
    std::optional<int> requested_max_registers;          ///< __maxnreg__ (.maxnreg)
    std::optional<int> maxrregcount;            ///< -maxrregcount, if ptxas says that it counts for this kernel
    std::optional<int> outranks_maxrregcount;   ///< the same, if ptxas says that a bound of its own counts instead
    std::optional<std::array<int, 3>> cluster;  ///< blocks in a cluster (.reqnctapercluster)
    std::optional<int> max_cluster_blocks;      ///< third launch bound (.maxclusterrank)

    friend bool operator==(const declared_bounds&, const declared_bounds&) = default;
};

/// What is known of its launches. No image has sizes: they come from the user, or from a file beside it.
struct kernel_launches {
    std::optional<bool> uses_dynamic_shared;           ///< whether it has extern __shared__ memory
    std::optional<bool> reads_block_size;              ///< blockDim is in its code; only its PTX tells
    std::optional<std::int64_t> dynamic_shared_bytes;  ///< of a launch
    bool passes_unknown_shared = false;                ///< a launch of it passes dynamic shared memory of unknown size
    std::optional<int> launch_threads;                 ///< per block
    std::string fixed_block_size;                      ///< why another block size is not, or may not be, correct
    std::optional<bool> waits_for_grid;  ///< griddepcontrol.wait is in its code; only if that was read for it
    /// may begin before the previous grid has ended, according to a file beside it
    bool launched_early = false;
    std::optional<int> triton_warps;  ///< num_warps, if Triton's metadata beside the kernel has it

    friend bool operator==(const kernel_launches&, const kernel_launches&) = default;
};

/// What its code does, as far as that was asked for.
struct kernel_analysis {
    kernel_features features;                   ///< what the code uses
    std::optional<bool> asks_for_registers;     ///< setmaxnreg is in its PTX, whether or not ptxas heeds it
    std::optional<source_location> written_at;  ///< only from line information (-lineinfo, -G)
    std::optional<kernel_lines> lines;          ///< only if they were asked for, and from a cubin
    std::optional<register_pressure> pressure;  ///< likewise
    std::optional<code_traffic> traffic;        ///< likewise, and if there was an nvdisasm

    friend bool operator==(const kernel_analysis&, const kernel_analysis&) = default;
};

/// One kernel for one architecture. A value that is not in the input is `nullopt`, never 0.
struct kernel_info {
    std::string name;                              ///< as the linker knows it
    std::string demangled;                         ///< for people, as `readable_names` has it; empty until it was asked
    std::string short_form;                        ///< likewise
    std::string architecture;                      ///< "sm_90a"; empty if unknown; set by `set_architecture`
    std::optional<compute_capability> capability;  ///< of `architecture`; nullopt if it is unknown or no such name
    /// The GPU of `--arch`, if this code was compiled for an older one and runs there all the same.
    std::optional<compute_capability> runs_on;
    kernel_source source;
    std::optional<int> toolkit_version;  ///< of the compiler that made the code: CUDA version x 10, 130 for 13.0
    std::string virtual_architecture;    ///< "compute_80", what the code was compiled from; empty: unknown
    code_optimisation optimisation = code_optimisation::unknown;
    bool relocatable = false;           ///< compiled for linking (-rdc): registers and stack are final after nvlink
    bool linked = false;                ///< the figures are nvlink's
    std::vector<std::string> warnings;  ///< the compiler's own sentences about this kernel

    kernel_figures figures;
    declared_bounds bounds;
    kernel_launches launches;
    kernel_analysis analysis;

    friend bool operator==(const kernel_info&, const kernel_info&) = default;
};

/// Sets the name and its compute capability, so that the name is parsed only here.
void set_architecture(kernel_info& kernel, std::string name);

/// The limits of the architecture that the kernel was compiled for; null when that is not known.
const sm_limits* limits_of(const kernel_info& kernel);

/// Those of the GPU that it runs on, which differs only if `runs_on` is set.
const sm_limits* limits_where_run(const kernel_info& kernel);

/// "sm_80", or "sm_86" if that GPU runs it.
std::string architecture_where_run(const kernel_info& kernel);

/// Rising by number, then variant; what names no architecture last.
std::tuple<bool, compute_capability, std::string_view> architecture_order(
    const std::optional<compute_capability>& capability, std::string_view name);

/// Whether this is PTX, of which registers, spills and the like are decided when it is compiled.
bool is_ptx(const kernel_info& kernel);

/// Whether it was compiled without optimisation, so that its figures say nothing about a release build. False where
/// that is not known.
bool is_debug_build(const kernel_info& kernel);

/// "debug"; empty: unknown.
std::string_view optimisation_name(code_optimisation how);
code_optimisation optimisation_called(std::string_view name);

/// What made it one, as nvcc takes it: "-G", "-Xptxas -O0"; empty for others.
std::string_view debug_flag_of(const kernel_info& kernel);

/// Threads of a block by the kernel's own launch bound: what .reqntid demands, else the most that .maxntid allows.
std::optional<int> bound_threads(const kernel_info& kernel);

/// Threads per block of a launch: as the user asks, as the launches that are known have them, or as the bound says.
std::optional<int> launched_threads(const kernel_info& kernel, std::optional<int> wanted);

/// Whether it uses dynamic shared memory of unknown size, or is launched with some: then fewer blocks may be resident
/// than its other figures allow.
bool dynamic_shared_unknown(const kernel_info& kernel);

/// Blocks of a cluster; nullopt where the kernel demands none.
std::optional<int> cluster_blocks(const kernel_info& kernel);

/// Bytes of spill stores and loads of local memory together; nullopt where one of them is not known.
std::optional<std::int64_t> spill_bytes(const kernel_info& kernel);

/// Of those to shared memory; nullopt where that is not known.
std::optional<std::int64_t> shared_spill_bytes(const kernel_info& kernel);

/// Those to local memory as a range, which for exact figures is one number; nullopt where nothing is known.
std::optional<spill_range> spill_range_of(const kernel_info& kernel);

/// The stack with the functions that it calls, as far as that is known, else its own frame; nullopt: neither is known.
std::optional<std::int64_t> deepest_stack(const kernel_info& kernel);

}  // namespace launchbox
