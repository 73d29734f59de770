// launchbox: checked kernel launches with explained failures, and the occupancy model for a kernel of this program on
// the current GPU.
// SPDX-License-Identifier: Apache-2.0
//
//     launchbox::launch(merge<int>, {.grid = blocks, .threads = 512, .stream = s}, input, count, output);
//
// A launch that is refused throws:
//     merge<int>: 512 threads, but it was compiled for sm_90 with __launch_bounds__(256). Launch with 256 threads or
//     fewer, or raise the bound (then at most 128 registers).
//
// Needs the CUDA runtime (12.0 or later) but not nvcc: a plain .cpp can launch kernels that it declares as host
// functions and that a .cu defines.
#pragma once

#if __cplusplus < 202002L
#error "launchbox/launch.cuh needs C++20: compile with -std=c++20"
#else

#include <cuda_runtime_api.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include <launchbox/block_size.hpp>
#include <launchbox/detail/launch/checked_launch.cuh>
#include <launchbox/detail/launch/kernel_queries.cuh>
#include <launchbox/detail/launch/launch_arguments.hpp>
#include <launchbox/launch_config.cuh>
#include <launchbox/launch_error.cuh>
#include <launchbox/occupancy.hpp>

// Hidden: if two shared libraries each contain a CUDA runtime, the dynamic linker would use the functions of one for
// both, and the runtime of that one does not know the kernels of the other.
#pragma GCC visibility push(hidden)
namespace launchbox {

/// Launches `kernel<<<grid, threads, dynamic_shared, stream>>>(arguments...)`. The arguments convert to the kernel's
/// parameters as in any call; a wrong number or type does not compile. A launch that is refused throws `launch_error`
/// and leaves no error pending. Errors while the kernel runs are reported later, as always.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const launch_config& config, Arguments&&... arguments);

/// The message of `launch_error` with which this launch would fail on the current GPU; empty if it would be accepted,
/// as far as the kernel's attributes and the model predict. Nothing is launched.
template <class... Parameters>
std::string explain_launch(void (*kernel)(Parameters...), const launch_config& config);

/// The resources that a kernel of this program uses on the current GPU. `max_threads` is the launch bound or what
/// registers allow. The runtime does not report `barriers`: this is the smallest number that explains its occupancy, 0
/// if they do not limit it. This and the functions below throw `launch_error` if the program has no code for this GPU,
/// or the GPU is newer than launchbox's table of limits.
template <class... Parameters>
kernel_resources kernel_resources_of(void (*kernel)(Parameters...))
{
    return detail::know(detail::handle_of(kernel)).resources;
}

/// Every limit on the current GPU, with the kernel's own carveout and the dynamic shared memory limit that `launch`
/// opts in to.
template <class... Parameters>
occupancy_result occupancy_of(void (*kernel)(Parameters...), const launch_shape& shape)
{
    const detail::known_kernel known = detail::know(detail::handle_of(kernel));
    return occupancy(*known.limits, known.resources, shape, known.settings);
}

/// Blocks of this shape that one SM of the current GPU holds at once: like
/// cudaOccupancyMaxActiveBlocksPerMultiprocessor, except that a block above the launch bound gives 0, since its launch
/// fails.
template <class... Parameters>
int resident_blocks(void (*kernel)(Parameters...), const launch_shape& shape)
{
    return occupancy_of(kernel, shape).resident_blocks;
}

/// The most dynamic shared memory, in bytes, with which `blocks` blocks of `threads` threads are resident on an SM of
/// the current GPU; `nullopt` if other resources allow fewer. cudaOccupancyAvailableDynamicSMemPerBlock ignores the
/// reserve of each block: with its result, fewer blocks are resident.
template <class... Parameters>
std::optional<std::int64_t> available_dynamic_shared(void (*kernel)(Parameters...), int threads, int blocks)
{
    const detail::known_kernel known = detail::know(detail::handle_of(kernel));
    return available_dynamic_shared(*known.limits, known.resources, threads, blocks, known.settings);
}

/// A block size, and its resident blocks on the current GPU. `threads` 0: no block size can be launched.
struct [[gnu::visibility("default")]] block_size_suggestion {
    int threads = 0;
    int grid = 0;  ///< blocks that fill the GPU once
    std::int64_t dynamic_shared_bytes = 0;
    int resident_blocks = 0;  ///< on one SM
    double occupancy = 0;     ///< 0 to 1
    resource_set limiters = {};

    friend constexpr bool operator==(const block_size_suggestion&, const block_size_suggestion&) = default;
};

/// The block size with the most resident threads, as cudaOccupancyMaxPotentialBlockSize chooses it. `dynamic_shared` is
/// a number of bytes per block, or a function from threads to bytes.
template <class... Parameters, class DynamicShared = std::int64_t>
block_size_suggestion suggest_block_size(void (*kernel)(Parameters...), const DynamicShared& dynamic_shared = {},
                                         const block_size_request& request = {})
{
    const detail::known_kernel known = detail::know(detail::handle_of(kernel));
    const block_size_choice best =
        suggest_block_size(*known.limits, known.resources, dynamic_shared, request, known.settings);
    if (best.threads == 0) return {};
    const launch_shape shape{.threads = best.threads, .dynamic_shared_bytes = best.dynamic_shared_bytes};
    const occupancy_result account = occupancy(*known.limits, known.resources, shape, known.settings);
    return {.threads = best.threads,
            .grid = best.resident_blocks * known.facts.sms.value_or(0),
            .dynamic_shared_bytes = best.dynamic_shared_bytes,
            .resident_blocks = best.resident_blocks,
            .occupancy = account.occupancy(),
            .limiters = account.limiters};
}

template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const launch_config& config, Arguments&&... arguments)
{
    if constexpr (detail::arguments_fit(detail::list<Parameters...>{}, detail::list<Arguments...>{})) {
        // The parameters of the lambda are the converted arguments, which the runtime copies.
        [&](Parameters... converted) {
            if constexpr (sizeof...(Parameters) == 0) {
                detail::launch_checked(detail::handle_of(kernel), config, nullptr);
            } else {
                void* addresses[] = {
                    const_cast<void*>(static_cast<const volatile void*>(__builtin_addressof(converted)))...};
                detail::launch_checked(detail::handle_of(kernel), config, addresses);
            }
            // Explicit: otherwise -Wconversion would report a literal 3 that becomes 3.0f in this line.
        }(static_cast<Parameters>(std::forward<Arguments>(arguments))...);
    }
}

template <class... Parameters>
std::string explain_launch(void (*kernel)(Parameters...), const launch_config& config)
{
    const detail::own_errors errors;
    const detail::kernel_handle handle = detail::handle_of(kernel);
    if (errors.earlier == cudaSuccess) detail::ensure_opt_in(handle.function, config);
    return detail::explain_refusal(handle, config, cudaSuccess).text;
}

}  // namespace launchbox
#pragma GCC visibility pop

#endif
