#include "advice/inspect/inspected_kernel.hpp"

#include <utility>

#include "advice/model/kernel_question.hpp"

namespace launchbox {

inspected_kernel inspected(kernel_info info, std::string demangled, std::string short_form, std::optional<int> threads)
{
    inspected_kernel kernel{std::move(info), std::move(demangled), std::move(short_form), std::nullopt};
    if (const std::optional<occupancy_question> question = question_for(kernel.info, threads)) {
        const occupancy_result result =
            occupancy(*question->limits, question->resources, question->shape, question->settings);
        kernel.residency = {question->shape.threads, result.resident_blocks, result.occupancy(),
                            result.obstacle == launch_obstacle::none};
    }
    return kernel;
}

kernel_account account_of(const inspected_kernel& kernel, std::optional<int> threads)
{
    kernel_account account{std::nullopt, diagnose(kernel.info, threads)};
    if (std::optional<occupancy_question> question = question_for(kernel.info, threads)) {
        question->kernel = kernel.short_form;
        account.occupancy = explain(*question);
    }
    return account;
}

std::optional<std::int64_t> spill_bytes(const kernel_info& info)
{
    if (!info.spill_store_bytes || !info.spill_load_bytes) return std::nullopt;
    return *info.spill_store_bytes + *info.spill_load_bytes;
}

bool is_ptx(const kernel_info& info)
{
    return info.architecture.starts_with("compute_");
}

}  // namespace launchbox
