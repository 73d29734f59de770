// launchbox inspect: registers, spills, stack, shared memory, barriers and bounds of every kernel, and what they mean.
#include <memory>

#include "advice/kernel_question.hpp"
#include "cli/kernel_input.hpp"
#include "cli/verbs.hpp"
#include "report/kernels_report.hpp"

namespace launchbox::cli {

namespace {

struct inspect_options {
    kernel_input_options input;
    output_options output;
    std::optional<int> threads;
};

inspection inspect(const kernel_input& input, std::optional<int> threads)
{
    inspection found;
    for (const input_summary& each : input.inputs)
        found.inputs.push_back({each.file, each.kind, each.kernels, each.errors});
    for (const found_kernel& kernel : input.kernels) {
        inspected_kernel result{kernel.info, kernel.demangled, kernel.short_form, std::nullopt,
                                diagnose(kernel.info, threads)};
        if (std::optional<occupancy_question> question = question_for(kernel.info, threads)) {
            question->kernel = kernel.short_form;
            result.account = explain(*question);
        }
        found.kernels.push_back(std::move(result));
    }
    return found;
}

exit_status run_inspect(const inspect_options& options, const call_context& context)
{
    const kernel_input input = read_kernels(options.input, context.compiler_flags);
    const inspection found = inspect(input, options.threads);
    write_report(options.output, {[&](const output_style&) { return kernels_document(found); },
                                  [&] { return kernels_json(found); }, [&] { return kernels_table(found); }});
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
