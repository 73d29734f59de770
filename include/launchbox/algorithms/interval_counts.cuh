// launchbox: intervals given by counts: computes their offsets with CUB's scan. A separate header, since CUB takes
// seconds to compile.
// SPDX-License-Identifier: Apache-2.0
//
//     #include <launchbox/algorithms/interval_counts.cuh>
//     launchbox::interval_expand(stream, values, launchbox::interval_counts{counts}, intervals, out, n_out);
#pragma once

#include <launchbox/algorithms/interval_sizes.cuh>

#include <cub/device/device_scan.cuh>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// The counts followed by a 0, so that an exclusive scan also gives the total.
template <class Counts, class Offset>
struct counts_and_zero {
    using value_type = Offset;
    using reference = Offset;
    using pointer = const Offset*;
    using difference_type = std::int64_t;
    using iterator_category = std::random_access_iterator_tag;

    Counts counts;
    std::int64_t intervals, at;

    __host__ __device__ Offset operator*() const
    {
        return at < intervals ? static_cast<Offset>(counts[at]) : Offset{0};
    }
    __host__ __device__ Offset operator[](std::int64_t i) const { return *(*this + i); }
    __host__ __device__ counts_and_zero operator+(std::int64_t i) const { return {counts, intervals, at + i}; }
    __host__ __device__ counts_and_zero& operator+=(std::int64_t i)
    {
        at += i;
        return *this;
    }
    __host__ __device__ counts_and_zero& operator++() { return *this += 1; }
};

template <class Counts>
struct counted_offsets {
    template <class Launch>
    static void run(cudaStream_t stream, const interval_counts<Counts>& sizes, std::int64_t intervals, workspace space,
                    const char* algorithm, const Launch& launch_with)
    {
        if (sizes.at_most <= std::int64_t{std::numeric_limits<std::uint32_t>::max()})
            run_with<std::uint32_t>(stream, sizes, intervals, space, algorithm, launch_with);
        else
            run_with<std::uint64_t>(stream, sizes, intervals, space, algorithm, launch_with);
    }

private:
    template <class Offset, class Launch>
    static void run_with(cudaStream_t stream, const interval_counts<Counts>& sizes, std::int64_t intervals,
                         workspace space, const char* algorithm, const Launch& launch_with)
    {
        if (space.needed) *space.needed = 0;
        if (intervals == 0) return;
        const counts_and_zero<Counts, Offset> counts{sizes.counts, intervals, 0};
        const auto scan = [&](void* memory, std::size_t& bytes, Offset* offsets) {
            if (const cudaError_t status =
                    cub::DeviceScan::ExclusiveSum(memory, bytes, counts, offsets, intervals + 1, stream);
                status != cudaSuccess)
                throw launch_error(std::string(algorithm) + ": the scan of the counts: " + error_text(status), status,
                                   launch_error_kind::runtime);
        };
        std::size_t scan_bytes = 0;
        scan(nullptr, scan_bytes, nullptr);
        memory_parts parts;
        const std::size_t offsets_at = parts.add(static_cast<std::size_t>(intervals + 1) * sizeof(Offset));
        const std::size_t scan_at = parts.add(scan_bytes);
        if (space.needed) {
            *space.needed = parts.bytes();
            return;
        }
        const device_memory memory(stream, space, parts.bytes(), algorithm);
        Offset* const offsets = memory.at<Offset>(offsets_at);
        scan(memory.at<void>(scan_at), scan_bytes, offsets);
        launch_with(static_cast<const Offset*>(offsets), stored_total<Offset>{offsets + intervals, sizes.at_most});
    }
};

}  // namespace launchbox::detail
#pragma GCC visibility pop
