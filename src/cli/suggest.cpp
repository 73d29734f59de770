// launchbox suggest: the block size with the most resident threads, the runners-up, and the rules of thumb.
// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "app/block_sizes.hpp"
#include "cli/kernel_options.hpp"
#include "cli/messages.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/occupancy/suggest_report.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

struct suggest_options {
    kernel_options input;
    launch_options launch;
    output_options output;
    suggest_request typed;  // filled by CLI11
    std::string ties = "balanced";
};

suggest_request request_of(const suggest_options& options)
{
    suggest_request request = options.typed;
    request.architectures = architecture_list(options.input.architectures);
    request.launch = options.launch.figures();
    request.sizes.ties = options.ties == "smallest"  ? tie_policy::smallest
                         : options.ties == "largest" ? tie_policy::largest
                                                     : tie_policy::balanced;
    return request;
}

exit_status run_suggest(const suggest_options& options, const call_context& context)
{
    check_output(options.output.file);
    const suggest_request request = request_of(options);
    std::vector<block_size_advice> all;
    std::vector<inspected_input> inputs;
    exit_status status = exit_status::done;
    if (options.input.typed.files.empty()) {
        options.input.refuse_without_file("suggest", context);
        all = block_sizes_of_figures(request);
    } else {
        kernel_request wanted = options.input.request(context);
        wanted.sizes_vary = true;  // other block sizes may use different dynamic shared memory
        catch_interrupts();
        kernel_input input = read_kernels(wanted, terminal_listener());
        all = block_sizes_of_kernels(request, input);
        input.refuse_nothing();
        print_kinds_of_code(input);
        print_errors(input);
        status = input.status();
        if (all.empty()) return status;
        inputs = input.inspected();
    }
    write_report(options.output, with_skipped({[&](const output_style&) { return suggest_document(all); },
                                               [&] { return suggest_json(all); }, [&] { return suggest_table(all); }},
                                              inputs));
    return status;
}

}  // namespace

void add_suggest(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("suggest", "Find the block size that keeps the most threads resident, and why");
    auto options = std::make_shared<suggest_options>();
    options->input.add_to(*verb, false);
    options->launch.add_to(*verb);
    verb->add_option("--limit", options->typed.sizes.max_threads, "Only block sizes up to this; 0: no limit")
        ->transform(whole_number(0, std::numeric_limits<int>::max()))
        ->type_name("N");
    verb->add_option("--multiple", options->typed.sizes.multiple, "Only block sizes that are a multiple of this")
        ->transform(whole_number(1, max_threads_per_block))
        ->type_name("N");
    verb->add_option(
            "--ties", options->ties,
            "Which of equally good block sizes comes first: balanced (128 to 256 threads), largest (as CUDA chooses) "
            "or smallest")
        ->check(one_of({"balanced", "largest", "smallest"}))
        ->type_name("WORD");
    verb->add_option("--cluster", options->typed.sizes.cluster_blocks,
                     "Blocks per cluster; default: the kernel's own (__cluster_dims__)")
        ->transform(whole_number(1, 64))
        ->type_name("N");
    verb->add_option("--top", options->typed.top, "Number of block sizes to show")
        ->transform(whole_number(1, 1024))
        ->type_name("N");
    verb->add_option("--sms", options->typed.sms, "SMs of the GPU")->transform(whole_number(1, 4096))->type_name("N");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox suggest --arch sm_90 --registers 40 --dynamic-shared '4*threads'",
                 "launchbox suggest --arch all --registers 64 --ties smallest --format csv");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_suggest(*options, context); }; });
}

}  // namespace launchbox::cli
