#include "advice/model/kernel_question.hpp"

#include <algorithm>
#include <array>

namespace launchbox {

namespace {

std::optional<int> product(const std::optional<std::array<int, 3>>& dimensions)
{
    if (!dimensions) return std::nullopt;
    std::int64_t result = 1;
    for (int each : *dimensions) result = std::min<std::int64_t>(result * std::clamp(each, 0, 1 << 20), 1 << 20);
    return static_cast<int>(result);
}

}  // namespace

std::optional<int> bound_threads(const kernel_info& kernel)
{
    const std::optional<int> required = product(kernel.required_threads);
    return required ? required : product(kernel.max_threads);
}

kernel_resources resources_of(const kernel_info& kernel)
{
    kernel_resources resources;
    resources.registers = kernel.registers.value_or(0);
    resources.static_shared_bytes = kernel.static_shared_bytes.value_or(0);
    resources.local_bytes = kernel.stack_frame_bytes.value_or(0);
    resources.barriers = kernel.barriers.value_or(0);
    resources.max_threads = std::min(bound_threads(kernel).value_or(max_threads_per_block), max_threads_per_block);
    return resources;
}

std::optional<occupancy_question> question_for(const kernel_info& kernel, std::optional<int> threads)
{
    const std::optional<compute_capability> capability = parse_compute_capability(kernel.architecture);
    const sm_limits* limits = capability ? find_sm_limits(*capability) : nullptr;
    if (!threads) threads = bound_threads(kernel);
    if (limits == nullptr || !threads || !kernel.registers) return std::nullopt;
    occupancy_question question;
    question.limits = limits;
    question.architecture = *capability;
    question.kernel = kernel.name;
    question.resources = resources_of(kernel);
    question.barriers_known = kernel.barriers.has_value();
    question.shared_known = kernel.static_shared_bytes.has_value();
    question.shape.threads = *threads;
    if (kernel.cluster) question.shape.cluster_blocks = std::max(1, product(kernel.cluster).value_or(1));
    return question;
}

}  // namespace launchbox
