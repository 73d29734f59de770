// What is known about a compiled kernel, from any source.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>
#include <launchbox/sm_limits.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "image/code/code_traffic.hpp"
#include "image/lines/code_lines.hpp"
#include "support/text/source_location.hpp"

namespace launchbox {

/// What a kernel's code uses, as far as its image tells.
enum class kernel_feature : std::uint8_t {
    setmaxnreg,              ///< warps change their register counts while they run
    tensor_memory,           ///< tcgen05 instructions of one block
    tensor_memory_pair,      ///< tcgen05 instructions of a pair of blocks
    wmma,                    ///< nvcuda::wmma; mma.sync and wgmma leave no record
    memory_barriers,         ///< mbarrier objects
    warp_synchronisation,    ///< shuffles, votes, __syncwarp, cooperative groups within a warp
    shared_memory_spilling,  ///< registers may be spilled to shared memory
    printing,                ///< printf, whose arguments are in the stack frame
};

/// A set of features.
class kernel_features {
public:
    void add(kernel_feature feature) { bits_ |= 1u << static_cast<unsigned>(feature); }
    [[nodiscard]] bool has(kernel_feature feature) const { return (bits_ >> static_cast<unsigned>(feature) & 1) != 0; }
    [[nodiscard]] bool empty() const { return bits_ == 0; }

    /// Their names, in the order above.
    [[nodiscard]] std::vector<std::string_view> names() const
    {
        constexpr std::array<std::string_view, 8> all{
            "setmaxnreg",      "tensor_memory",        "tensor_memory_pair",     "wmma",
            "memory_barriers", "warp_synchronisation", "shared_memory_spilling", "printf"};
        std::vector<std::string_view> result;
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((bits_ >> i & 1) != 0) result.push_back(all[i]);
        return result;
    }

    friend bool operator==(const kernel_features&, const kernel_features&) = default;

private:
    std::uint32_t bits_ = 0;
};

/// Where a kernel was found, in terms that the user knows.
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

/// Bounds of the spilled bytes, if they are not known exactly.
struct spill_range {
    std::int64_t min_stores = 0, max_stores = 0;
    std::int64_t min_loads = 0, max_loads = 0;

    [[nodiscard]] std::int64_t min_bytes() const { return min_stores + min_loads; }
    [[nodiscard]] std::int64_t max_bytes() const { return max_stores + max_loads; }

    friend bool operator==(const spill_range&, const spill_range&) = default;
};

/// How far the compiler optimised the code. -lineinfo does not change it.
enum class code_optimisation : std::uint8_t {
    unknown,
    full,          ///< the default of ptxas: -O3; -O2 gives the same
    reduced,       ///< ptxas -O1
    fast_compile,  ///< ptxas -Ofc mid or max: optimised for fast compilation
    none,          ///< ptxas -O0
    debug,         ///< nvcc -G, ptxas -g
};

/// A device function that the compiler did not inline; its figures are not the kernel's.
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

/// The compiler's figures for a kernel. Spills and stack in bytes per thread, shared memory in bytes per block.
struct kernel_figures {
    std::optional<int> registers;  ///< per thread
    std::optional<std::int64_t> spill_store_bytes, spill_load_bytes;
    std::optional<spill_range> spills_between;  ///< if the image's list of spills is cut off, and those two unknown
    /// Registers spilled to shared memory (enable_smem_spilling), not included in the figures above.
    std::optional<std::int64_t> shared_spill_store_bytes, shared_spill_load_bytes;
    std::optional<std::int64_t> stack_frame_bytes;
    std::optional<std::int64_t> cumulative_stack_bytes;  ///< including called functions
    bool stack_unbounded = false;                        ///< recursion or alloca: the stack size is not known
    std::optional<std::int64_t> static_shared_bytes;     ///< without the system's reservation
    std::optional<std::int64_t> reserved_shared_bytes;   ///< the system's reservation (1,024 from sm_90 on)
    std::vector<shared_variable> shared_variables;       ///< static, the largest first; only PTX has them
    std::vector<constant_bank> constant_banks;           ///< in order; empty if unknown
    std::optional<std::int64_t> parameter_bytes;
    std::optional<int> barriers;  ///< highest named barrier + 1
    std::optional<std::int64_t> code_bytes;
    std::optional<std::uint64_t> code_hash;  ///< of the machine code
    std::vector<callee_info> callees;

    friend bool operator==(const kernel_figures&, const kernel_figures&) = default;
};

/// What the declaration and the compiler's flags demand, and how the compiler responded.
struct declared_bounds {
    std::optional<std::array<int, 3>> max_threads;       ///< first launch bound (.maxntid)
    std::optional<std::array<int, 3>> required_threads;  ///< exact block size (.reqntid)
    std::optional<int> min_blocks;                       ///< second launch bound (.minnctapersm)
    bool min_blocks_inferred = false;                    ///< inferred from the register cap
    std::optional<int> register_cap;                     ///< the compiler's register limit; 255: none
    std::optional<int> requested_max_registers;          ///< __maxnreg__ (.maxnreg)
    std::optional<int> maxrregcount;            ///< -maxrregcount, if ptxas says that it counts for this kernel
    std::optional<int> outranks_maxrregcount;   ///< the same, if ptxas says that a bound of its own counts instead
    std::optional<std::array<int, 3>> cluster;  ///< blocks in a cluster (.reqnctapercluster)
    std::optional<int> max_cluster_blocks;      ///< third launch bound (.maxclusterrank)

