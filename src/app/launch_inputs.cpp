// SPDX-License-Identifier: Apache-2.0
#include "app/launch_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "advice/model/kernel_question.hpp"
#include "app/sizes.hpp"
#include "support/error.hpp"

namespace launchbox {

dynamic_shared_limit dynamic_shared_limit::named(const std::string& text, const std::string& option)
{
    if (text == "max") return {how::maximum};
    if (text == "default") return {how::not_raised};
    return {how::these_bytes, parse_bytes(text, option)};
}

kernel_resources launch_inputs::resources(const kernel_resources& found) const
{
    kernel_resources kernel = found;
    if (registers) kernel.registers = *registers;
    if (barriers) kernel.barriers = *barriers;
    if (max_threads) kernel.max_threads = *max_threads;
    if (static_shared_bytes) kernel.static_shared_bytes = *static_shared_bytes;
    return kernel;
}

void launch_inputs::refuse_registers(const std::vector<target>& targets) const
{
    int most = 0;
    for (const target& where : targets) most = std::max(most, where.limits->registers_per_thread);
    if (targets.empty())
        for (const sm_limits& limits : sm_limits_table) most = std::max(most, limits.registers_per_thread);
    if (registers.value_or(0) <= most) return;
    std::string names;
    for (const target& where : targets)
        names += (names.empty() ? " on " : ", ") + std::string(architecture_name(where.architecture).view());
    throw error(fmt::format("--registers {}: a thread has at most {} registers{}", *registers, most,
                            targets.size() > 3 ? " on these architectures" : names),
                "write the registers of one thread, as ptxas -v and launchbox inspect show them");
}

launch_settings launch_inputs::settings(const target& where, const kernel_resources& kernel,
                                        std::int64_t dynamic_bytes) const
{
    launch_settings settings;
    settings.mode = mode;
    if (settings.mode == model_mode::spreadsheet && !where.limits->spreadsheet)
        throw error(fmt::format("NVIDIA's spreadsheet has no row for compute capability {}",
                                compute_capability_name(where.architecture).view()),
                    "it ends at 8.6 and has no 7.2; use --mode driver");
    settings.carveout_percent = carveout_percent;
    settings.cache = cache;
    settings.caching = caching;
    settings.non_portable_clusters = true;  // assume that a program that needs them allows them
    // A kernel with too much static shared memory cannot be linked, whatever the opt-in limit. A typed figure may stand
    // for either kind of shared memory, so it is accepted.
    if (!static_shared_bytes && !links(*where.limits, kernel)) return settings;
    using how = dynamic_shared_limit::how;
    if (max_dynamic_shared.set == how::as_needed)
        settings.max_dynamic_shared_bytes = raised_shared_limit(*where.limits, kernel, dynamic_bytes);
    else if (max_dynamic_shared.set == how::maximum)
        settings.max_dynamic_shared_bytes = raised_shared_limit(*where.limits, kernel, 0);
    else if (max_dynamic_shared.set == how::these_bytes)
        settings.max_dynamic_shared_bytes = max_dynamic_shared.bytes;
    return settings;
}

}  // namespace launchbox
