// The final kernels of a log, after linking.
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
    return std::tuple(kernel.figures.spill_store_bytes, kernel.figures.spill_load_bytes,
                      kernel.figures.stack_frame_bytes, kernel.bounds.maxrregcount,
                      kernel.bounds.outranks_maxrregcount);
}

}  // namespace

void leave_out_unlinked(std::vector<kernel_info>& kernels)
{
    if (std::ranges::none_of(kernels, &kernel_info::linked)) return;
    // Compiled kernels by name and architecture; null if several differ.
    std::unordered_map<std::string, const kernel_info*> compiled;
    std::unordered_map<std::string, bool> is_linked;
    for (const kernel_info& kernel : kernels) {
        if (kernel.linked && kernel.figures.registers) is_linked.emplace(key_of(kernel), true);
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
        kept.figures.spill_store_bytes = before.figures.spill_store_bytes;
        kept.figures.spill_load_bytes = before.figures.spill_load_bytes;
        kept.figures.stack_frame_bytes = before.figures.stack_frame_bytes;
        kept.bounds.maxrregcount = before.bounds.maxrregcount;
        kept.bounds.outranks_maxrregcount = before.bounds.outranks_maxrregcount;
        kept.bounds.register_cap = before.bounds.register_cap;
        kept.figures.callees = before.figures.callees;
        kept.warnings.insert(kept.warnings.begin(), before.warnings.begin(), before.warnings.end());
    }
    kernels = std::move(result);
}

}  // namespace launchbox
