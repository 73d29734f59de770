// launchbox: opts kernels in to what a launch needs, once. Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

#include <launchbox/detail/launch/kernel_queries.cuh>
#include <launchbox/launch_config.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// What each kernel has been opted in to on each device: a hash table of words, in which a new entry overwrites the old
/// one. A lost entry is harmless: opting in again changes nothing, since every opt-in is for the maximum of a block.
class opt_in_memory {
public:
    bool contains(std::uint64_t key) const { return slot(key).load(std::memory_order_acquire) == key; }
    void insert(std::uint64_t key) { slot(key).store(key, std::memory_order_release); }

private:
    static constexpr std::size_t slots = 1024;
    static std::size_t index(std::uint64_t key) { return static_cast<std::size_t>(key * 0x9E3779B97F4A7C15u >> 54); }
    const std::atomic<std::uint64_t>& slot(std::uint64_t key) const { return slots_[index(key)]; }
    std::atomic<std::uint64_t>& slot(std::uint64_t key) { return slots_[index(key)]; }

    std::atomic<std::uint64_t> slots_[slots]{};
};

inline constinit opt_in_memory opted_in;

inline constexpr std::int64_t shared_without_opt_in = 49152;
inline constexpr std::int64_t cluster_without_opt_in = 8;

// Opts in to all that a block of this kernel can have. False if the runtime refuses: the launch will then explain why.
inline bool raise_dynamic_shared(const void* kernel, int device)
{
    cudaFuncAttributes attributes{};
    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess) return false;
    const int max_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device) -
                          static_cast<int>(attributes.sharedSizeBytes);
    return attributes.maxDynamicSharedSizeBytes >= max_bytes ||
           cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, max_bytes) == cudaSuccess;
}

inline bool allow_large_cluster(const void* kernel, int)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1) == cudaSuccess;
}

enum class opt_in : std::uint64_t { dynamic_shared = 0, large_cluster = 1 };

// Addresses have 56 bits at most. 0 if it cannot be remembered: no device, or a device number above 127.
inline std::uint64_t opt_in_key(opt_in what, const void* kernel)
{
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess || device > 127) return 0;
    return (reinterpret_cast<std::uintptr_t>(kernel) << 8) | static_cast<std::uint64_t>(what) << 7 |
           static_cast<std::uint64_t>(device);
}

// Once for each kernel and device; with `again` even if already done, since cudaDeviceReset undoes it.
inline void ensure(opt_in what, const void* kernel, bool again)
{
    const std::uint64_t key = opt_in_key(what, kernel);
    if (!again && key != 0 && opted_in.contains(key)) return;
    int device = 0;
    if (cudaGetDevice(&device) != cudaSuccess) return;
    const beside_captures beside;
    const auto function = what == opt_in::dynamic_shared ? raise_dynamic_shared : allow_large_cluster;
    if (function(kernel, device) && key != 0) opted_in.insert(key);
}

inline bool has_dynamic_shared(const void* kernel, std::int64_t bytes)
{
    cudaFuncAttributes attributes{};
    return cudaFuncGetAttributes(&attributes, kernel) == cudaSuccess && attributes.maxDynamicSharedSizeBytes >= bytes;
}

// Whether the launch needs an opt-in that is not known to be done; the program may have called cudaFuncSetAttribute
// itself.
inline bool lacks_opt_in(const void* kernel, const launch_config& config)
{
    const auto done = [&](opt_in what) {
        const std::uint64_t key = opt_in_key(what, kernel);
        return key != 0 && opted_in.contains(key);
    };
    if (config.dynamic_shared_bytes.bytes > shared_without_opt_in && !done(opt_in::dynamic_shared) &&
        !has_dynamic_shared(kernel, config.dynamic_shared_bytes.bytes))
        return true;
    return config.cluster.count() > cluster_without_opt_in && !done(opt_in::large_cluster);
}

// Static and dynamic memory together can need it below 48 KB too: such a launch fails first and is repeated.
inline void ensure_opt_in(const void* kernel, const launch_config& config)
{
    if (config.dynamic_shared_bytes.bytes > shared_without_opt_in) [[unlikely]]
        ensure(opt_in::dynamic_shared, kernel, false);
    if (config.cluster.count() > cluster_without_opt_in) [[unlikely]]
        ensure(opt_in::large_cluster, kernel, false);
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
