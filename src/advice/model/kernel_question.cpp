// SPDX-License-Identifier: Apache-2.0
#include "advice/model/kernel_question.hpp"

#include <algorithm>

namespace launchbox {

kernel_resources resources_of(const kernel_info& kernel)
{
    kernel_resources resources;
    resources.registers = kernel.figures.registers.value_or(0);
    resources.static_shared_bytes = kernel.figures.static_shared_bytes.value_or(0);
    resources.local_bytes = kernel.figures.stack_frame_bytes.value_or(0);
    resources.barriers = kernel.figures.barriers.value_or(0);
    resources.max_threads = std::min(bound_threads(kernel).value_or(max_threads_per_block), max_threads_per_block);
    return resources;
}

std::optional<occupancy_question> question_for(const kernel_info& kernel, std::optional<int> threads)
{
    const sm_limits* limits = limits_where_run(kernel);
    threads = launched_threads(kernel, threads);
    if (limits == nullptr || !threads || !kernel.figures.registers) return std::nullopt;
    occupancy_question question;
    question.limits = limits;
    question.architecture = kernel.runs_on ? *kernel.runs_on : *kernel.capability;
    question.kernel = kernel.name;
    question.resources = resources_of(kernel);
    question.barriers_known = kernel.figures.barriers.has_value();
    question.shared_known = kernel.figures.static_shared_bytes.has_value();
    question.dynamic_shared_known = !dynamic_shared_unknown(kernel);
    question.shape.threads = *threads;
    set_dynamic_shared(question, kernel.launches.dynamic_shared_bytes.value_or(0));
    question.shape.cluster_blocks = std::max(1, cluster_blocks(kernel).value_or(1));
    question.settings.non_portable_clusters = true;  // as a working program would; a note reports it
    return question;
}

bool links(const sm_limits& limits, const kernel_resources& kernel)
{
    return kernel.static_shared_bytes <= limits.shared_per_block;
}

std::int64_t raised_shared_limit(const sm_limits& limits, const kernel_resources& kernel, std::int64_t dynamic_bytes)
{
    return std::max<std::int64_t>({0, limits.shared_per_block_opt_in - kernel.static_shared_bytes, dynamic_bytes});
}

void set_dynamic_shared(occupancy_question& question, std::int64_t bytes)
{
    question.shape.dynamic_shared_bytes = bytes;
    if (bytes > 0 && links(*question.limits, question.resources))
        question.settings.max_dynamic_shared_bytes = raised_shared_limit(*question.limits, question.resources, bytes);
}

}  // namespace launchbox
