// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/kernel_trials.hpp"

namespace launchbox {

namespace {

bool same_kernel(const kernel_trials& one, const kernel_trials& other)
{
    return one.written.name == other.written.name || (one.written.short_form == other.written.short_form &&
                                                      one.declared_at && one.declared_at == other.declared_at);
}

}  // namespace

void bring_together(std::vector<kernel_trials>& kernels)
{
    for (std::size_t first = 0; first < kernels.size();) {
        std::size_t next = first + 1;
        for (std::size_t i = next; i < kernels.size(); ++i) {
            const auto begin = kernels.begin() + static_cast<std::ptrdiff_t>(first);
            const auto end = kernels.begin() + static_cast<std::ptrdiff_t>(next);
            const bool known = std::any_of(begin, end, [&](const kernel_trials& trials) {
                return trials.written.architecture == kernels[i].written.architecture;
            });
            if (known || !same_kernel(kernels[first], kernels[i])) continue;
            std::rotate(end, kernels.begin() + static_cast<std::ptrdiff_t>(i),
                        kernels.begin() + static_cast<std::ptrdiff_t>(i) + 1);
            ++next;
        }
        for (std::size_t i = first; i < next; ++i) kernels[i].group = first + 1;
        first = next;
    }
}

}  // namespace launchbox
