// SPDX-License-Identifier: Apache-2.0
#include "tune/spec/limit_values.hpp"

namespace launchbox {

limit_values limits_for_expressions(const sm_limits& limits, const gpu_device* gpu)
{
    const auto integer = [](std::int64_t value) { return parameter_value(value); };
    limit_values values{{"sm.max_threads", integer(limits.threads_per_sm)},
                        {"sm.max_blocks", integer(limits.blocks_per_sm)},
                        {"sm.max_warps", integer(limits.warps_per_sm())},
                        {"sm.registers", integer(limits.registers_per_sm)},
                        {"sm.registers_per_block", integer(limits.registers_per_block)},
                        {"sm.shared", integer(limits.shared_per_sm)},
                        {"sm.shared_per_block", integer(limits.shared_per_block)},
                        {"sm.shared_per_block_opt_in", integer(limits.shared_per_block_opt_in)},
                        {"sm.reserved_shared", integer(limits.reserved_shared_per_block)},
                        {"sm.max_threads_per_block", integer(max_threads_per_block)},
                        {"sm.warp_size", integer(warp_size)}};
    if (gpu != nullptr) {
        values["device.sms"] = integer(gpu->sms);
        values["device.memory"] = integer(gpu->memory_bytes);
        values["device.compute_capability"] = integer(gpu->capability.major * 10 + gpu->capability.minor);
        values["device.name"] = gpu->name;
    }
    return values;
}

void refuse_unknown_limits(const value_expression& expression, const limit_values& limits)
{
    for (const std::string& name : expression.names()) {
        if (limits.contains(name) || !(name.starts_with("sm.") || name.starts_with("device."))) continue;
        const std::string where = " in '" + expression.text().substr(0, 60) + "'";
        if (name.starts_with("device.") && !limits.empty())
            throw expression_error(expression.text(), name + where + " is only available on a machine with the GPU",
                                   "remove it, or run on a machine with the GPU");
        throw expression_error(expression.text(), name + where + " depends on the GPU, and this machine has none",
                               "name one, such as --arch sm_90");
    }
}

}  // namespace launchbox