    friend bool operator==(const declared_bounds&, const declared_bounds&) = default;
};

/// What is known about its launches. Images contain no sizes: they come from the user, or from a file beside the image.
struct kernel_launches {
    std::optional<bool> uses_dynamic_shared;           ///< whether it has extern __shared__ memory
    std::optional<bool> reads_block_size;              ///< its code reads blockDim; known only from PTX
    std::optional<std::int64_t> dynamic_shared_bytes;  ///< of a launch
    bool passes_unknown_shared = false;                ///< some launch passes dynamic shared memory of unknown size
    std::optional<int> launch_threads;                 ///< per block
    std::string fixed_block_size;                      ///< why another block size is not, or may not be, correct
    std::optional<bool> waits_for_grid;                ///< its code has griddepcontrol.wait; only if requested
    /// may start before the previous grid ends, according to a file beside it
    bool launched_early = false;
    std::optional<int> triton_warps;  ///< num_warps, if found in Triton's metadata beside the kernel

    friend bool operator==(const kernel_launches&, const kernel_launches&) = default;
};

/// Analysis of its code, as far as it was asked for.
struct kernel_analysis {
    kernel_features features;                   ///< what the code uses
    std::optional<bool> asks_for_registers;     ///< its PTX has setmaxnreg, whether or not ptxas heeds it
    std::optional<source_location> written_at;  ///< only from line information (-lineinfo, -G)
    std::optional<kernel_lines> lines;          ///< only if they were asked for, and from a cubin
    std::optional<register_pressure> pressure;  ///< likewise
    std::optional<code_traffic> traffic;        ///< likewise, and only if nvdisasm was found

    friend bool operator==(const kernel_analysis&, const kernel_analysis&) = default;
};

/// One kernel for one architecture. A value missing from the input is `nullopt`, never 0.
struct kernel_info {
    std::string name;                              ///< as the linker knows it
    std::string demangled;                         ///< for people, from `readable_names`; empty until set
    std::string short_form;                        ///< likewise
    std::string architecture;                      ///< "sm_90a"; empty if unknown; set by `set_architecture`
    std::optional<compute_capability> capability;  ///< of `architecture`; `nullopt` if unknown or invalid
    /// The GPU of `--arch`, if this code was compiled for an older one that is compatible.
    std::optional<compute_capability> runs_on;
    kernel_source source;
    std::optional<int> toolkit_version;  ///< of the compiler that made the code: CUDA version x 10, 130 for 13.0
    std::string virtual_architecture;    ///< "compute_80", from which the code was compiled; empty if unknown
    code_optimisation optimisation = code_optimisation::unknown;
    bool relocatable = false;           ///< compiled for linking (-rdc): registers and stack are final after nvlink
    bool linked = false;                ///< the figures are nvlink's
    std::vector<std::string> warnings;  ///< the compiler's own messages about this kernel

    kernel_figures figures;
    declared_bounds bounds;
    kernel_launches launches;
    kernel_analysis analysis;

    friend bool operator==(const kernel_info&, const kernel_info&) = default;
};

/// Sets the name and its compute capability, so that the name is parsed only here.
void set_architecture(kernel_info& kernel, std::string name);

/// The limits of the architecture that the kernel was compiled for; null if unknown.
const sm_limits* limits_of(const kernel_info& kernel);

/// The limits of the GPU that it runs on, which differ only if `runs_on` is set.
const sm_limits* limits_where_run(const kernel_info& kernel);

/// "sm_80", or "sm_86" if it runs on that GPU.
std::string architecture_where_run(const kernel_info& kernel);

/// Ascending by number, then variant; invalid architectures last.
std::tuple<bool, compute_capability, std::string_view> architecture_order(
    const std::optional<compute_capability>& capability, std::string_view name);

/// Whether this is PTX, whose registers, spills and the like are decided when it is compiled.
bool is_ptx(const kernel_info& kernel);

/// Whether it was compiled without optimisation, so that its figures say nothing about a release build. False if
/// unknown.
bool is_debug_build(const kernel_info& kernel);

/// "debug"; empty if unknown.
std::string_view optimisation_name(code_optimisation how);
code_optimisation optimisation_called(std::string_view name);

/// The flag that made it a debug build, as nvcc takes it: "-G", "-Xptxas -O0"; empty for others.
std::string_view debug_flag_of(const kernel_info& kernel);

/// Threads per block by the kernel's own launch bound: the number in .reqntid, else the maximum in .maxntid.
std::optional<int> bound_threads(const kernel_info& kernel);

/// Threads per block of a launch: given by the user, else by known launches, else by the bound.
std::optional<int> launched_threads(const kernel_info& kernel, std::optional<int> wanted);

/// Whether it uses dynamic shared memory of unknown size, or is launched with some: then fewer blocks may be resident
/// than its other figures allow.
bool dynamic_shared_unknown(const kernel_info& kernel);

/// Blocks per cluster; `nullopt` if the kernel does not demand any.
std::optional<int> cluster_blocks(const kernel_info& kernel);

/// Sum of spill stores and loads of local memory in bytes; `nullopt` if one of them is unknown.
std::optional<std::int64_t> spill_bytes(const kernel_info& kernel);

/// The same for spills to shared memory; `nullopt` if unknown.
std::optional<std::int64_t> shared_spill_bytes(const kernel_info& kernel);

/// Spills to local memory as a range, whose ends are equal for exact figures; `nullopt` if nothing is known.
std::optional<spill_range> spill_range_of(const kernel_info& kernel);

/// The stack including called functions if known, else its own frame; `nullopt` if neither is known.
std::optional<std::int64_t> deepest_stack(const kernel_info& kernel);

}  // namespace launchbox
