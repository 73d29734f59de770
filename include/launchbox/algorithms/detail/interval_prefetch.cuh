// launchbox: prefetches what a tile of intervals will probably read. Internal: include interval_expand.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace launchbox::detail {

__device__ __forceinline__ void prefetch_into_l2(const void* address)
{
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(__cvta_generic_to_global(address)));
#else
    static_cast<void>(*static_cast<const volatile char*>(address));  // so that tests see a wrong address
#endif
}

/// Prefetches the offsets and values of tile number `tile` to the L2 while the tile is searched for, from where they
/// would be if all intervals had the same size. `rate`: intervals per place in the line. Only pointers are prefetched
/// from.
template <class Layout, class Values, class Offsets>
__device__ __forceinline__ void prefetch_tile(Values values, Offsets offsets, std::int64_t intervals, double rate,
                                              std::int64_t tile)
{
    if constexpr (std::is_pointer_v<Values> && std::is_pointer_v<Offsets>) {
        constexpr unsigned step = 128;  // a line
        constexpr auto in_step = [](std::size_t bytes) {
            return bytes < step ? step / static_cast<unsigned>(bytes) : 1;
        };
        constexpr unsigned offsets_in_step = in_step(sizeof *offsets), values_in_step = in_step(sizeof *values);
        const unsigned count = static_cast<unsigned>(static_cast<float>(Layout::tile) * static_cast<float>(rate));
        const unsigned of_offsets = count / offsets_in_step + 1, of_values = count / values_in_step + 1;
        // The first 64 threads search.
        for (unsigned i = (threadIdx.x + Layout::threads - 64) % Layout::threads; i < of_offsets + of_values;
             i += Layout::threads) {
            const bool is_offset = i < of_offsets;
            const std::int64_t interval = static_cast<std::int64_t>(static_cast<double>(tile * Layout::tile) * rate) +
                                          (is_offset ? i * offsets_in_step : (i - of_offsets) * values_in_step);
            if (interval < intervals)
                prefetch_into_l2(is_offset ? static_cast<const void*>(offsets + interval) : values + interval);
        }
    }
}

}  // namespace launchbox::detail
