// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/measure_bounds.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "compiler/run/bound_injection.hpp"
#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "support/process/command_words.hpp"
#include "tune/bench/bounds_race.hpp"

namespace launchbox {

namespace {

const kernel_info* compiled_with(const kernel_trials& kernel, const launch_attribute& attribute)
{
    const auto found = std::find_if(kernel.trials.begin(), kernel.trials.end(), [&](const bounds_trial& trial) {
        return trial.compiled() && trial.attribute == attribute;
    });
    return found == kernel.trials.end() ? nullptr : &found->kernel;
}

std::optional<bounds_variant> variant_of(const kernel_trials& kernel, const bounds_row& row, int threads)
{
    // The source as it is needs nothing injected; among attributes with the same code, the weakest stands for all.
    launch_attribute attribute = row.attributes.empty() ? launch_attribute{} : row.attributes.front();
    const kernel_info* expected = row.as_written ? &kernel.written : compiled_with(kernel, attribute);
    if (row.as_written) attribute = kernel.attribute;
    if (expected == nullptr) return std::nullopt;
    return bounds_variant{.attribute = attribute_source(attribute),
                          .header = row.as_written ? ""
                                                   : injection_header({{.declared_at = kernel.declared_at.value(),
                                                                        .attribute_at = kernel.attribute_at,
                                                                        .attribute = attribute}}),
                          .threads = threads,
                          .min_blocks = attribute.min_blocks,
                          .max_registers = attribute.max_registers,
                          .expected = *expected};
}

bool worth_measuring(const bounds_row& row)
{
    const bool without =
        std::any_of(row.attributes.begin(), row.attributes.end(), [](const launch_attribute& a) { return a.empty(); });
    return row.launches() && (row.pareto || row.recommended || row.as_written || without);
}

std::string name_of(const bounds_variant& variant)
{
    return fmt::format("{} with {} threads", variant.attribute.empty() ? "no bound" : variant.attribute,
                       variant.threads);
}

void measure_kernel(const toolchain& tools, bounds_benchmark& benchmark, const kernel_trials& kernel,
                    bounds_answer& answer, std::vector<std::string>& failures, const listener& news)
{
    std::vector<bounds_variant> variants;
    std::vector<bounds_row*> rows;
    for (block_size_answer& size : answer.block_sizes)
        for (bounds_row& row : size.rows)
            if (worth_measuring(row))
                if (const std::optional<bounds_variant> variant = variant_of(kernel, row, size.threads)) {
                    variants.push_back(*variant);
                    rows.push_back(&row);
                }
    const progress_function show = news.begin_progress("builds and runs");
    const std::vector<variant_time> times =
        race_bounds(tools, benchmark, variants,
                    [&](std::size_t done, std::size_t total) { show("measuring " + answer.short_form, done, total); });
    for (std::size_t i = 0; i < times.size(); ++i) {
        rows[i]->measured = {.time = summarise(times[i].times_ns), .failure = times[i].failure};
        if (!times[i].failure.empty())
            failures.push_back(answer.short_form + ", " + name_of(variants[i]) + ": " + times[i].failure);
    }
    // A remark that is the same for every variant is shown once.
    std::vector<std::string> notes;
    for (const variant_time& time : times)
        if (!time.note.empty() && std::find(notes.begin(), notes.end(), time.note) == notes.end())
            notes.push_back(time.note);
    for (const std::string& note : notes) news.say(answer.short_form + ": " + note);
    conclude(answer);
}

}  // namespace

bounds_conditions conditions_for(const benchmark_request& benchmark, const std::vector<target>& targets)
{
    const gpu_list gpus = find_gpus();
    bounds_conditions result{.architecture = {},
                             .gpu = {},
                             .driver = gpus.driver_version,
                             .command = benchmark.run.text,
                             .build = benchmark.build.text,
                             .runs = benchmark.runs,
                             .date = fmt::format("{:%Y-%m-%d}", fmt::gmtime(std::time(nullptr)))};
    if (gpus.devices.empty()) {
        if (targets.size() > 1)
            throw error("this machine has no GPU, so the architecture on which the benchmark runs is unknown",
                        "name only that one: --arch sm_90");
        result.architecture = targets.front().architecture;
        return result;
    }
    const gpu_device& gpu = gpus.devices.front();
    const auto found = std::find_if(targets.begin(), targets.end(), [&](const target& wanted) {
        return wanted.architecture.major == gpu.capability.major && wanted.architecture.minor == gpu.capability.minor;
    });
    if (found == targets.end())
        throw error("the GPU of this machine is " + std::string(architecture_name(gpu.capability).view()) +
                        ", which is not in --arch",
                    "add it to --arch, or leave --measure out");
    result.architecture = found->architecture;
    result.gpu = gpu.name;
    return result;
}

std::vector<std::string> measure_bounds(const toolchain& tools, const benchmark_request& request,
                                        const bounds_conditions& conditions, const measured_source& source,
                                        const std::vector<kernel_trials>& trials, std::vector<bounds_answer>& answers,
                                        const listener& news)
{
    bounds_benchmark benchmark{.source = source.file,
                               .flags = source.flags,
                               .architecture = conditions.architecture,
                               .command = request.run.words,
                               .build = request.build.words,
                               .race = {.runs = request.runs, .time_limit = request.time_limit},
                               .jobs = source.jobs};
    const bool told = mentions(benchmark.command, "threads") || mentions(benchmark.build, "threads");
    std::vector<std::string> failures;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        if (answers[i].capability != conditions.architecture || !answers[i].not_swept.empty()) continue;
        if (answers[i].block_sizes.size() > 1 && !told)
            news.say(answers[i].short_form +
                     ": the benchmark gets the block size only from LAUNCHBOX_THREADS in its environment; {threads} in "
                     "the command passes it as an argument");
        measure_kernel(tools, benchmark, trials[i], answers[i], failures, news);
    }
    return failures;
}

}  // namespace launchbox
