// SPDX-License-Identifier: Apache-2.0
#include "app/advise.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <span>

#include "advice/lint/launched_kernels.hpp"
#include "app/bounds/folder_bounds.hpp"
#include "app/input/folder_files.hpp"

namespace launchbox {

namespace {

// The GPU models that the user named for an architecture: "H100", "H100, H200".
std::string gpus_of(const compute_capability& architecture, const std::vector<target>& named)
{
    std::vector<std::string> gpus;
    for (const target& one : named)
        if (one.architecture == architecture && !one.gpu.empty()) gpus.push_back(one.gpu);
    return fmt::format("{}", fmt::join(gpus, ", "));
}

}  // namespace

advice_result find_advice(const source_bounds_request& request, const listener& news)
{
    const source_bounds found = find_all_bounds(request, news);
    advice_result result{
        .report = {.file = request.file, .compiler = found.report.compiler, .kernels = {}, .errors = {}},
        .interrupted = found.interrupted,
        .status = found.status};
    for (const inspected_input& input : found.report.inputs)
        result.report.errors.insert(result.report.errors.end(), input.errors.begin(), input.errors.end());
    const std::vector<target> named = request.architectures.gpus();
    const std::span answers(found.report.answers);
    const std::span trials(found.trials);
    for (const kernel_bounds& kernel : found.report.overview.kernels) {
        const auto own = answers.subspan(kernel.first, kernel.count);
        std::vector<std::string> gpus;
        for (const bounds_answer& answer : own)
            gpus.push_back(answer.capability ? gpus_of(*answer.capability, named) : std::string());
        result.report.kernels.push_back(
            advise(own, trials.subspan(kernel.first, kernel.count), found.uses[kernel.first], gpus));
        kernel_advice& advice = result.report.kernels.back();
        if (!is_folder(request.file))
            advice.next_step =
                fmt::format("launchbox tune --init {} -k '{}' -o {}.toml{}{}", request.file, advice.short_form,
                            function_name(advice.short_form), request.compiler_flags.empty() ? "" : " -- ",
                            fmt::join(request.compiler_flags, " "));
    }
    sort_worst_first(result.report.kernels);
    return result;
}

}  // namespace launchbox
