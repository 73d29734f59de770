// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_launch.hpp"

#include <algorithm>

#include "advice/model/kernel_question.hpp"

namespace launchbox {

namespace {

kernel_resources without_registers(const kernel_info& kernel)
{
    kernel_resources resources = resources_of(kernel);
    resources.registers = 0;
    resources.max_threads = max_threads_per_block;
    return resources;
}

launch_shape shape_of(int threads, const bounds_launch& launch)
{
    return {.threads = threads, .dynamic_shared_bytes = launch.dynamic_shared_of(threads)};
}

}  // namespace

launch_settings settings_of(const sm_limits& limits, const kernel_info& kernel, const bounds_launch& launch)
{
    if (!links(limits, resources_of(kernel))) return {};
    const std::int64_t all = limits.shared_per_block_opt_in - kernel.figures.static_shared_bytes.value_or(0);
    return {.max_dynamic_shared_bytes = launch.max_dynamic_shared_bytes.value_or(std::max<std::int64_t>(all, 0))};
}

occupancy_result residency_of(const sm_limits& limits, const kernel_info& kernel, int threads,
                              const bounds_launch& launch)
{
    return occupancy(limits, resources_of(kernel), shape_of(threads, launch), settings_of(limits, kernel, launch));
}

occupancy_result room_of(const sm_limits& limits, const kernel_info& kernel, int threads, const bounds_launch& launch)
{
    return occupancy(limits, without_registers(kernel), shape_of(threads, launch), settings_of(limits, kernel, launch));
}

resource_allowance room_for(const sm_limits& limits, const kernel_info& kernel, int threads, int blocks,
                            const bounds_launch& launch)
{
    return allowance(limits, without_registers(kernel), shape_of(threads, launch), blocks,
                     settings_of(limits, kernel, launch));
}

}  // namespace launchbox
