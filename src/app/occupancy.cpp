// SPDX-License-Identifier: Apache-2.0
#include "app/occupancy.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "advice/model/kernel_question.hpp"
#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

void set_grid(occupancy_question& question, const std::vector<std::int64_t>& sizes)
{
    std::int64_t blocks = 1;
    for (const std::int64_t size : sizes)
        if (__builtin_mul_overflow(blocks, size, &blocks)) blocks = std::numeric_limits<std::int64_t>::max();
    question.grid = blocks;
    if (sizes.size() == 1) return;  // the dimensions are not known
    question.grid_dimensions = {1, 1, 1};
    std::ranges::copy(sizes, question.grid_dimensions.begin());
}

occupancy_question complete(const occupancy_request& request, const target& where, occupancy_question question)
{
    question.limits = where.limits;
    question.architecture = where.architecture;
    question.resources = request.launch.resources(question.resources);
    if (request.launch.registers) question.registers_known = true;
    if (request.launch.barriers) question.barriers_known = true;
    if (request.launch.static_shared_bytes) question.shared_known = true;
    if (const std::optional<dynamic_shared_size>& size = request.launch.dynamic_shared) {
        question.shape.dynamic_shared_bytes = size->bytes(question.shape.threads);
        question.dynamic_shared_known = true;
        // For other block sizes than the launch's, an expression may have no value.
        if (size->depends_on_threads())
            question.dynamic_shared_of = [size = *size](int threads) -> std::optional<std::int64_t> {
                try {
                    return size.bytes(threads);
                } catch (const error&) {
                    return std::nullopt;
                }
            };
    }
    if (request.cluster_blocks > 1) question.shape.cluster_blocks = request.cluster_blocks;
    question.settings = request.launch.settings(where, question.resources, question.shape.dynamic_shared_bytes);
    if (!request.grid.empty()) set_grid(question, request.grid);
    question.gpu = where.gpu;
    question.sms = request.sms ? request.sms : where.sms;
    question.gpcs = request.gpcs;
    if (!question.gpcs.empty() && !request.sms) {
        int sum = 0;
        for (int gpc : question.gpcs) sum += gpc;
        question.sms = sum;
    }
    // If this machine has such a GPU, its number of SMs is meant.
    if (!question.sms && (question.grid || question.shape.cluster_blocks > 1))
        for (const gpu_device& gpu : find_gpus().devices)
            if (gpu.capability.number() == where.architecture.number()) question.sms = gpu.sms;
    const bool clusters = request.cluster_blocks > 1 &&
                          request.cluster_blocks <= detail::max_cluster_of(*where.limits, question.settings.mode, true);
    if (!question.sms && (question.grid || clusters))
        throw error(
            std::string(question.grid ? "--grid" : "--cluster") + " needs the number of SMs" +
                (where.gpu.empty() ? "" : ", which '" + escape_for_terminal(where.gpu) + "' does not determine"),
            "add --sms 132, or --gpcs with the SMs of each GPC, or name the GPU, as in --arch H100");
    question.curves = request.curves;
    question.rules = request.rules;
    return question;
}

}  // namespace

std::vector<occupancy_account> accounts_of_figures(const occupancy_request& request)
{
    if (!request.threads)
        throw error("occupancy needs --threads", "add --threads 256, or name a source file whose kernels have bounds");
    request.launch.refuse_registers(request.architectures.gpus());
    const std::vector<target> targets =
        request.architectures.empty() ? std::vector{target_of_this_machine()} : request.architectures.gpus();
    request.launch.refuse_registers(targets);
    std::vector<occupancy_account> accounts;
    for (const target& where : targets) accounts.push_back(explain(question_of_figures(request, where)));
    return accounts;
}

occupancy_question question_of_figures(const occupancy_request& request, const target& where)
{
    occupancy_question question;
    question.registers_known = false;
    question.barriers_known = false;
    question.shape.threads = request.threads.value();
    return complete(request, where, std::move(question));
}

std::vector<occupancy_account> accounts_of_kernels(const occupancy_request& request, kernel_input& input)
{
    std::vector<occupancy_account> accounts;
    const std::vector<target> gpus = request.architectures.gpus();
    request.launch.refuse_registers(gpus);
    for (const found_kernel& kernel : input.kernels) {
        std::optional<occupancy_question> question = question_for(kernel.info, request.threads);
        if (!question) {
            input.leave_out(kernel, request.threads.has_value());
            continue;
        }
        question->kernel = kernel.info.short_form;
        for (const target& where : targets_of_kernel(question->architecture, gpus))
            accounts.push_back(explain(complete(request, where, *question)));
    }
    return accounts;
}

}  // namespace launchbox
