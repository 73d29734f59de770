// launchbox: the block size with the most resident threads, like cudaOccupancyMaxPotentialBlockSize, with more options.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <launchbox/occupancy.hpp>

namespace launchbox {

/// Which of several block sizes with equally many resident threads is chosen.
enum class tie_policy {
    largest,   ///< as NVIDIA does
    smallest,  ///< finer grained: less time is lost if one block of the last wave is late
    balanced,  ///< from 128 to 256 threads, preferring multiples of 128, then larger sizes; otherwise the nearest size
};

struct block_size_request {
    /// 0: no limit, like blockSizeLimit in CUDA. The kernel's launch bound and 1,024 always apply.
    int max_threads = 0;
    /// Only multiples of this are tried. 0: multiples of 32 and the largest block allowed, even if that is not a
    /// multiple, as NVIDIA does.
    int multiple = 0;
    int cluster_blocks = 1;  ///< blocks in a cluster, as in `launch_shape`
    tie_policy ties = tie_policy::largest;

    friend constexpr bool operator==(const block_size_request&, const block_size_request&) = default;
};

/// One block size and its resident blocks. `threads` is 0 if no block size can be launched.
struct block_size_choice {
    int threads = 0;
    std::int64_t dynamic_shared_bytes = 0;
    int resident_blocks = 0;

    /// Block sizes are compared by this number. It counts threads, as CUDA does: idle lanes of a partial warp do not
    /// count.
    [[nodiscard]] constexpr int resident_threads() const { return threads * resident_blocks; }
    friend constexpr bool operator==(const block_size_choice&, const block_size_choice&) = default;
};

/// The largest block that can be launched with these registers and this launch bound; 0 if none can. This is what
/// cudaFuncGetAttributes reports as maxThreadsPerBlock (on an H200 for 24 to 255 registers).
constexpr int max_launchable_threads(const sm_limits& limits, const kernel_resources& kernel)
{
    return detail::largest_threads(limits, kernel, 1, {}).value_or(0);
}

/// Calls `visit(block_size_choice)` for every block size that the request allows, from the largest down.
/// `dynamic_shared` is a number of bytes, or a function from threads to bytes.
template <class DynamicShared, class Visitor>
constexpr void for_each_block_size(const sm_limits& limits, const kernel_resources& kernel,
                                   const DynamicShared& dynamic_shared, const block_size_request& request,
                                   const launch_settings& settings, const Visitor& visit)
{
    const int wished = request.max_threads == 0 ? max_threads_per_block : request.max_threads;
    const int limit = std::min({max_threads_per_block, kernel.max_threads, wished});
    const int step = request.multiple > 0 ? request.multiple : warp_size;
    const int first = request.multiple > 0 ? detail::round_down(limit, step) : detail::round_up(limit, step);
    for (int aligned = first; aligned > 0; aligned -= step) {
        block_size_choice choice{.threads = std::min(limit, aligned)};
        if constexpr (std::is_invocable_v<const DynamicShared&, int>)
            choice.dynamic_shared_bytes = static_cast<std::int64_t>(dynamic_shared(choice.threads));
        else
            choice.dynamic_shared_bytes = static_cast<std::int64_t>(dynamic_shared);
        const launch_shape shape{.threads = choice.threads,
                                 .dynamic_shared_bytes = choice.dynamic_shared_bytes,
                                 .cluster_blocks = request.cluster_blocks};
        choice.resident_blocks = resident_blocks(limits, kernel, shape, settings);
        visit(choice);
    }
}

namespace detail {

// Whether one block size is nearer to the range of 128 to 256 threads than another. Distances are ratios: 64 is as far
// as 512. Multiples of 128 give each of the SM's sub-partitions the same number of warps.
constexpr bool is_more_balanced(int challenger, int holder)
{
    constexpr int least = 128, most = 256;
    const auto over = [](int threads) { return threads > most ? threads : threads < least ? least : 1; };
    const auto under = [](int threads) { return threads > most ? most : threads < least ? threads : 1; };
    const int challenger_distance = over(challenger) * under(holder);
    const int holder_distance = over(holder) * under(challenger);
    if (challenger_distance != holder_distance) return challenger_distance < holder_distance;
    const auto unevenness = [](int threads) { return threads % least == 0 ? 0 : threads % warp_size == 0 ? 1 : 2; };
    if (unevenness(challenger) != unevenness(holder)) return unevenness(challenger) < unevenness(holder);
    return challenger > holder;
}

}  // namespace detail

/// Whether `challenger` is preferred to `holder`.
constexpr bool is_preferred(const block_size_choice& challenger, const block_size_choice& holder, tie_policy ties)
{
    if (challenger.resident_threads() != holder.resident_threads())
        return challenger.resident_threads() > holder.resident_threads();
    if (challenger.resident_threads() == 0) return false;
    if (ties == tie_policy::balanced) return detail::is_more_balanced(challenger.threads, holder.threads);
    return ties == tie_policy::smallest ? challenger.threads < holder.threads : challenger.threads > holder.threads;
}

/// The block size with the most resident threads on an SM. With the defaults it equals the result of
/// cudaOccupancyMaxPotentialBlockSize or, if `dynamic_shared` is a function, of its VariableSMem form. The grid that
/// fills the GPU has `resident_blocks` times the number of SMs blocks.
template <class DynamicShared = std::int64_t>
constexpr block_size_choice suggest_block_size(const sm_limits& limits, const kernel_resources& kernel,
                                               const DynamicShared& dynamic_shared = {},
                                               const block_size_request& request = {},
                                               const launch_settings& settings = {})
{
    block_size_choice best;
    for_each_block_size(limits, kernel, dynamic_shared, request, settings, [&](const block_size_choice& choice) {
        if (is_preferred(choice, best, request.ties)) best = choice;
    });
    return best;
}

}  // namespace launchbox
