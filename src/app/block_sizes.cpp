// SPDX-License-Identifier: Apache-2.0
#include "app/block_sizes.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "advice/lint/block_size_use.hpp"
#include "advice/model/kernel_question.hpp"
#include "app/sizes.hpp"
#include "support/error.hpp"

namespace launchbox {

namespace {

// Why no block can be launched, for the smallest block; else what a launch of the suggested block needs.
void add_what_a_launch_needs(block_size_advice& advice, const launch_settings& settings,
                             const std::function<std::int64_t(int)>& bytes_for)
{
    occupancy_question question;
    question.limits = advice.limits;
    question.architecture = advice.architecture;
    question.resources = advice.resources;
    question.settings = settings;
    question.shape.threads = advice.candidates.empty() ? warp_size : advice.candidates.front().choice.threads;
    question.shape.dynamic_shared_bytes = bytes_for(question.shape.threads);
    question.shape.cluster_blocks = advice.cluster_blocks;
    const occupancy_result result = occupancy(*question.limits, question.resources, question.shape, question.settings);
    advice.obstacle = obstacle_text(question, result);
    if (!advice.obstacle.empty()) return;
    advice.notes = launch_needs(question, result);
    if (advice.cluster_blocks > 1)
        advice.notes.push_back("the grid must be a multiple of " + std::to_string(advice.cluster_blocks) + " blocks");
}

block_size_advice advise(const suggest_request& request, const target& where, const std::string& name,
                         const kernel_resources& found, const kernel_info* kernel = nullptr)
{
    const std::optional<dynamic_shared_size>& dynamic = request.launch.dynamic_shared;
    block_size_advice advice{.architecture = where.architecture,
                             .limits = where.limits,
                             .kernel = name,
                             .resources = request.launch.resources(found),
                             .dynamic_shared = dynamic ? dynamic->text() : "",
                             .candidates = {},
                             .sms = request.sms ? request.sms : where.sms};
    advice.gpu = where.gpu;
    std::int64_t fixed_bytes = 0;  // without an expression
    if (kernel != nullptr && !dynamic) {
        advice.dynamic_shared_known = !dynamic_shared_unknown(*kernel);
        fixed_bytes = std::max<std::int64_t>(0, kernel->launches.dynamic_shared_bytes.value_or(0));
        if (fixed_bytes > 0) advice.dynamic_shared = std::to_string(fixed_bytes);
    }
    const auto bytes_for = [&](int threads) {
        const std::int64_t size = dynamic ? dynamic->unchecked_bytes(threads) : fixed_bytes;
        if (size < 0) check_bytes(size, "--dynamic-shared for " + std::to_string(threads) + " threads");
        return size;
    };

    block_size_request sizes = request.sizes;
    if (sizes.cluster_blocks == 1 && kernel != nullptr)
        sizes.cluster_blocks = std::max(1, cluster_blocks(*kernel).value_or(1));
    advice.cluster_blocks = sizes.cluster_blocks;
    const launch_settings settings = request.launch.settings(where, advice.resources, 0);

    for_each_block_size(
        *where.limits, advice.resources, bytes_for, sizes, settings, [&](const block_size_choice& choice) {
            if (choice.resident_blocks == 0) return;
            const launch_shape shape{.threads = choice.threads,
                                     .dynamic_shared_bytes = choice.dynamic_shared_bytes,
                                     .cluster_blocks = sizes.cluster_blocks};
            advice.candidates.push_back({choice, occupancy(*where.limits, advice.resources, shape, settings),
                                         check_rules(*where.limits, advice.resources, choice, settings,
                                                     {.shared = advice.dynamic_shared_known})});
        });
    std::ranges::sort(
        advice.candidates,
        [&](const block_size_choice& a, const block_size_choice& b) { return is_preferred(a, b, sizes.ties); },
        &block_size_candidate::choice);
    if (advice.candidates.size() > request.top) advice.candidates.resize(request.top);
    add_what_a_launch_needs(advice, settings, bytes_for);
    return advice;
}

}  // namespace

std::vector<block_size_advice> block_sizes_of_figures(const suggest_request& request)
{
    if (!request.launch.registers)
        throw error("suggest needs --registers", "add --registers 40, or name a source file to take them from");
    request.launch.refuse_registers(request.architectures.gpus());
    const std::vector<target> targets =
        request.architectures.empty() ? std::vector{target_of_this_machine()} : request.architectures.gpus();
    request.launch.refuse_registers(targets);
    std::vector<block_size_advice> all;
    for (const target& where : targets) all.push_back(advise(request, where, "", {}));
    return all;
}

std::vector<block_size_advice> block_sizes_of_kernels(const suggest_request& request, kernel_input& input)
{
    std::vector<block_size_advice> all;
    const std::vector<target> named = request.architectures.gpus();
    request.launch.refuse_registers(named);
    for (const found_kernel& kernel : input.kernels) {
        const auto question = question_for(kernel.info, 1);
        if (!question || !(question->shared_known || request.launch.static_shared_bytes)) {
            input.leave_out(kernel, true);
            continue;
        }
        std::string fixed = kernel.info.launches.fixed_block_size;
        if (const block_size_use use = block_size_use_of(kernel.info);
            fixed.empty() && use.freedom == block_size_freedom::fixed && !kernel.info.launches.triton_warps)
            fixed = use.reason;
        for (const target& where : targets_of_kernel(question->architecture, named)) {
            all.push_back(advise(request, where, kernel.info.short_form, resources_of(kernel.info), &kernel.info));
            if (fixed.empty()) continue;
            all.back().fixed = fixed;
            all.back().candidates.clear();
        }
    }
    return all;
}

}  // namespace launchbox
