// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/source_bounds.hpp"

#include "advice/bounds/bounds_plan.hpp"
#include "advice/bounds/bounds_sweep.hpp"
#include "app/input/kernel_pattern.hpp"
#include "app/input/source_input.hpp"
#include "compiler/run/compile_cache.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/text/matching.hpp"

namespace launchbox {

namespace {

// Compiles the source with every attribute that can make a difference.
bounds_sweep_result sweep_source(const source_bounds_request& request, const toolchain& tools,
                                 const std::vector<target>& targets, const listener& news)
{
    bounds_request compiles{
        .source = request.file,
        .architectures = {},
        .flags = flags_for_nvcc(request.compiler_flags),
        .jobs = request.jobs,
        .cache_folder = request.no_cache ? std::filesystem::path{} : default_cache_folder(),
        .wanted =
            [&](const kernel_info& kernel, const std::string& demangled, const std::string& short_form) {
                return request.kernel.empty() || matches_kernel(request.kernel, kernel.name, demangled, short_form);
            },
        .threads = request.threads};
    for (const target& target : targets) compiles.architectures.push_back(target.architecture);
    const progress_function show = news.begin_progress("compiles");
    bounds_sweep_result sweep = sweep_bounds(
        tools, compiles,
        [&](const kernel_trials& kernel) { return useful_attributes(kernel, request.launch.dynamic_shared_bytes); },
        [&](std::size_t done, std::size_t total) { show(request.file, done, total); });
    bring_together(sweep.kernels);
    return sweep;
}

void refuse_no_kernels(const source_bounds_request& request, const bounds_sweep_result& sweep)
{
    if (request.of_folder || !sweep.kernels.empty() || !sweep.errors.empty() || sweep.interrupted) return;
    if (sweep.all_kernels.empty())
        throw error(request.file + " has no instantiated __global__ function",
                    "instantiate its templates, or name the file that does");
    refuse_pattern(request.kernel, sweep.all_kernels);
}

bounds_report report_of(const source_bounds_request& request, const toolchain& tools, const bounds_sweep_result& sweep)
{
    bounds_report report{.inputs = {{.file = request.file,
                                     .kind = "CUDA source",
                                     .kernels = sweep.kernels.size(),
                                     .errors = sweep.errors,
                                     .images = {}}},
                         .answers = {},
                         .compiler = tools.version,
                         .compiles = sweep.compiles,
                         .from_cache = sweep.from_cache};
    for (const kernel_trials& kernel : sweep.kernels) report.answers.push_back(answer_bounds(kernel, request.launch));
    return report;
}

}  // namespace

source_bounds find_bounds(const source_bounds_request& request, const listener& news)
{
    source_bounds found;
    found.text = read_file(request.file);  // a missing file is said so before a compiler is looked for
    const toolchain tools = find_toolchain(request.nvcc);
    const std::vector<target> targets = source_targets(request.architectures, tools);
    std::optional<bounds_conditions> conditions;
    if (request.measure) conditions = conditions_for(*request.measure, targets);

    bounds_sweep_result sweep = sweep_source(request, tools, targets, news);
    if (!sweep.errors.empty()) found.status = exit_status::bad_input;
    for (const std::string& failure : sweep.errors) news.say(request.file + ": " + failure);
    refuse_no_kernels(request, sweep);

    found.report = report_of(request, tools, sweep);
    found.report.measured = conditions;
    if (conditions && !interrupted()) {
        const std::vector<std::string> failures =
            measure_bounds(tools, *request.measure, *conditions,
                           {.file = request.file, .flags = request.compiler_flags, .jobs = request.jobs}, sweep.kernels,
                           found.report.answers, news);
        for (const std::string& failure : failures) news.say(failure);
        if (!failures.empty()) found.status = exit_status::bad_input;
    }
    found.report.overview = overview_of(found.report.answers);
    found.interrupted = sweep.interrupted || interrupted();
    found.trials = std::move(sweep.kernels);
    return found;
}

}  // namespace launchbox
