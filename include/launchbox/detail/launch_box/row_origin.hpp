// launchbox: whether a row was measured on the current GPU, or on which others. Plain C++, no CUDA needed. Internal:
// include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <launchbox/detail/launch_box/row_rules.hpp>

namespace launchbox::detail {

constexpr bool is_near(std::int64_t one, std::int64_t other)
{
    return (one < other ? other - one : one - other) * 14 <= one;
}

/// With and without error correction, the memory of the same GPU differs by at most a fourteenth.
constexpr bool is_same_gpu(const measured_gpu& one, const compute_capability& architecture, const gpu_properties& gpu)
{
    return one.architecture == architecture.number() && one.sms == gpu.sms &&
           is_near(one.memory_bytes, gpu.memory_bytes) &&
           (one.memory_gb_per_second == 0 || is_near(one.memory_gb_per_second, gpu.memory_gb_per_second));
}

/// "measured here", "measured on NVIDIA H200, inherited" or "baseline or predicted, not measured", for the row at
/// `place` of a table on a GPU. A row was measured on those measured GPUs that use it.
inline std::string measured_text(std::span<const measured_gpu> measured, const row_places& places, int place,
                                 const compute_capability& architecture, const gpu_properties& gpu)
{
    std::string on;
    for (const measured_gpu& one : measured) {
        const compute_capability code{.major = one.architecture / 10, .minor = one.architecture % 10};
        const gpu_properties there{.sms = one.sms,
                                   .l2_bytes = one.l2_bytes,
                                   .memory_bytes = one.memory_bytes,
                                   .memory_gb_per_second = one.memory_gb_per_second};
        if (select_row(places, code, select_variant(places, code, there)) != place) continue;
        if (is_same_gpu(one, architecture, gpu)) return "measured here";
        on += (on.empty() ? "" : ", ") + std::string(one.name);
    }
    return on.empty() ? "baseline or predicted, not measured" : "measured on " + on + ", inherited";
}

}  // namespace launchbox::detail
