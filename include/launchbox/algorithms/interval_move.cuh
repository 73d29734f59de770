// launchbox: copies many ranges of elements, each from its own source to its own target.
// SPDX-License-Identifier: Apache-2.0
//
//     using launchbox::interval_offsets, launchbox::interval_counts;
//     launchbox::interval_move(stream, gather, scatter, interval_offsets{offsets, total}, intervals, in, out);
//     launchbox::interval_gather(stream, gather, interval_counts{counts}, intervals, in, out);    // out: side by side
//     launchbox::interval_scatter(stream, scatter, interval_counts{counts}, intervals, in, out);  // in: side by side
#pragma once

#if !defined(__CUDACC__)
#error "launchbox/algorithms/interval_move.cuh defines kernels: compile it as CUDA C++, with nvcc as a .cu file"
#else

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/interval_move.cuh>
#include <launchbox/algorithms/interval_sizes.cuh>
#include <launchbox/algorithms/workspace.hpp>
#include <launchbox/launch_box.cuh>
#include <launchbox/tunings/interval_move.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

namespace interval_kernels {

template <class Tuning, class Gather, class Scatter, class Sizes, class In, class Out>
void run_move(cudaStream_t stream, Gather gather, Scatter scatter, const Sizes& sizes, std::int64_t intervals, In in,
              Out out, workspace space, const char* algorithm);

}  // namespace interval_kernels

/// out[scatter[i] + j] = in[gather[i] + j] for 0 <= j < size of interval i. `sizes` is interval_offsets{offsets,
/// total}, interval_counts{counts}, or an iterator of counts. All iterators are pointers or other random-access
/// iterators that the device can use; `gather` and `scatter` hold integers. The targets must not overlap each other or
/// the sources. Only counts need a workspace. `Tuning` is a launch_box table of interval_row. Throws launch_error if a
/// size is negative, if the workspace is too small or cannot be allocated, and like every launch.
template <class Tuning = void, class Gather, class Scatter, class Sizes, class In, class Out>
void interval_move(cudaStream_t stream, Gather gather, Scatter scatter, Sizes sizes, std::int64_t intervals, In in,
                   Out out, workspace space = {})
{
    interval_kernels::run_move<Tuning>(stream, gather, scatter, detail::sizes_of(sizes), intervals, in, out, space,
                                       "interval_move");
}

/// The same, where the intervals are written one after the other: scatter[i] is the sum of the sizes before it.
template <class Tuning = void, class Gather, class Sizes, class In, class Out>
void interval_gather(cudaStream_t stream, Gather gather, Sizes sizes, std::int64_t intervals, In in, Out out,
                     workspace space = {})
{
    interval_kernels::run_move<Tuning>(stream, gather, detail::side_by_side{}, detail::sizes_of(sizes), intervals, in,
                                       out, space, "interval_gather");
}

/// The same, where the intervals are read one after the other: gather[i] is the sum of the sizes before it.
template <class Tuning = void, class Scatter, class Sizes, class In, class Out>
void interval_scatter(cudaStream_t stream, Scatter scatter, Sizes sizes, std::int64_t intervals, In in, Out out,
                      workspace space = {})
{
    interval_kernels::run_move<Tuning>(stream, detail::side_by_side{}, scatter, detail::sizes_of(sizes), intervals, in,
                                       out, space, "interval_scatter");
}

namespace interval_kernels {

using namespace detail;

template <class Gather, class Scatter, class Offsets, class In, class Out, class Total, class Tuning>
struct move {
    using tuning = Tuning;
    using row_type = typename Tuning::row_type;
    static constexpr int weight = move_shape<Gather, Scatter>(64, 1).weight;
    static constexpr std::int64_t dynamic_shared_bytes(const row_type& row)
    {
        return move_shape<Gather, Scatter>(row.threads, row.items).bytes();
    }
    static constexpr std::int64_t tile(const row_type& row)
    {
        return move_shape<Gather, Scatter>(row.threads, row.items).tile();
    }

    template <row_type r>
    static __device__ void run(Gather gather, Scatter scatter, Offsets offsets, In in, Out out, std::int64_t intervals,
                               Total totals)
    {
        using tile = move_tile<r.threads, r.items, Gather, Scatter, Offsets, In, Out>;
        for_each_tile<typename tile::layout>(
            intervals, totals, [&](std::int64_t total, double rate, std::int64_t number) {
                tile::run(block_memory(), gather, scatter, offsets, intervals, in, out, total, rate, number);
            });
    }
};

template <class Tuning, class Gather, class Scatter, class Sizes, class In, class Out>
void run_move(cudaStream_t stream, Gather gather, Scatter scatter, const Sizes& sizes, std::int64_t intervals, In in,
              Out out, workspace space, const char* algorithm)
{
    using shipped = tunings::interval_move<typename std::iterator_traits<In>::value_type>;
    using table = std::conditional_t<std::is_void_v<Tuning>, shipped, Tuning>;
    with_offsets(stream, sizes, intervals, space, algorithm,
                 [&]<class Offsets, class Total>(Offsets offsets, const Total& totals) {
                     launch_intervals<move<Gather, Scatter, Offsets, In, Out, Total, table> >(
                         stream, intervals, totals, gather, scatter, offsets, in, out);
                 });
}

}  // namespace interval_kernels
}  // namespace launchbox
#pragma GCC visibility pop

#endif
