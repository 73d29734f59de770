// launchbox inspect: registers, spills, stack, shared memory, barriers and bounds of every kernel, and what they mean.
#include <memory>
#include <utility>

#include "cli/kernel_input.hpp"
#include "cli/verbs.hpp"
#include "report/kernels_report.hpp"

namespace launchbox::cli {

namespace {

struct inspect_options {
    kernel_input_options input;
    output_options output;
    std::optional<int> threads;
    kernel_wish wish;
};

// The kernels are moved out of the input: their names alone can be hundreds of megabytes.
inspection inspect(kernel_input& input, const inspect_options& options)
{
    inspection found;
    found.threads = options.threads;
    found.wish = options.wish;
    for (const input_summary& each : input.inputs)
        found.inputs.push_back({each.file, each.kind, each.kernels, each.errors, each.images});
    found.kernels.reserve(input.kernels.size());
    for (found_kernel& kernel : input.kernels)
        found.kernels.push_back(inspected(std::move(kernel.info), std::move(kernel.demangled),
                                          std::move(kernel.short_form), options.threads));
    input.kernels.clear();
    input.kernels.shrink_to_fit();
    return found;
}

exit_status run_inspect(const inspect_options& options, const call_context& context)
{
    kernel_input input = read_kernels(options.input, context.compiler_flags);
    inspection found = inspect(input, options);
    found.selection = select_kernels(found.kernels, options.wish);
    report_forms forms;
    forms.page = [&](const output_style& style) { return kernels_document(found, style); };
    forms.write_json = [&](std::ostream& out) { write_kernels_json(found, out); };
    forms.write_csv = [&](std::ostream& out) { write_kernels_csv(found, out); };
    write_report(options.output, forms);
    print_errors(input);
    return input.status();
}

}  // namespace

void add_inspect(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("inspect", "What the compiler made of each kernel, and what that means");
    auto options = std::make_shared<inspect_options>();
    options->input.add_to(*verb, true);
    verb->add_option("-t,--threads", options->threads, "Threads per block; else the kernel's launch bound")
        ->check(CLI::Range(1, max_threads_per_block))
        ->type_name("N");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox inspect examples/merge.cu --arch sm_80,sm_90,sm_120",
                 "nvcc -c -arch=sm_90 -Xptxas -v examples/merge.cu -o merge.o 2>&1 | launchbox inspect -");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_inspect(*options, context); }; });
}

}  // namespace launchbox::cli
