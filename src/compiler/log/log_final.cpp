// The kernels of a log as they run.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "compiler/log/resource_log.hpp"

namespace launchbox {

namespace {

std::string key_of(const kernel_info& kernel)
{
    return kernel.name + '\n' + kernel.architecture;
}

auto told_by_compiler(const kernel_info& kernel)
{
    return std::tuple(kernel.spill_store_bytes, kernel.spill_load_bytes, kernel.stack_frame_bytes, kernel.maxrregcount,
                      kernel.outranks_maxrregcount);
}

}  // namespace

void leave_out_unlinked(std::vector<kernel_info>& kernels)
{
    if (std::ranges::none_of(kernels, &kernel_info::linked)) return;
    // What was compiled, by name and architecture; null: several that differ.
    std::unordered_map<std::string, const kernel_info*> compiled;
    std::unordered_map<std::string, bool> is_linked;
    for (const kernel_info& kernel : kernels) {
        if (kernel.linked && kernel.registers) is_linked.emplace(key_of(kernel), true);
        if (!kernel.relocatable) continue;
        const auto [place, is_new] = compiled.emplace(key_of(kernel), &kernel);
        if (!is_new && place->second != nullptr && told_by_compiler(*place->second) != told_by_compiler(kernel))
            place->second = nullptr;
    }
    std::vector<kernel_info> result;
    result.reserve(kernels.size());
    for (const kernel_info& kernel : kernels) {
        if (kernel.relocatable && is_linked.contains(key_of(kernel))) continue;
        kernel_info& kept = result.emplace_back(kernel);
        const auto found = compiled.find(key_of(kernel));
        if (!kernel.linked || found == compiled.end() || found->second == nullptr) continue;
        const kernel_info& before = *found->second;
        kept.spill_store_bytes = before.spill_store_bytes;
        kept.spill_load_bytes = before.spill_load_bytes;
        kept.stack_frame_bytes = before.stack_frame_bytes;
        kept.maxrregcount = before.maxrregcount;
        kept.outranks_maxrregcount = before.outranks_maxrregcount;
        kept.register_cap = before.register_cap;
        kept.callees = before.callees;
        kept.warnings.insert(kept.warnings.begin(), before.warnings.begin(), before.warnings.end());
    }
    kernels = std::move(result);
}

}  // namespace launchbox
