// Reads every kernel in a file of any kind that contains compiled CUDA code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"
#include "image/cubin.hpp"
#include "image/kernel_info.hpp"
#include "image/kernel_memory.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {

/// One compiled image: an entry of a fat binary, or a cubin or PTX module on its own.
struct binary_image {
    std::string container = {};     ///< as in `kernel_source`
    std::string entry = {};         ///< as in `kernel_source`
    std::string kind = {};          ///< "cubin", "PTX", "LTO-IR", "Tile IR", or "kind 64" for one that is not
                                    ///< known
    std::string architecture = {};  ///< "sm_90a"; "compute_90" for PTX, LTO-IR and Tile IR; empty: unknown
    std::optional<compute_capability> capability = {};  ///< of `architecture`
    std::string compression = {};                       ///< "stored", "LZ4", "zstd"
    std::uint64_t offset = 0;                           ///< of its bytes in the file
    std::uint64_t stored_bytes = 0, bytes = 0;          ///< in the file, and decompressed
    bool relocatable = false;                           ///< compiled for linking; the linked image is elsewhere
    std::size_t kernels = 0;                            ///< kernels only, no other device functions
};

struct binary_contents {
    std::string kind;  ///< "cubin", "PTX", "fat binary", "object file", "executable", "shared library", "archive",
                       ///< "other binary"
    std::vector<binary_image> images;               ///< in the order of the file, without those that were filtered out
    std::vector<std::vector<kernel_info>> kernels;  ///< those of `images[i]` in `kernels[i]`
    std::vector<kernel_info> others;                ///< of unwanted images: only names and architectures
    std::vector<image_diagnostic> diagnostics;      ///< `offset` is the byte in the file
    std::size_t not_wanted = 0;                     ///< images that were filtered out
};

struct binary_options {
    /// Whether images for this architecture ("sm_90a", "compute_90") are wanted; if empty, all are.
    std::function<bool(std::string_view architecture)> wanted = {};
    /// Fill `binary_contents::others`; keeps PTX of kernels that also exist as a cubin, since that cubin may be for
    /// another architecture. Costs decompressing every image.
    bool name_others = false;
    unsigned jobs = 0;                                           ///< threads; 0: one per core
    bool grid_dependency = false;                                ///< fill `kernel_info::waits_for_grid`
    bool hash_code = false;                                      ///< fill `kernel_info::code_hash`
    wanted_lines lines = wanted_lines::none;                     ///< fill `kernel_info::lines`
    std::function<void(const cubin_examination&)> examine = {};  ///< as in `cubin_options`
    /// The most memory for the kernels of this file; 1 GiB.
    std::uint64_t max_kernel_bytes = max_kernel_bytes_per_file;
    /// A budget that this file shares with others; null: no other file is read.
    kernel_memory* memory_of_run = nullptr;
    /// The most memory for images decompressed at once; beyond it, threads wait. A larger image is decompressed alone.
    std::uint64_t max_decompressed_at_once = std::uint64_t{2} << 30;
    /// Include kernels of images that only the device linker reads, not the driver (`__nv_relfatbin` of a linked
    /// program); their images are listed in any case.
    bool before_linking = false;
    /// The parts of a sparse file that exist; empty: all of it.
    std::vector<byte_range> data = {};
};

/// Whether a file with these bytes, or this beginning, is of a kind that `read_binary` reads: ELF, ar, fat binary, PTX
/// text, anything with an early zero byte or with an image anywhere.
bool looks_like_binary(std::string_view bytes);

/// Reads every kernel of an ELF file, an archive, a fat binary, a cubin, PTX text, or any other file with fat binaries
/// or cubins somewhere. `file` goes into `source.file`. Never throws on bad input: an unreadable part, or an image for
/// which memory ran out, becomes a diagnostic with its place, and the rest is returned.
///
/// A kernel that exists only as PTX has an entry with its virtual architecture and no registers; if a cubin has it too,
/// the PTX only adds the second launch bound to that entry.
binary_contents read_binary(std::string_view bytes, const std::string& file, const binary_options& options = {});

}  // namespace launchbox
