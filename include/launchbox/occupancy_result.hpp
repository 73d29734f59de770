// launchbox: the result of the occupancy model: each limit with its inputs and rounding, and the limiters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

#include <launchbox/occupancy_input.hpp>

namespace launchbox {

/// The limit of a resource that the block does not use.
inline constexpr int unlimited = std::numeric_limits<int>::max();

/// Blocks by warp slots.
struct warp_limit {
    int blocks = 0;
    int warps_per_block = 0;
    int warp_slots = 0;  ///< of the SM
    int idle_lanes = 0;  ///< idle threads in the last warp of each block

    friend constexpr bool operator==(const warp_limit&, const warp_limit&) = default;
};

/// Blocks by registers.
struct register_limit {
    int blocks = 0;
    int per_thread = 0;
    int per_warp = 0;             ///< allocated to a warp: rounded up to the register unit
    int warps_per_partition = 0;  ///< warps that fit by the registers of one sub-partition (spreadsheet: 0)
    int warps_per_sm = 0;         ///< warps that fit by the registers of the SM
    int per_block = 0;            ///< allocated to a block
    int per_block_checked = 0;    ///< counted by the launch check: warps rounded up to a multiple of the sub-partitions
    global_caching caching = global_caching::off;  ///< the caching that is in effect

    /// Without rounding.
    [[nodiscard]] constexpr int per_warp_used() const { return per_thread * warp_size; }

    friend constexpr bool operator==(const register_limit&, const register_limit&) = default;
};

/// Blocks by shared memory, in bytes.
struct shared_limit {
    int blocks = 0;
    std::int64_t static_bytes = 0;
    std::int64_t dynamic_bytes = 0;
    std::int64_t reserved_bytes = 0;
    std::int64_t allocated = 0;  ///< allocated to a block: rounded up to the shared memory unit
    int per_block_maximum = 0;   ///< including the reserve
    int preferred = 0;           ///< requested from the SM by the carveout or cache preference
    int offered = 0;             ///< what the SM then offers to all of its blocks

    /// Without rounding.
    [[nodiscard]] constexpr std::int64_t used() const { return static_bytes + dynamic_bytes + reserved_bytes; }

    friend constexpr bool operator==(const shared_limit&, const shared_limit&) = default;
};

/// Blocks by named barriers.
struct barrier_limit {
    int blocks = 0;
    int per_block = 0;
    std::optional<int> per_sm = std::nullopt;  ///< nullopt: not a limit on this compute capability

    friend constexpr bool operator==(const barrier_limit&, const barrier_limit&) = default;
};

/// The resources whose limits are compared, in the order in which they are shown.
enum class resource { warps, blocks, registers, shared, barriers, virtual_resources };
inline constexpr int resource_count = 6;

/// A set of resources.
struct resource_set {
    unsigned bits = 0;

    constexpr void insert(resource member) { bits |= 1u << static_cast<int>(member); }
    [[nodiscard]] constexpr bool contains(resource member) const { return (bits >> static_cast<int>(member) & 1) != 0; }
    [[nodiscard]] constexpr bool empty() const { return bits == 0; }
    friend constexpr bool operator==(const resource_set&, const resource_set&) = default;
};

/// Why a block cannot be launched. The first that applies, in this order.
enum class launch_obstacle {
    none,
    negative_input,        ///< a count or size below 0, or threads below 1
    over_1024_threads,     ///< more threads than a block can have
    over_launch_bound,     ///< more threads than the kernel was compiled for: cudaErrorInvalidValue
    registers_per_thread,  ///< more registers per thread than a launch accepts
    registers_per_block,   ///< the block's registers exceed what a block can have
    register_rounding,     ///< too many after the launch check rounds warps up to a multiple of the sub-partitions
    register_partition,  ///< no sub-partition (or half, with strict caching) has enough registers for the block's warps
    dynamic_shared_limit,  ///< more dynamic shared memory than cudaFuncSetAttribute allowed
    shared_per_block,      ///< more shared memory than a block can have
    barriers_per_block,    ///< more named barriers than a block, or this SM, has
    virtual_resources,
    cluster_blocks,  ///< a cluster of more blocks than this compute capability supports, or any if it supports none
    non_portable_cluster,  ///< more blocks in a cluster than are portable, without the attribute that allows them
};

/// For each resource, the largest value with which `blocks` blocks are resident, if the others do not change.
/// `nullopt`: none. `threads` takes warp slots and registers into account.
struct resource_allowance {
    int blocks = 0;
    std::optional<int> threads = std::nullopt;
    std::optional<int> registers = std::nullopt;
    std::optional<std::int64_t> shared_bytes = std::nullopt;  ///< static and dynamic together
    std::optional<int> barriers = std::nullopt;

    friend constexpr bool operator==(const resource_allowance&, const resource_allowance&) = default;
};

/// Every limit with its arithmetic. `limiters` are all limits equal to `resident_blocks`. With an obstacle,
/// `resident_blocks` is 0, and the limiters may be empty (a launch bound is not a resource).
struct occupancy_result {
    int resident_blocks = 0;
    int resident_warps = 0;
    int warp_slots = 0;
    launch_obstacle obstacle = launch_obstacle::none;
    warp_limit warps = {};
    int block_slots = 0;
    register_limit registers = {};
    shared_limit shared = {};
    barrier_limit barriers = {};
    int virtual_resources = unlimited;
    resource_set limiters = {};

    /// Resident warps over warp slots, 0 to 1.
    [[nodiscard]] constexpr double occupancy() const
    {
        return warp_slots == 0 ? 0 : static_cast<double>(resident_warps) / warp_slots;
    }
    /// The limit of one resource, in blocks; `unlimited` if the kernel does not use it.
    [[nodiscard]] constexpr int limit_of(resource which) const
    {
        switch (which) {
            case resource::warps:
                return warps.blocks;
            case resource::blocks:
                return block_slots;
            case resource::registers:
                return registers.blocks;
            case resource::shared:
                return shared.blocks;
            case resource::barriers:
                return barriers.blocks;
            case resource::virtual_resources:
                break;
        }
        return virtual_resources;
    }
    friend constexpr bool operator==(const occupancy_result&, const occupancy_result&) = default;
};

}  // namespace launchbox
