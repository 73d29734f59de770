// The records of `.nv.info`, `.nv.info.KERNEL` and `.nv.compat`, in which ptxas describes a kernel to the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "image/container/image_diagnostic.hpp"

namespace launchbox {

/// The attributes that launchbox reads, among others. Their meaning was found by compiling kernels that differ in one
/// thing, and by comparing with `ptxas -v`.
enum class nv_info_attribute : std::uint8_t {
    max_threads = 0x05,               ///< three numbers
    frame_size = 0x11,                ///< symbol, bytes
    min_stack_size = 0x12,            ///< symbol, bytes; 0xffffffff: not known
    external_functions = 0x0f,        ///< symbols: vprintf, malloc, __assertfail
    required_threads = 0x10,          ///< three numbers
    parameter = 0x17,                 ///< 0, number, offset (16 bits each of the two), size in bits 18 to 31
    parameter_size = 0x19,            ///< 16 bits
    max_registers = 0x1b,             ///< 16 bits; 255: no limit
    call_return_stack_size = 0x1e,    ///< there are calls
    warp_sync_offsets = 0x28,         ///< where instructions synchronise the threads of a warp
    wmma_used = 0x2b,                 ///< flag: the wmma instructions; mma.sync and wgmma set none
    register_count = 0x2f,            ///< symbol, registers
    shared_scratch = 0x32,            ///< registers are spilled to shared memory
    branch_targets = 0x34,            ///< for each indirect branch: its offset, 0, number of targets, their offsets
    toolkit_version = 0x37,           ///< CUDA version x 10
    memory_barriers = 0x38,           ///< 16 bits: number of mbarriers
    cluster_blocks = 0x3d,            ///< three numbers
    max_cluster_blocks = 0x3f,        ///< one number
    long_parameter = 0x45,            ///< the same for blocks of more than 4 KB: the size has 16 bits of its own
    barriers = 0x4c,                  ///< 8 bits; no record means none
    tensor_memory_1 = 0x51,           ///< flag: tcgen05 of one block
    tensor_memory_2 = 0x52,           ///< flag: tcgen05 of a pair of blocks
    register_reconfiguration = 0x54,  ///< flag: setmaxnreg
    annotations = 0x55,               ///< pairs of a type (1: spill) and a code offset
};

/// In `.nv.compat`: 1 for the code of an architecture with `a`.
inline constexpr std::uint8_t compat_accelerated = 0x09;

struct nv_info_record {
    std::uint8_t attribute = 0;
    std::uint16_t value = 0;   ///< of the formats that carry 8 or 16 bits; 0 for flags and payloads
    std::string_view payload;  ///< of the format that carries bytes
    std::uint64_t offset = 0;  ///< in the image

    [[nodiscard]] bool is(nv_info_attribute a) const { return attribute == static_cast<std::uint8_t>(a); }

    /// The payload as numbers; `nullopt` if it is too short.
    [[nodiscard]] std::optional<std::uint32_t> number() const;
    [[nodiscard]] std::optional<std::pair<std::uint32_t, std::uint32_t>> pair() const;
    [[nodiscard]] std::optional<std::array<int, 3>> triple() const;
};

/// The records of one section in order, up to the first unreadable one, which becomes a diagnostic. `offset`: where the
/// section starts in the image.
class nv_info_reader {
public:
    nv_info_reader(std::string_view section, std::uint64_t offset, std::vector<image_diagnostic>& diagnostics)
        : section_(section), offset_(offset), diagnostics_(diagnostics)
    {
    }

    /// False at the end.
    bool next(nv_info_record& record);

private:
    bool stop(std::uint64_t offset, std::string what);

    std::string_view section_;
    std::uint64_t offset_;
    std::vector<image_diagnostic>& diagnostics_;
    std::size_t at_ = 0;
};

}  // namespace launchbox
