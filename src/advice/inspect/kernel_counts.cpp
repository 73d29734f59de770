// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/kernel_counts.hpp"

#include <string>
#include <string_view>
#include <unordered_set>

#include "image/names/demangle.hpp"
#include "image/names/kernel_identity.hpp"

namespace launchbox {

kernel_counts count_kernels(const std::vector<const inspected_kernel*>& kernels)
{
    kernel_counts counts;
    std::unordered_set<std::string> names, instances;
    std::unordered_set<std::string_view> architectures;
    for (const inspected_kernel* kernel : kernels) {
        const kernel_info& info = kernel->info;
        names.insert(template_name(without_architectures(info.short_form)));
        instances.insert(without_architectures(kernel_identity(info.name, info.demangled)));
        if (is_ptx(info)) {
            ++counts.ptx;
            continue;
        }
        ++counts.compiled;
        architectures.insert(info.architecture);
    }
    counts.kernels = names.size();
    counts.instances = instances.size();
    counts.architectures = architectures.size();
    return counts;
}

}  // namespace launchbox
