// SPDX-License-Identifier: Apache-2.0
#include "image/kernel_info.hpp"

#include <algorithm>
#include <utility>

namespace launchbox {

namespace {

std::optional<int> product(const std::optional<std::array<int, 3>>& extents)
{
    if (!extents) return std::nullopt;
    constexpr int bound = 1 << 20;  // no block is larger, and no product overflows
    std::int64_t result = 1;
    for (const int extent : *extents) result = std::min<std::int64_t>(result * std::clamp(extent, 0, bound), bound);
    return static_cast<int>(result);
}

}  // namespace

void set_architecture(kernel_info& kernel, std::string name)
{
    kernel.capability = parse_compute_capability(name);
    kernel.architecture = std::move(name);
}

const sm_limits* limits_of(const kernel_info& kernel)
{
    return kernel.capability ? find_sm_limits(*kernel.capability) : nullptr;
}

const sm_limits* limits_where_run(const kernel_info& kernel)
{
    return kernel.runs_on ? find_sm_limits(*kernel.runs_on) : limits_of(kernel);
}

std::string architecture_where_run(const kernel_info& kernel)
{
    return kernel.runs_on ? std::string(architecture_name(*kernel.runs_on).view()) : kernel.architecture;
}

std::tuple<bool, compute_capability, std::string_view> architecture_order(
    const std::optional<compute_capability>& capability, std::string_view name)
{
    return {!capability, capability.value_or(compute_capability{}), name};
}

bool is_ptx(const kernel_info& kernel)
{
    return kernel.architecture.starts_with("compute_");
}

bool is_debug_build(const kernel_info& kernel)
{
    return !debug_flag_of(kernel).empty();
}

constexpr std::array<std::string_view, 6> optimisation_names{"", "full", "reduced", "fast_compile", "none", "debug"};

std::string_view optimisation_name(code_optimisation how)
{
    return optimisation_names[static_cast<std::size_t>(how)];
}

code_optimisation optimisation_called(std::string_view name)
{
    const auto found = std::ranges::find(optimisation_names, name);
    return found == optimisation_names.end() ? code_optimisation::unknown
                                             : static_cast<code_optimisation>(found - optimisation_names.begin());
}

std::string_view debug_flag_of(const kernel_info& kernel)
{
    switch (kernel.optimisation) {
        case code_optimisation::debug:
            return "-G";
        case code_optimisation::none:
            return "-Xptxas -O0";
        case code_optimisation::fast_compile:
            return "-Ofast-compile";
        default:
            return "";
    }
}

std::optional<int> bound_threads(const kernel_info& kernel)
{
    const std::optional<int> required = product(kernel.bounds.required_threads);
    return required ? required : product(kernel.bounds.max_threads);
}

std::optional<int> launched_threads(const kernel_info& kernel, std::optional<int> wanted)
{
    if (wanted) return wanted;
    return kernel.launches.launch_threads ? kernel.launches.launch_threads : bound_threads(kernel);
}

bool dynamic_shared_unknown(const kernel_info& kernel)
{
    return (kernel.launches.uses_dynamic_shared == true || kernel.launches.passes_unknown_shared) &&
           !kernel.launches.dynamic_shared_bytes;
}

std::optional<int> cluster_blocks(const kernel_info& kernel)
{
    return product(kernel.bounds.cluster);
}

std::optional<std::int64_t> spill_bytes(const kernel_info& kernel)
{
    if (!kernel.figures.spill_store_bytes || !kernel.figures.spill_load_bytes) return std::nullopt;
    return *kernel.figures.spill_store_bytes + *kernel.figures.spill_load_bytes;
}

std::optional<std::int64_t> shared_spill_bytes(const kernel_info& kernel)
{
    if (!kernel.figures.shared_spill_store_bytes || !kernel.figures.shared_spill_load_bytes) return std::nullopt;
    return *kernel.figures.shared_spill_store_bytes + *kernel.figures.shared_spill_load_bytes;
}

std::optional<spill_range> spill_range_of(const kernel_info& kernel)
{
    if (!kernel.figures.spill_store_bytes || !kernel.figures.spill_load_bytes) return kernel.figures.spills_between;
    return spill_range{.min_stores = *kernel.figures.spill_store_bytes,
                       .max_stores = *kernel.figures.spill_store_bytes,
                       .min_loads = *kernel.figures.spill_load_bytes,
                       .max_loads = *kernel.figures.spill_load_bytes};
}

std::optional<std::int64_t> deepest_stack(const kernel_info& kernel)
{
    if (!kernel.figures.stack_frame_bytes || !kernel.figures.cumulative_stack_bytes)
        return kernel.figures.stack_frame_bytes ? kernel.figures.stack_frame_bytes
                                                : kernel.figures.cumulative_stack_bytes;
    return std::max(*kernel.figures.stack_frame_bytes, *kernel.figures.cumulative_stack_bytes);
}

}  // namespace launchbox
