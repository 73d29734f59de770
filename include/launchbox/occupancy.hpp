// launchbox: how many blocks of a kernel are resident on one SM, what limits them, and what would change it.
// SPDX-License-Identifier: Apache-2.0
//
//     constexpr launchbox::kernel_resources kernel{.registers = 40, .static_shared_bytes = 8192};
//     static_assert(launchbox::resident_blocks(launchbox::sm_90, kernel, {.threads = 256}) >= 6);
//
// Equal to cuda_occupancy.h of CUDA 13.0 on every compute capability that it knows, except where that header is wrong;
// docs/how_we_know.md names each exception. On 2.x equal to the header of CUDA 7.0. Nothing here allocates or throws.
#pragma once

#include <cstdint>
#include <optional>

#include <launchbox/detail/resource_limits.hpp>
#include <launchbox/sm_limits.hpp>

namespace launchbox {

/// What one kernel uses, as the compiler or cudaFuncGetAttributes tells it.
struct kernel_resources {
    int registers = 0;                     ///< per thread, 0 to 256; 0: registers do not limit
    std::int64_t static_shared_bytes = 0;  ///< per block, without what the system reserves
    std::int64_t local_bytes = 0;          ///< per thread; does not limit residency
    int barriers = 0;  ///< highest named barrier + 1, as ptxas counts ("used 1 barriers"); 0: barriers do not limit
    int max_threads = max_threads_per_block;  ///< the launch bound; a larger block cannot be launched

    friend constexpr bool operator==(const kernel_resources&, const kernel_resources&) = default;
};

/// How it is launched.
struct launch_shape {
    int threads = 0;                        ///< per block, from 1
    std::int64_t dynamic_shared_bytes = 0;  ///< per block
    int cluster_blocks = 1;                 ///< blocks in a cluster; see clusters.hpp, does not change residency per SM

    friend constexpr bool operator==(const launch_shape&, const launch_shape&) = default;
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

/// Why a block cannot be launched at all. The first that holds, in this order.
enum class launch_obstacle {
    none,
    negative_input,        ///< a count or size below 0, or threads below 1
    over_1024_threads,     ///< more threads than a block can have
    over_launch_bound,     ///< more threads than the kernel was compiled for: cudaErrorInvalidValue
    registers_per_thread,  ///< more than a launch accepts
    registers_per_block,   ///< the block's registers exceed what a block can have
    register_rounding,     ///< they fit, but the launch check rounds warps up to the sub-partitions, and that does not
    register_partition,    ///< no sub-partition (or half, with strict caching) has registers for the block's warps
    dynamic_shared_limit,  ///< more dynamic shared memory than cudaFuncSetAttribute allowed
    shared_per_block,      ///< more shared memory than a block can have
    barriers_per_block,    ///< more named barriers than a block, or this SM, has
    virtual_resources,
};

/// Up to which value each resource lets `blocks` blocks be resident as far as that resource goes, all others as they
/// are. `nullopt`: no value does. `threads` regards warp slots and registers together.
struct resource_allowance {
    int blocks = 0;
    std::optional<int> threads = std::nullopt;
    std::optional<int> registers = std::nullopt;
    std::optional<std::int64_t> shared_bytes = std::nullopt;  ///< static and dynamic together
    std::optional<int> barriers = std::nullopt;

