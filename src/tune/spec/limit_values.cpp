#include "tune/spec/limit_values.hpp"

namespace launchbox {

limit_values limits_for_expressions(const sm_limits& limits, const gpu_device* gpu)
{
    const auto whole = [](std::int64_t value) { return parameter_value(value); };
    limit_values values{{"sm.max_threads", whole(limits.threads_per_sm)},
                        {"sm.max_blocks", whole(limits.blocks_per_sm)},
                        {"sm.max_warps", whole(limits.warps_per_sm())},
                        {"sm.registers", whole(limits.registers_per_sm)},
                        {"sm.registers_per_block", whole(limits.registers_per_block)},
                        {"sm.shared", whole(limits.shared_per_sm)},
                        {"sm.shared_per_block", whole(limits.shared_per_block)},
                        {"sm.shared_per_block_opt_in", whole(limits.shared_per_block_opt_in)},
                        {"sm.reserved_shared", whole(limits.reserved_shared_per_block)},
                        {"sm.max_threads_per_block", whole(max_threads_per_block)},
                        {"sm.warp_size", whole(warp_size)}};
    if (gpu != nullptr) {
        values["device.sms"] = whole(gpu->sms);
        values["device.memory"] = whole(gpu->memory_bytes);
        values["device.compute_capability"] = whole(gpu->capability.major * 10 + gpu->capability.minor);
        values["device.name"] = gpu->name;
    }
    return values;
}

}  // namespace launchbox
