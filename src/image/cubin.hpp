// Reads kernels and their resources from a cubin, the ELF image that ptxas and nvlink write.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"
#include "image/kernel_info.hpp"
#include "image/kernel_memory.hpp"
#include "image/lines/line_index.hpp"

namespace launchbox {

struct cubin_contents {
    std::string architecture;                          ///< "sm_90", "sm_90a"; empty if unknown
    std::string virtual_architecture;                  ///< "compute_80"; empty if unknown
    std::optional<int> toolkit_version;                ///< CUDA version x 10: 130 for 13.0
    std::vector<constant_bank> module_constant_banks;  ///< shared by all kernels: `__constant__` (3), addresses (4)
    std::int64_t global_bytes = 0;                     ///< `__device__` variables
    bool relocatable = false;          ///< compiled for linking (-rdc): registers and stack are final after nvlink
    std::uint64_t end = 0;             ///< where the image ends in the bytes; 0: unknown
    std::vector<kernel_info> kernels;  ///< in the order of the symbol table
    std::vector<image_diagnostic> diagnostics;
};

/// A cubin whose kernels have been read, for further analysis.
struct cubin_examination {
    std::string_view bytes;
    std::vector<kernel_info>& kernels;
    /// For each kernel: indices into the tables of the image. Section 0, which is empty: it has no code of its own.
    std::vector<std::uint32_t> symbols, sections;
    const line_index* lines;  ///< null if not wanted, or without line information
    kernel_memory* memory;    ///< for additions to the kernels; null: no limit
};

struct cubin_options {
    bool names_only = false;                  ///< only the name and architecture of each kernel
    bool grid_dependency = false;             ///< fill `kernel_info::waits_for_grid`, which reads all code
    bool hash_code = false;                   ///< fill `kernel_info::code_hash`, which reads all code
    wanted_lines lines = wanted_lines::none;  ///< fill `kernel_info::lines`
    /// Called at the end if there is a kernel; may be called on several threads for several cubins.
    std::function<void(const cubin_examination&)> examine = {};
    /// When it is used up, further kernels are not read, and the caller reports it; null: no limit.
    kernel_memory* memory = nullptr;
};

/// Reads one raw cubin. Never throws on bad input: unreadable parts become diagnostics, the rest is returned. `file`
/// goes into `source.file` of every kernel.
///
/// Results equal those of `ptxas -v`, except if ptxas lists a function inside its kernel separately: here the kernel's
/// stack frame is the largest of them, its spills are the sum, and registers that the function saves for its caller are
/// not spills.
cubin_contents read_cubin(std::string_view bytes, const std::string& file, const cubin_options& options = {});

}  // namespace launchbox