    friend constexpr bool operator==(const resource_allowance&, const resource_allowance&) = default;
};

/// The account of every limit. `limiters` are all limits equal to `resident_blocks`; when an obstacle is named, that is
/// 0 and the limiters may be empty (a launch bound is not a resource).
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
    /// The limit of one resource, in blocks; `unlimited` when the kernel does not use it.
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

namespace detail {

constexpr bool is_valid(const kernel_resources& kernel, const launch_shape& shape, const launch_settings& settings)
{
    // One sign bit for all: the query is asked millions of times.
    return shape.threads > 0 && (shape.threads | kernel.registers | kernel.barriers | kernel.max_threads) >= 0 &&
           (kernel.static_shared_bytes | shape.dynamic_shared_bytes | settings.max_dynamic_shared_bytes.value_or(0)) >=
               0;
}

[[gnu::always_inline]] constexpr int quick_resident_blocks(const sm_limits& limits, const kernel_resources& kernel,
                                                           const launch_shape& shape, const launch_settings& settings)
{
    const bool spreadsheet = settings.mode == model_mode::spreadsheet;
    if (!is_valid(kernel, shape, settings) || shape.threads > max_threads_per_block) return 0;
    if (spreadsheet ? !limits.spreadsheet : shape.threads > kernel.max_threads) return 0;
    if (!spreadsheet && kernel.barriers > max_barriers_per_block) return 0;

    const int warps = warps_of(shape.threads);
    const register_limit registers = register_limit_of(limits, bounded_count(kernel.registers), warps, settings);
    const shared_limit shared =
        shared_limit_of(limits, bounded(kernel.static_shared_bytes), bounded(shape.dynamic_shared_bytes), settings);
    const int by_warps = warp_limit_of(limits, shape.threads, warps, registers.caching).blocks;
    const int by_barriers = barrier_limit_of(limits, kernel.barriers, settings.mode).blocks;
    const int by_slots = std::min(by_warps, limits.blocks_per_sm);
    const int by_memory = std::min(registers.blocks, shared.blocks);
    return std::min(std::min(by_slots, by_memory), std::min(by_barriers, virtual_limit_of(limits, settings)));
}

}  // namespace detail

/// Blocks of this shape that one SM holds at once; 0 when the block cannot be launched. The quick query.
/// In spreadsheet mode `limits.spreadsheet` must have a row, or the answer is 0.
constexpr int resident_blocks(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape,
                              const launch_settings& settings)
{
    return detail::quick_resident_blocks(limits, kernel, shape, settings);
}

/// The same for a plain launch, whose settings are known when this is compiled.
constexpr int resident_blocks(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape)
{
    return detail::quick_resident_blocks(limits, kernel, shape, launch_settings{});
}

namespace detail {

// The largest value in [low, high] with `holds`, which holds up to some value and not above; nullopt when it never
// does.
template <class Predicate>
constexpr std::optional<int> largest_with(int low, int high, const Predicate& holds)
{
    if (low > high || !holds(low)) return std::nullopt;
    while (low < high) {
        const int middle = low + (high - low + 1) / 2;
        if (holds(middle))
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

// Where the register limit is the plain formula, its inverse is one too; elsewhere (2.x with its doubled units,
// partitioned caching, the spreadsheet) it is searched.
constexpr bool has_plain_registers(const sm_limits& limits, const launch_settings& settings)
{
    return settings.mode == model_mode::driver && limits.capability.major > 2 &&
           (settings.caching == global_caching::off || !limits.partitioned_global_caching);
}

constexpr int registers_for(const sm_limits& limits, int warps, int blocks, int sub_partitions)
{
    const int resident = limits.registers_per_sm / sub_partitions / divide_up(blocks * warps, sub_partitions);
    const int checked = limits.registers_per_block / align_up(warps, sub_partitions);
    return align_down(std::min(resident, checked), limits.register_unit) / warp_size;
}

constexpr std::optional<int> largest_registers(const sm_limits& limits, int warps, int blocks,
                                               const launch_settings& settings)
{
    if (!has_plain_registers(limits, settings))
        return largest_with(1, limits.registers_per_thread, [&](int registers) {
            return register_limit_of(limits, registers, warps, settings).blocks >= blocks;
        });
    int result = std::min(limits.registers_per_thread, registers_for(limits, warps, blocks, limits.sub_partitions));
    if (is_gp100(limits)) result = std::min(result, registers_for(limits, warps, 1, 4));
    return result > 0 ? std::optional(result) : std::nullopt;
}

constexpr std::optional<int> largest_threads(const sm_limits& limits, const kernel_resources& kernel, int blocks,
                                             const launch_settings& settings)
{
    const int bound = settings.mode == model_mode::driver ? std::min(kernel.max_threads, max_threads_per_block)
                                                          : max_threads_per_block;
    const int registers = bounded_count(kernel.registers);
    std::optional<int> warps;
    if (has_plain_registers(limits, settings)) {
        int most = std::min(max_threads_per_block / warp_size, limits.warps_per_sm() / blocks);
        if (registers > limits.launchable_registers)
            most = 0;
        else if (registers > 0) {
            const auto fits = [&](int in_sm, int sub_partitions) {
                const int per_warp = registers_of_warp(limits, registers, settings.mode);
                const int of_block = align_down(limits.registers_per_block / per_warp, sub_partitions);
                const int of_sm = limits.registers_per_sm / (sub_partitions * per_warp) * sub_partitions;
                return std::min(of_block, of_sm / in_sm);
            };
            most = std::min(most, fits(blocks, limits.sub_partitions));
            if (is_gp100(limits)) most = std::min(most, fits(1, 4));
        }
        if (most > 0) warps = most;
    } else {
        warps = largest_with(1, max_threads_per_block / warp_size, [&](int count) {
            const register_limit by_registers = register_limit_of(limits, registers, count, settings);
            return by_registers.blocks >= blocks &&
                   warp_limit_of(limits, count * warp_size, count, by_registers.caching).blocks >= blocks;
        });
    }
    if (!warps || bound < 1) return std::nullopt;
    return std::min(*warps * warp_size, bound);
}

// `now` is the present account. Before 7.0 a cache preference that is too small for one block is dropped for all there
// is, so that just above it more blocks fit than just below: the answer stays on the side on which the block is.
constexpr std::optional<std::int64_t> largest_shared(const sm_limits& limits, const kernel_resources& kernel,
                                                     const shared_limit& now, int blocks,
                                                     const launch_settings& settings)
{
    // Carveout 0 % still leaves the smallest size.
    const int offered = now.preferred > 0 ? now.preferred : configured_size(limits, 1);
    int most = blocks == 1 ? limits.shared_per_sm : align_down(offered / blocks, limits.shared_unit);
    if (limits.capability.major < 7 && now.allocated > now.preferred) {
        const int above = align_down(limits.shared_per_sm / blocks, limits.shared_unit);
        if (above > now.preferred) most = above;
    }
    most = std::min(most, align_down(now.per_block_maximum, limits.shared_unit));

    std::int64_t bytes = most - now.reserved_bytes;
    if (settings.mode == model_mode::driver && settings.max_dynamic_shared_bytes)
        bytes = std::min(bytes, bounded(kernel.static_shared_bytes) + bounded(*settings.max_dynamic_shared_bytes));
    return bytes >= 0 ? std::optional(bytes) : std::nullopt;
}

constexpr std::optional<int> largest_barriers(const sm_limits& limits, int blocks, model_mode mode)
{
    if (mode == model_mode::spreadsheet || !limits.barriers_per_sm) return max_barriers_per_block;
    return std::min(max_barriers_per_block, *limits.barriers_per_sm / blocks);
}

// Sought only when a limit is 0 or the block exceeds a bound.
constexpr launch_obstacle obstacle_of(const sm_limits& limits, const kernel_resources& kernel,
                                      const launch_shape& shape, const launch_settings& settings,
                                      const register_limit& registers, const shared_limit& shared,
                                      const barrier_limit& barriers, int by_virtual)
{
    if (!is_valid(kernel, shape, settings)) return launch_obstacle::negative_input;
    if (shape.threads > max_threads_per_block) return launch_obstacle::over_1024_threads;
    const bool driver = settings.mode == model_mode::driver;
    if (driver && shape.threads > kernel.max_threads) return launch_obstacle::over_launch_bound;
    if (registers.blocks == 0) {
        if (registers.per_thread > (driver ? limits.launchable_registers : limits.registers_per_thread))
            return launch_obstacle::registers_per_thread;
        if (registers.per_block > limits.registers_per_block) return launch_obstacle::registers_per_block;
        const int counted = align_up(warps_of(shape.threads), launch_check_partitions(limits));
        if (registers.per_warp * counted > limits.registers_per_block) return launch_obstacle::register_rounding;
        return launch_obstacle::register_partition;
    }
    if (shared.blocks == 0) {
        if (driver && settings.max_dynamic_shared_bytes && shared.dynamic_bytes > *settings.max_dynamic_shared_bytes)
            return launch_obstacle::dynamic_shared_limit;
        return launch_obstacle::shared_per_block;
    }
    if (driver && (kernel.barriers > max_barriers_per_block || barriers.blocks == 0))
        return launch_obstacle::barriers_per_block;
    if (by_virtual == 0) return launch_obstacle::virtual_resources;
    return launch_obstacle::none;
}

// A question that has an answer. `threads` is bounded.
[[gnu::always_inline]] constexpr occupancy_result account_of(const sm_limits& limits, const kernel_resources& kernel,
                                                             const launch_shape& shape, int threads,
                                                             const launch_settings& settings)
{
    const int warps = warps_of(threads);
    const int counted_warps = std::min(warps, 2 * max_threads_per_block / warp_size);  // keeps products small
    const register_limit registers =
        register_limit_of(limits, bounded_count(kernel.registers), counted_warps, settings);
    const shared_limit shared =
        shared_limit_of(limits, bounded(kernel.static_shared_bytes), bounded(shape.dynamic_shared_bytes), settings);
    const warp_limit by_warps = warp_limit_of(limits, threads, warps, registers.caching);
    const barrier_limit barriers = barrier_limit_of(limits, kernel.barriers, settings.mode);
    const int by_virtual = virtual_limit_of(limits, settings);

    const int by_slots = std::min(by_warps.blocks, limits.blocks_per_sm);
    const int by_memory = std::min(registers.blocks, shared.blocks);
    const int least = std::min(std::min(by_slots, by_memory), std::min(barriers.blocks, by_virtual));
    launch_obstacle obstacle = launch_obstacle::none;
    if (least == 0 || threads > kernel.max_threads || kernel.barriers > max_barriers_per_block)
        obstacle = obstacle_of(limits, kernel, shape, settings, registers, shared, barriers, by_virtual);
    const int blocks = obstacle == launch_obstacle::none ? least : 0;
    const auto limiting = [&](int limit, resource which) {
        return static_cast<unsigned>(limit == blocks) << static_cast<int>(which);
    };
    // One construction with every member: a result that is cleared first costs as much as the model itself.
    return {.resident_blocks = blocks,
            .resident_warps = blocks * warps,
            .warp_slots = limits.warps_per_sm(),
            .obstacle = obstacle,
            .warps = by_warps,
            .block_slots = limits.blocks_per_sm,
            .registers = registers,
            .shared = shared,
            .barriers = barriers,
            .virtual_resources = by_virtual,
            .limiters = {limiting(by_warps.blocks, resource::warps) | limiting(limits.blocks_per_sm, resource::blocks) |
                         limiting(registers.blocks, resource::registers) | limiting(shared.blocks, resource::shared) |
                         limiting(barriers.blocks, resource::barriers) |
                         limiting(by_virtual, resource::virtual_resources)}};
}

}  // namespace detail

/// The account of the same question: every limit with its inputs and rounding, the limiters, and why a block cannot be
/// launched. `allowance` adds what would change it.
constexpr occupancy_result occupancy(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape,
                                     const launch_settings& settings = {})
{
    const bool answerable = settings.mode == model_mode::driver || limits.spreadsheet;
    if (!answerable || !detail::is_valid(kernel, shape, settings)) [[unlikely]]
        return {.warp_slots = limits.warps_per_sm(),
                .obstacle = launch_obstacle::negative_input,
                .block_slots = limits.blocks_per_sm};
    return detail::account_of(limits, kernel, shape, std::min(shape.threads, 1 << 20), settings);
}

/// Up to which value each resource allows `blocks` resident blocks of this kernel and shape. For one block more than
/// `resident_blocks` these are the thresholds to get below; for `resident_blocks` itself, how far each resource can go
/// before a block is lost. Nothing is allowed for fewer than one block or more than the SM's block slots.
constexpr resource_allowance allowance(const sm_limits& limits, const kernel_resources& kernel,
                                       const launch_shape& shape, int blocks, const launch_settings& settings = {})
{
    resource_allowance result{.blocks = blocks};
    const bool answerable = settings.mode == model_mode::driver || limits.spreadsheet;
    if (!answerable || !detail::is_valid(kernel, shape, settings) || blocks < 1 || blocks > limits.blocks_per_sm)
        return result;
    const int warps = detail::warps_of(std::min(shape.threads, 2 * max_threads_per_block));
    const shared_limit now = detail::shared_limit_of(limits, detail::bounded(kernel.static_shared_bytes),
                                                     detail::bounded(shape.dynamic_shared_bytes), settings);
    result.threads = detail::largest_threads(limits, kernel, blocks, settings);
    result.registers = detail::largest_registers(limits, warps, blocks, settings);
    result.shared_bytes = detail::largest_shared(limits, kernel, now, blocks, settings);
    result.barriers = detail::largest_barriers(limits, blocks, settings.mode);
    return result;
}

/// The most dynamic shared memory, in bytes, with which `blocks` blocks of `threads` threads are resident; `nullopt`
/// when other resources allow fewer blocks. Given back as `dynamic_shared_bytes` it yields at least `blocks`:
/// cudaOccupancyAvailableDynamicSMemPerBlock does not, since it forgets the reserve of each block for two or more
/// blocks from 8.0 on (measured on an H200: 2, 3, 4, 8, 16 asked, 1, 2, 3, 7, 14 resident).
constexpr std::optional<std::int64_t> available_dynamic_shared(const sm_limits& limits, const kernel_resources& kernel,
                                                               int threads, int blocks,
                                                               const launch_settings& settings = {})
{
    if (blocks < 1 || resident_blocks(limits, kernel, {.threads = threads}, settings) < blocks) return std::nullopt;
    const shared_limit now = detail::shared_limit_of(limits, detail::bounded(kernel.static_shared_bytes), 0, settings);
    const std::optional<std::int64_t> total = detail::largest_shared(limits, kernel, now, blocks, settings);
    if (!total || *total < kernel.static_shared_bytes) return std::nullopt;
    return *total - kernel.static_shared_bytes;
}

}  // namespace launchbox
