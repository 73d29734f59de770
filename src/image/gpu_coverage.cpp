// SPDX-License-Identifier: Apache-2.0
#include "image/gpu_coverage.hpp"

#include <fmt/format.h>
#include <launchbox/sm_limits.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace launchbox {

namespace {

constexpr bool is_tegra(const compute_capability& gpu)
{
    constexpr std::array<std::pair<int, int>, 7> chips{{{3, 2}, {5, 3}, {6, 2}, {7, 2}, {8, 7}, {10, 1}, {11, 0}}};
    return std::find(chips.begin(), chips.end(), std::pair(gpu.major, gpu.minor)) != chips.end();
}

constexpr bool same_chip(const compute_capability& a, const compute_capability& b)
{
    return a.major == b.major && a.minor == b.minor;
}

// 10.1 was renamed to 11.0 in CUDA 13, and is no relative of 10.0 and 10.3.
constexpr bool in_family(const compute_capability& image, const compute_capability& gpu)
{
    const bool renamed = (image.major == 10 && image.minor == 1) != (gpu.major == 10 && gpu.minor == 1);
    return image.major == gpu.major && image.minor <= gpu.minor && !renamed;
}

std::string list_of_runners(const compute_capability& image)
{
    std::string text;
    for (const sm_limits& row : sm_limits_table)
        if (cubin_runs_on(image, row.capability))
            text += (text.empty() ? "" : ", ") + std::string(compute_capability_name(row.capability).view());
    return text.empty() ? "no known GPU" : text;
}

}  // namespace

bool cubin_runs_on(const compute_capability& image, const compute_capability& gpu)
{
    if (image.variant == architecture_variant::accelerated) return same_chip(image, gpu);
    if (image.variant == architecture_variant::family) return in_family(image, gpu);
    if (is_tegra(image) || is_tegra(gpu)) return same_chip(image, gpu);
    return image.major == gpu.major && image.minor <= gpu.minor;
}

bool ptx_runs_on(const compute_capability& image, const compute_capability& gpu)
{
    if (image.variant == architecture_variant::accelerated) return same_chip(image, gpu);
    if (image.variant == architecture_variant::family) return in_family(image, gpu);
    return std::pair(image.major, image.minor) <= std::pair(gpu.major, gpu.minor);
}

std::string where_cubin_runs(const compute_capability& image)
{
    return "runs on " + list_of_runners(image);
}

std::string where_ptx_runs(const compute_capability& image)
{
    if (image.variant != architecture_variant::plain) return "compiled when loaded, only on " + list_of_runners(image);
    return fmt::format("compiled when loaded, on {} and every later GPU", compute_capability_name(image).view());
}

}  // namespace launchbox
