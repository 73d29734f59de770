// launchbox: how the sizes of intervals are given.
// SPDX-License-Identifier: Apache-2.0
//
//     interval_offsets{offsets, total}   // interval i has the outputs offsets[i] to offsets[i + 1] - 1, the last one
//                                        // to total - 1
//     interval_counts{counts}            // interval i has counts[i] outputs; interval_counts.cuh makes the offsets
#pragma once

#if !defined(__CUDACC__)
#error "launchbox/algorithms/interval_sizes.cuh is CUDA C++: compile it with nvcc as a .cu file"
#else

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include <launchbox/algorithms/detail/device_memory.cuh>
#include <launchbox/algorithms/detail/interval_tile.cuh>
#include <launchbox/algorithms/workspace.hpp>
#include <launchbox/launch_box.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

/// Offsets of 32 or 64 bits in non-decreasing order; offsets[0] is 0. No workspace is needed.
template <class Offsets>
struct interval_offsets {
    Offsets offsets;
    std::int64_t total;
};
template <class Offsets, class Total>
interval_offsets(Offsets, Total) -> interval_offsets<Offsets>;

/// Counts of outputs, 0 or more. Their sum need not be known on the host. `at_most`, if given, is a bound: outputs
/// beyond it are not written, and with 2^32 - 1 or less the offsets have 32 bits. Needs #include
/// <launchbox/algorithms/interval_counts.cuh> and a workspace for the offsets.
template <class Counts>
struct interval_counts {
    Counts counts;
    std::int64_t at_most = std::numeric_limits<std::int64_t>::max();
};
template <class Counts>
interval_counts(Counts) -> interval_counts<Counts>;
template <class Counts, class Most>
interval_counts(Counts, Most) -> interval_counts<Counts>;

namespace detail {

/// Defined by interval_counts.cuh.
template <class Counts>
struct counted_offsets;

// A plain iterator means offsets if the total is given, otherwise counts.
template <class Offsets>
interval_offsets<Offsets> sizes_up_to(Offsets offsets, std::int64_t total)
{
    return {offsets, total};
}
template <class Counts>
interval_counts<Counts> sizes_up_to(const interval_counts<Counts>& sizes, std::int64_t total)
{
    return {sizes.counts, std::min(sizes.at_most, total)};
}
template <class Counts>
interval_counts<Counts> sizes_of(Counts counts)
{
    return {counts};
}
template <class Counts>
interval_counts<Counts> sizes_of(const interval_counts<Counts>& sizes)
{
    return sizes;
}
template <class Offsets>
interval_offsets<Offsets> sizes_of(const interval_offsets<Offsets>& sizes)
{
    return sizes;
}

inline void check_interval_size(const char* algorithm, const char* what, std::int64_t number)
{
    if (number < 0 || number >= std::int64_t{1} << 58)
        throw launch_error(
            std::string(algorithm) + ": " + std::to_string(number) + " " + what + ". Give 0 to 2^58 - 1.",
            cudaErrorInvalidValue, launch_error_kind::runtime);
}

/// Calls `launch_with(offsets, totals)` with device iterators, which the kernels that it launches may use until they
/// have run.
template <class Offsets, class Launch>
void with_offsets(cudaStream_t, const interval_offsets<Offsets>& sizes, std::int64_t intervals, workspace space,
                  const char* algorithm, const Launch& launch_with)
{
    check_interval_size(algorithm, "intervals", intervals);
    check_interval_size(algorithm, "outputs", sizes.total);
    if (space.needed) {
        *space.needed = 0;
        return;
    }
    if (intervals > 0 && sizes.total > 0) launch_with(sizes.offsets, known_total{sizes.total, 0});
}

template <class Counts, class Launch>
void with_offsets(cudaStream_t stream, const interval_counts<Counts>& sizes, std::int64_t intervals, workspace space,
                  const char* algorithm, const Launch& launch_with)
{
    constexpr bool can_scan = requires { sizeof(counted_offsets<Counts>); };
    static_assert(can_scan,
                  "intervals from counts: #include <launchbox/algorithms/interval_counts.cuh>, or give "
                  "interval_offsets{offsets, total}");
    check_interval_size(algorithm, "intervals", intervals);
    if (sizes.at_most < 0) check_interval_size(algorithm, "outputs", sizes.at_most);
    if constexpr (can_scan) counted_offsets<Counts>::run(stream, sizes, intervals, space, algorithm, launch_with);
}

/// Launches a body with `arguments`, intervals and totals.
template <class Body, class Total, class... Arguments>
void launch_intervals(cudaStream_t stream, std::int64_t intervals, const Total& totals, const Arguments&... arguments)
{
    if constexpr (Total::is_known) {
        const std::int64_t places = totals.outputs + Body::weight * intervals;
        launch<Body>(stream, places, arguments..., intervals,
                     known_total{totals.outputs, static_cast<double>(intervals) / static_cast<double>(places)});
    } else {
        // Several times as many blocks as fit at once; they share the tiles.
        constexpr std::int64_t threads_on_sm = 2048, turns = 4;
        int device = 0, sms = 0;
        cudaGetDevice(&device);
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
        const auto row = row_for<Body>();
        const std::int64_t max_blocks =
            turns * std::max(sms, 1) * std::max<std::int64_t>(threads_on_sm / row.threads, 1);
        const std::int64_t outputs = std::min(totals.max_outputs, std::int64_t{1} << 58);
        const std::int64_t tiles = (outputs + Body::weight * intervals - 1) / Body::tile(row) + 1;
        launch<Body>(stream, blocks{launch_extent(std::min(tiles, max_blocks)), -1}, arguments..., intervals, totals);
    }
}

}  // namespace detail

namespace interval_kernels {

inline __device__ unsigned char* block_memory()
{
    extern __shared__ __align__(16) unsigned char launchbox_shared[];
    return launchbox_shared;
}

}  // namespace interval_kernels
}  // namespace launchbox
#pragma GCC visibility pop

#endif
