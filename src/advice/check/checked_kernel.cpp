// SPDX-License-Identifier: Apache-2.0
#include "advice/check/checked_kernel.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "advice/model/kernel_question.hpp"
#include "image/kernel_identity.hpp"

namespace launchbox {

namespace {

checked_kernel merged(std::vector<checked_kernel>& same);

}  // namespace

std::vector<checked_kernel> one_of_each(std::vector<checked_kernel> found)
{
    for (checked_kernel& kernel : found) kernel.identity = kernel_identity(kernel.info.name, kernel.demangled);
    // Stable, so that of equal kernels the first in the user's order lends its place.
    std::stable_sort(found.begin(), found.end(), [](const checked_kernel& a, const checked_kernel& b) {
        if (a.identity != b.identity) return a.identity < b.identity;
        return architecture_order(a.info.capability, a.info.architecture) <
               architecture_order(b.info.capability, b.info.architecture);
    });
    std::vector<checked_kernel> result;
    for (auto first = found.begin(); first != found.end();) {
        const auto last = std::find_if(first, found.end(), [&](const checked_kernel& kernel) {
            return kernel.identity != first->identity || kernel.info.architecture != first->info.architecture;
        });
        std::vector<checked_kernel> same(std::make_move_iterator(first), std::make_move_iterator(last));
        result.push_back(merged(same));
        first = last;
    }
    return result;
}

std::optional<residency> residency_of(const kernel_info& kernel)
{
    const std::optional<occupancy_question> question = question_for(kernel, std::nullopt);
    if (!question || !question->shared_known || !question->dynamic_shared_known) return std::nullopt;
    return residency{resident_blocks(*question->limits, question->resources, question->shape, question->settings),
                     question->shape.threads};
}

namespace {

// The largest; unknown as soon as one is.
template <class Value>
void raise(std::optional<Value>& worst, const std::optional<Value>& other)
{
    worst = worst && other ? std::optional(std::max(*worst, *other)) : std::nullopt;
}

// What nvlink does not tell, what was compiled for it does.
std::optional<std::int64_t> worst_told(const std::vector<checked_kernel>& same,
                                       std::optional<std::int64_t> kernel_info::*figure)
{
    std::optional<std::int64_t> worst;
    bool told = false;
    for (const checked_kernel& kernel : same) {
        const std::optional<std::int64_t>& bytes = kernel.info.*figure;
        if (kernel.info.linked && !bytes) continue;
        if (told)
            raise(worst, bytes);
        else
            worst = bytes;
        told = true;
    }
    return worst;
}

// Where one of them is known only in part.
std::optional<spill_range> worst_spills(const std::vector<checked_kernel>& same)
{
    std::optional<spill_range> worst;
    for (const checked_kernel& kernel : same) {
        const std::optional<spill_range> range = spill_range_of(kernel.info);
        if (!range && kernel.info.linked) continue;
        if (!range) return std::nullopt;
        if (!worst) worst = range;
        worst = spill_range{.min_stores = std::max(worst->min_stores, range->min_stores),
                            .max_stores = std::max(worst->max_stores, range->max_stores),
                            .min_loads = std::max(worst->min_loads, range->min_loads),
                            .max_loads = std::max(worst->max_loads, range->max_loads)};
    }
    return worst;
}

checked_kernel merged(std::vector<checked_kernel>& same)
{
    // What is linked is final; what was compiled for it comes last.
    const auto is_linked = [](const checked_kernel& kernel) { return kernel.info.linked; };
    const bool linked = std::any_of(same.begin(), same.end(), is_linked);
    if (linked)
        std::stable_partition(same.begin(), same.end(), [](const auto& kernel) { return !kernel.info.relocatable; });
    const std::optional<std::int64_t> stored = worst_told(same, &kernel_info::spill_store_bytes);
    const std::optional<std::int64_t> loaded = worst_told(same, &kernel_info::spill_load_bytes);
    const std::optional<spill_range> spills = stored && loaded ? std::nullopt : worst_spills(same);
    const std::optional<std::int64_t> stack = worst_told(same, &kernel_info::stack_frame_bytes);
    checked_kernel worst = std::move(same.front());
    worst.info.stack_frame_bytes = stack;
    worst.info.spill_store_bytes = stored;
    worst.info.spill_load_bytes = loaded;
    worst.info.spills_between = spills;
    for (std::size_t i = 1; i < same.size(); ++i) {
        const kernel_info& other = same[i].info;
        worst.info.linked |= other.linked;
        if (linked && other.relocatable) {
            if (!worst.info.max_threads && !worst.info.required_threads) {
                worst.info.max_threads = other.max_threads;
                worst.info.required_threads = other.required_threads;
            }
            if (!worst.info.register_cap) worst.info.register_cap = other.register_cap;
            continue;
        }
        raise(worst.info.cumulative_stack_bytes, other.cumulative_stack_bytes);
        raise(worst.info.registers, other.registers);
        raise(worst.info.static_shared_bytes, other.static_shared_bytes);
        raise(worst.info.barriers, other.barriers);
        raise(worst.info.code_bytes, other.code_bytes);
        worst.info.stack_unbounded |= other.stack_unbounded;
        // What may be launched with more shared memory than is known, is so in one place.
        if (other.uses_dynamic_shared == true) worst.info.uses_dynamic_shared = true;
    }
    return worst;
}

}  // namespace

}  // namespace launchbox
