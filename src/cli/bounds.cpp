// launchbox bounds: the launch bound to write, found by compiling with every one that can make a difference.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <memory>

#include "advice/bounds/bounds_plan.hpp"
#include "advice/bounds/bounds_sweep.hpp"
#include "cli/bounds_apply.hpp"
#include "cli/bounds_measure.hpp"
#include "cli/kernel_input.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/toolchain.hpp"
#include "report/bounds/bounds_report.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

struct bounds_options {
    std::string file, kernel, architectures, nvcc, threads;
    std::optional<std::string> dynamic_shared, max_dynamic_shared;
    unsigned jobs = 0;
    bool no_cache = false, apply = false, revert = false;
    measure_options measure;
    output_options output;
};

std::vector<int> parse_threads(const std::string& list)
{
    std::vector<int> threads;
    for (std::size_t start = 0; !list.empty() && start <= list.size();) {
        const std::size_t end = std::min(list.find(',', start), list.size());
        int value = 0;
        const auto [stop, failure] = std::from_chars(list.data() + start, list.data() + end, value);
        if (failure != std::errc() || stop != list.data() + end || value < 1 || value > max_threads_per_block)
            throw error("--threads: '" + list.substr(start, end - start) + "' is no block size",
                        "write numbers from 1 to 1024: --threads 128,256");
        threads.push_back(value);
        start = end + 1;
    }
    std::sort(threads.begin(), threads.end());
    threads.erase(std::unique(threads.begin(), threads.end()), threads.end());
    return threads;
}

bounds_launch launch_of(const bounds_options& options)
{
    bounds_launch launch;
    if (options.dynamic_shared) launch.dynamic_shared_bytes = parse_bytes(*options.dynamic_shared, "--dynamic-shared");
    if (options.max_dynamic_shared)
        launch.max_dynamic_shared_bytes = parse_bytes(*options.max_dynamic_shared, "--max-dynamic-shared");
    return launch;
}

// Compiles the source with every attribute that can make a difference.
bounds_sweep_result sweep_source(const bounds_options& options, const bounds_launch& launch,
                                 const std::vector<int>& threads, const toolchain& tools,
                                 const std::vector<target>& targets, const call_context& context)
{
    bounds_request request{
        .source = options.file,
        .architectures = {},
        .flags = flags_for_nvcc(context.compiler_flags),
        .jobs = options.jobs,
        .cache_folder = options.no_cache ? std::filesystem::path{} : default_cache_folder(),
        .wanted =
            [&](const kernel_info& kernel, const std::string& demangled, const std::string& short_form) {
                return options.kernel.empty() || matches_kernel(options.kernel, kernel.name, demangled, short_form);
            },
        .threads = threads};
    for (const target& target : targets) request.architectures.push_back(target.architecture);
    progress_line line("compiles");
    bounds_sweep_result sweep = sweep_bounds(
        tools, request,
        [&](const kernel_trials& kernel) { return useful_attributes(kernel, launch.dynamic_shared_bytes); },
        [&](std::size_t done, std::size_t total) { line.show(options.file, done, total); });
    bring_together(sweep.kernels);
    return sweep;
}

void refuse_no_kernels(const bounds_options& options, const bounds_sweep_result& sweep)
{
    if (!sweep.kernels.empty() || !sweep.errors.empty() || sweep.interrupted) return;
    if (sweep.all_kernels.empty())
        throw error(options.file + " has no __global__ function that is instantiated",
                    "instantiate its templates, or name the file that does");
    refuse_pattern(options.kernel, sweep.all_kernels);
}

bounds_report report_of(const bounds_options& options, const bounds_launch& launch, const toolchain& tools,
                        const bounds_sweep_result& sweep)
{
    bounds_report report{.inputs = {{.file = options.file,
                                     .kind = "CUDA source",
                                     .kernels = sweep.kernels.size(),
                                     .errors = sweep.errors,
                                     .images = {}}},
                         .answers = {},
                         .compiler = tools.version,
                         .compiles = sweep.compiles,
                         .from_cache = sweep.from_cache};
    for (const kernel_trials& kernel : sweep.kernels) report.answers.push_back(answer_bounds(kernel, launch));
    return report;
}

