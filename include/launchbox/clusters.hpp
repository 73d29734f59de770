// launchbox: how many thread block clusters are resident on a GPU: an estimate, because NVIDIA publishes no formula.
// SPDX-License-Identifier: Apache-2.0
// A cluster runs within one GPC, and the enabled SMs of each GPC differ from chip to chip. Only
// cudaOccupancyMaxActiveClusters on that GPU gives the exact number. The estimate uses these observations:
//   - if the SMs of each GPC are known, all 32 counts measured on an H200 equal the sum of floor(SMs * min(blocks per
//     SM, 8) / cluster blocks) over the GPCs that have at least as many SMs as the cluster has blocks;
//   - summed over all GPCs it is up to 14 % too high.
#pragma once

#include <algorithm>
#include <optional>
#include <span>

#include <launchbox/detail/model/resource_limits.hpp>
#include <launchbox/sm_limits.hpp>

namespace launchbox {

/// Resident clusters on the whole GPU. `low <= expected <= high`; `expected` is unknown if neither the GPCs of the chip
/// nor the GPC size of its architecture is known.
struct cluster_estimate {
    std::optional<int> expected = std::nullopt;
    int low = 0;
    int high = 0;

    friend constexpr bool operator==(const cluster_estimate&, const cluster_estimate&) = default;
};

/// The most blocks per SM that clusters were observed to use, although more are resident without clusters (H200; cause
/// unknown).
inline constexpr int cluster_blocks_per_sm_seen = 8;

/// SMs of a full GPC: 18 on GH100, 20 on GB100 (source: CUTLASS); not published for others.
constexpr std::optional<int> sms_per_gpc(const sm_limits& limits)
{
    if (limits.capability.major == 9) return 18;
    if (limits.capability.major == 10 && limits.capability.minor == 0) return 20;
    return std::nullopt;
}

/// The SMs per GPC of the measured H200: the only distribution of its 132 SMs that fits all counts. Other H200s may
/// differ.
inline constexpr int h200_gpcs[] = {18, 18, 16, 16, 16, 16, 16, 8, 2, 2, 2, 2};

namespace detail {

// No GPU exceeds these numbers; limiting them keeps every sum far from overflow and changes no answer.
constexpr int bounded_sms(int sms)
{
    return std::clamp(sms, 0, 1 << 14);
}
constexpr int bounded_blocks_per_sm(int blocks)
{
    return std::min(blocks, 1 << 12);
}

constexpr int clusters_in_gpcs(std::span<const int> gpcs, int cluster_blocks, int blocks_per_sm, bool whole_sms)
{
    int sum = 0;
    for (int sms : gpcs)
        if (!whole_sms || sms >= cluster_blocks)
            sum = std::min(sum + bounded_sms(sms) * blocks_per_sm / cluster_blocks, 1 << 28);
    return sum;
}

}  // namespace detail

/// The estimate if the SMs of every GPC are known. The interval is from the formula that fits the H200 to the same
/// formula without its two conditions.
constexpr cluster_estimate estimate_clusters(std::span<const int> gpcs, int cluster_blocks, int blocks_per_sm)
{
    if (cluster_blocks < 1 || blocks_per_sm < 0) return {.expected = 0};
    blocks_per_sm = detail::bounded_blocks_per_sm(blocks_per_sm);
    const int seen = std::min(blocks_per_sm, cluster_blocks_per_sm_seen);
    const int expected = detail::clusters_in_gpcs(gpcs, cluster_blocks, seen, true);
    return {expected, expected, detail::clusters_in_gpcs(gpcs, cluster_blocks, blocks_per_sm, false)};
}

/// The estimate if only the number of SMs is known. Low: what every such chip can run, which is pairs of blocks in
/// pairs of SMs (a TPC is never split), one cluster of a portable size, and no larger cluster (an H20 was reported to
/// run no cluster of 16). High: all SMs in one GPC. Expected: full GPCs and one with the remaining SMs.
constexpr cluster_estimate estimate_clusters(const sm_limits& limits, int sms, int cluster_blocks, int blocks_per_sm)
{
    if (cluster_blocks < 1 || blocks_per_sm < 1 || sms < 1) return {.expected = 0};
    // The cluster is larger than the GPU supports, or the GPU supports none.
    if (cluster_blocks > 1 && cluster_blocks > detail::max_cluster_of(limits, model_mode::driver, true))
        return {.expected = 0};
    sms = detail::bounded_sms(sms);
    blocks_per_sm = detail::bounded_blocks_per_sm(blocks_per_sm);
    const int seen = std::min(blocks_per_sm, cluster_blocks_per_sm_seen);
    cluster_estimate result{.high = sms * blocks_per_sm / cluster_blocks};
    if (cluster_blocks <= 2)
        result.low = sms / 2 * (2 * seen / cluster_blocks);
    else if (limits.portable_cluster && cluster_blocks <= *limits.portable_cluster)
        result.low = std::min(1, result.high);
    if (const std::optional<int> full = sms_per_gpc(limits)) {
        const int rest[] = {sms % *full};
        const int whole[] = {*full};
        const int expected = sms / *full * detail::clusters_in_gpcs(whole, cluster_blocks, seen, true) +
                             detail::clusters_in_gpcs(rest, cluster_blocks, seen, true);
        result.expected = std::clamp(expected, result.low, result.high);
    }
    return result;
}

}  // namespace launchbox
