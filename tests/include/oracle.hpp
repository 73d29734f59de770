// NVIDIA's own calculator, the header cuda_occupancy.h of the installed toolkit, for our limits and questions. The
// header is included from its installation, never copied.
#pragma once

#include <cuda_occupancy.h>
#include <cuda_runtime_api.h>
#include <launchbox/occupancy.hpp>

#include <algorithm>

namespace launchbox::oracle {

inline cudaOccDeviceProp device_of(const sm_limits& limits)
{
    cudaOccDeviceProp device;
    device.computeMajor = limits.capability.major;
    device.computeMinor = limits.capability.minor;
    device.maxThreadsPerBlock = max_threads_per_block;
    device.maxThreadsPerMultiprocessor = limits.threads_per_sm;
    device.regsPerBlock = limits.registers_per_block;
    device.regsPerMultiprocessor = limits.registers_per_sm;
    device.warpSize = warp_size;
    device.sharedMemPerBlock = static_cast<std::size_t>(limits.shared_per_block);
    device.sharedMemPerMultiprocessor = static_cast<std::size_t>(limits.shared_per_sm);
    device.numSms = 1;
    device.sharedMemPerBlockOptin = static_cast<std::size_t>(limits.shared_per_block_opt_in);
    device.reservedSharedMemPerBlock = static_cast<std::size_t>(limits.reserved_shared_per_block);
    return device;
}

inline cudaOccFuncAttributes function_of(const kernel_resources& kernel, const launch_settings& settings)
{
    cudaOccFuncAttributes function;
    function.maxThreadsPerBlock = kernel.max_threads;
    function.numRegs = kernel.registers;
    function.sharedSizeBytes = static_cast<std::size_t>(kernel.static_shared_bytes);
    function.partitionedGCConfig = settings.caching == global_caching::off         ? PARTITIONED_GC_OFF
                                   : settings.caching == global_caching::preferred ? PARTITIONED_GC_ON
                                                                                   : PARTITIONED_GC_ON_STRICT;
    function.shmemLimitConfig = settings.max_dynamic_shared_bytes ? FUNC_SHMEM_LIMIT_OPTIN : FUNC_SHMEM_LIMIT_DEFAULT;
    function.maxDynamicSharedSizeBytes =
        static_cast<std::size_t>(settings.max_dynamic_shared_bytes.value_or(49152 - kernel.static_shared_bytes));
    function.numBlockBarriers = kernel.barriers;
#if CUDART_VERSION >= 13000
    function.virtualResourceCount = settings.virtual_resources;
#endif
    return function;
}

inline cudaOccDeviceState state_of(const launch_settings& settings)
{
    cudaOccDeviceState state;
    state.carveoutConfig = settings.carveout_percent;
    state.cacheConfig = settings.cache == cache_preference::none     ? CACHE_PREFER_NONE
                        : settings.cache == cache_preference::shared ? CACHE_PREFER_SHARED
                        : settings.cache == cache_preference::l1     ? CACHE_PREFER_L1
                                                                     : CACHE_PREFER_EQUAL;
    return state;
}

/// The header's answer; `error` is its error code.
struct answer {
    cudaOccResult result{};
    cudaOccError error = CUDA_OCC_SUCCESS;
};

inline answer ask(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape,
                  const launch_settings& settings)
{
    const cudaOccDeviceProp device = device_of(limits);
    const cudaOccFuncAttributes function = function_of(kernel, settings);
    const cudaOccDeviceState state = state_of(settings);
    answer given;
    given.error = cudaOccMaxActiveBlocksPerMultiprocessor(&given.result, &device, &function, &state, shape.threads,
                                                          static_cast<std::size_t>(shape.dynamic_shared_bytes));
    return given;
}

/// The toolkit of the header: 13050 for 13.5.
inline constexpr int toolkit = CUDART_VERSION;

/// Whether the header knows a compute capability: 3.0 and later, some only from a certain toolkit on. An older header
/// refuses 11.0, and answers for 10.7 as for 10.0.
inline bool knows(const sm_limits& limits)
{
    const compute_capability& chip = limits.capability;
    const int since = chip == compute_capability{10, 3}   ? 12090
                      : chip == compute_capability{12, 1} ? 12090
                      : chip == compute_capability{11, 0} ? 13000
                      : chip == compute_capability{10, 7} ? 13040
                                                          : 0;
    return chip.major >= 3 && toolkit >= since;
}

/// Whether the header has the same barriers as the table: from 13.3 on it has half of them for 10.3, while earlier
/// headers give 10.3 as many as 10.0 (docs/limits.md, note 14).
inline bool agrees_in_barriers(const sm_limits& limits)
{
    return limits.capability != compute_capability{10, 3} || toolkit < 13030;
}

/// The limiters derived from the header's own six limits. Its bit mask keeps stale bits if barriers lower the result,
/// which occupancy_defects_test.cpp tests.
inline resource_set limiters_of(const cudaOccResult& result)
{
    resource_set set;
    const int blocks = result.activeBlocksPerMultiprocessor;
    if (result.blockLimitWarps == blocks) set.insert(resource::warps);
    if (result.blockLimitBlocks == blocks) set.insert(resource::blocks);
    if (result.blockLimitRegs == blocks) set.insert(resource::registers);
    if (result.blockLimitSharedMem == blocks) set.insert(resource::shared);
    if (result.blockLimitBarriers == blocks) set.insert(resource::barriers);
#if CUDART_VERSION >= 13000
    if (result.blockLimitVirtual == blocks) set.insert(resource::virtual_resources);
#endif
    return set;
}

/// Empty if the header and launchbox agree in the result, all six limits, the allocations and the limiters, and if the
/// query without explanation agrees with the explained one; otherwise says what differs.
inline const char* difference(const sm_limits& limits, const kernel_resources& kernel, const launch_shape& shape,
                              const launch_settings& settings)
{
    const answer theirs = ask(limits, kernel, shape, settings);
    if (theirs.error != CUDA_OCC_SUCCESS) return "the header refuses the question";
    const occupancy_result ours = occupancy(limits, kernel, shape, settings);
    if (ours.resident_blocks != resident_blocks(limits, kernel, shape, settings)) return "lean and explained";
    if (ours.warps.blocks != theirs.result.blockLimitWarps) return "warps";
    if (ours.block_slots != theirs.result.blockLimitBlocks) return "blocks";
    if (ours.registers.blocks != theirs.result.blockLimitRegs) return "registers";
    if (ours.shared.blocks != theirs.result.blockLimitSharedMem) return "shared memory";
    if (ours.barriers.blocks != theirs.result.blockLimitBarriers) return "barriers";
#if CUDART_VERSION >= 13000
    if (ours.virtual_resources != theirs.result.blockLimitVirtual) return "virtual resources";
#endif
    if (ours.registers.per_block != theirs.result.allocatedRegistersPerBlock) return "registers of a block";
    if (ours.shared.allocated != static_cast<std::int64_t>(theirs.result.allocatedSharedMemPerBlock))
        return "shared memory of a block";
    if (ours.resident_blocks != theirs.result.activeBlocksPerMultiprocessor) return "resident blocks";
    if (ours.limiters != limiters_of(theirs.result)) return "limiters";
    if (limits.partitioned_global_caching &&
        (ours.registers.caching == global_caching::off) != (theirs.result.partitionedGCConfig == PARTITIONED_GC_OFF))
        return "whether caching stays on";
    return nullptr;
}

}  // namespace launchbox::oracle