exit_status run_bounds(const bounds_options& options, const call_context& context)
{
    if (options.revert) return revert_bounds(options.file);
    const std::string text = read_file(options.file);  // a missing file is said so before a compiler is looked for
    check_output(options.output.file);
    const bounds_launch launch = launch_of(options);
    const std::vector<int> threads = parse_threads(options.threads);
    const toolchain tools = find_toolchain(options.nvcc);
    const std::vector<target> targets = source_targets(options.architectures, tools);
    std::optional<bounds_conditions> conditions;
    if (!options.measure.command.empty()) conditions = conditions_for(options.measure, targets);

    catch_interrupts();
    const bounds_sweep_result sweep = sweep_source(options, launch, threads, tools, targets, context);
    exit_status status = sweep.errors.empty() ? exit_status::done : exit_status::bad_input;
    for (const std::string& failure : sweep.errors) say(options.file + ": " + failure);
    refuse_no_kernels(options, sweep);

    bounds_report report = report_of(options, launch, tools, sweep);
    report.measured = conditions;
    if (conditions && !interrupted()) {
        const std::vector<std::string> failures =
            measure_bounds(tools, options.measure, *conditions, options.file, context.compiler_flags, options.jobs,
                           sweep.kernels, report.answers);
        for (const std::string& failure : failures) say(failure);
        if (!failures.empty()) status = exit_status::bad_input;
    }
    report.overview = overview_of(report.answers);
    const bool stopped = sweep.interrupted || interrupted();
    if (stopped) say("interrupted; what was finished is shown");
    write_report(options.output, {[&](const output_style& style) { return bounds_document(report, style); },
                                  [&] { return bounds_json(report); }, [&] { return bounds_table(report); }});
    if (stopped) return exit_status::interrupted;
    if (options.apply) {
        const bool quiet = options.output.format != "table" || options.output.file.is_file();
        const exit_status applied = apply_bounds(options.file, text, by_kernel(sweep.kernels, report.answers), quiet);
        if (applied != exit_status::done) status = applied;
    }
    return status;
}

}  // namespace

void add_bounds(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "bounds", "Which launch bound to write, found by compiling with every one that can make a difference");
    auto options = std::make_shared<bounds_options>();
    verb->add_option("file", options->file, "A CUDA source; flags for nvcc follow --")->type_name("FILE")->required();
    verb->add_option("-a,--arch", options->architectures,
                     "Architectures, such as sm_80,sm_90a, or all; default: that of this machine's GPU")
        ->type_name("LIST");
    verb->add_option("-k,--kernel", options->kernel, "Only kernels that match this pattern (* ? [...])")
        ->type_name("PATTERN");
    verb->add_option("--threads", options->threads,
                     "Block sizes that you launch; default: the kernel's launch bound, else 128,256,512,1024")
        ->type_name("LIST");
    verb->add_option("--dynamic-shared", options->dynamic_shared,
                     "Dynamic shared memory per block, such as 11264 or 48K")
        ->type_name("BYTES");
    verb->add_option("--max-dynamic-shared", options->max_dynamic_shared,
                     "The limit that your program sets with cudaFuncSetAttribute; default: the maximum of the GPU")
        ->type_name("BYTES");
    options->measure.add_to(*verb);
    CLI::Option* apply = verb->add_flag("--apply", options->apply, "Show the change and write the bound into FILE");
    verb->add_flag("--revert", options->revert, "Undo the last --apply")->excludes(apply);
    verb->add_flag("--no-cache", options->no_cache, "Compile again what was compiled before");
    verb->add_option("--nvcc", options->nvcc, "nvcc, or the folder of its toolkit")->type_name("PATH");
    verb->add_option("-j,--jobs", options->jobs, "Compilers at a time; 0: one per core")
        ->check(CLI::Range(0, 1024))
        ->type_name("N");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox bounds examples/merge.cu --arch sm_90 --kernel 'merge_tiles_greedy*'",
                 "launchbox bounds examples/merge.cu --arch sm_90 --kernel 'merge_tiles_greedy*' --format csv");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_bounds(*options, context); }; });
}

}  // namespace launchbox::cli
