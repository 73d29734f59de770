// launchbox: repeats each value by the size of its interval.
// SPDX-License-Identifier: Apache-2.0
//
//     // values {a, b, c}, offsets {0, 2, 2}, 5 outputs: a a c c c
//     launchbox::interval_expand(stream, values, offsets, 3, out, 5);
//     launchbox::interval_expand(stream, values, launchbox::interval_counts{counts}, 3, out, 5);  // {2, 0, 3}
#pragma once

#if !defined(__CUDACC__)
#error "launchbox/algorithms/interval_expand.cuh defines kernels: compile it as CUDA C++, with nvcc as a .cu file"
#else

#include <cuda_runtime_api.h>

#include <cstdint>
#include <type_traits>

#include <launchbox/algorithms/detail/interval_expand.cuh>
#include <launchbox/algorithms/interval_sizes.cuh>
#include <launchbox/algorithms/workspace.hpp>
#include <launchbox/launch_box.cuh>
#include <launchbox/tunings/interval_expand.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

namespace interval_kernels {

template <class Tuning, class Values, class Sizes, class Out>
void run_expand(cudaStream_t stream, Values values, const Sizes& sizes, std::int64_t intervals, Out out,
                workspace space);

}  // namespace interval_kernels

/// out[k] = values[i] for offsets[i] <= k < offsets[i + 1]; the last interval ends at `n_out`. The iterators are
/// pointers or other random-access iterators that the device can use. `offsets` holds 32- or 64-bit integers in
/// non-decreasing order, and offsets[0] is 0; or it is interval_counts{counts}, and `n_out` is at least their sum. Only
/// counts need a workspace. `Tuning` is a launch_box table of interval_row. Throws launch_error if a size is negative,
/// if the workspace is too small or cannot be allocated, and like every launch.
template <class Tuning = void, class Values, class Offsets, class Out>
void interval_expand(cudaStream_t stream, Values values, Offsets offsets, std::int64_t intervals, Out out,
                     std::int64_t n_out, workspace space = {})
{
    interval_kernels::run_expand<Tuning>(stream, values, detail::sizes_up_to(offsets, n_out), intervals, out, space);
}

namespace interval_kernels {

using namespace detail;

template <class Values, class Offsets, class Out, class Total, class Tuning>
struct expand {
    using tuning = Tuning;
    using row_type = typename Tuning::row_type;
    static constexpr int weight = expand_shape<Values, Out>(64, 1).weight;
    static constexpr std::int64_t dynamic_shared_bytes(const row_type& row)
    {
        return expand_shape<Values, Out>(row.threads, row.items).bytes();
    }
    static constexpr std::int64_t tile(const row_type& row)
    {
        return expand_shape<Values, Out>(row.threads, row.items).tile();
    }

    template <row_type r>
    static __device__ void run(Values values, Offsets offsets, Out out, std::int64_t intervals, Total totals)
    {
        using tile = expand_tile<r.threads, r.items, Values, Offsets, Out>;
        for_each_tile<typename tile::layout>(
            intervals, totals, [&](std::int64_t total, double rate, std::int64_t number) {
                tile::run(block_memory(), values, offsets, intervals, out, total, rate, number);
            });
    }
};

template <class Tuning, class Values, class Sizes, class Out>
void run_expand(cudaStream_t stream, Values values, const Sizes& sizes, std::int64_t intervals, Out out,
                workspace space)
{
    using shipped = tunings::interval_expand<typename expanded<Values, Out>::type>;
    using table = std::conditional_t<std::is_void_v<Tuning>, shipped, Tuning>;
    with_offsets(stream, sizes, intervals, space, "interval_expand",
                 [&]<class Offsets, class Total>(Offsets offsets, const Total& totals) {
                     launch_intervals<expand<Values, Offsets, Out, Total, table> >(stream, intervals, totals, values,
                                                                                   offsets, out);
                 });
}

}  // namespace interval_kernels
}  // namespace launchbox
#pragma GCC visibility pop

#endif
