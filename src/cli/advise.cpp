// launchbox advise: what to do with the kernels of a source.
// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "app/advise.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/source_options.hpp"
#include "cli/verbs.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

struct advise_options {
    source_options source;
    bool all = false;
    output_options output;
};

exit_status run_advise(const advise_options& options, const call_context& context)
{
    check_output(options.output.file);
    const source_bounds_request request = options.source.request(context);
    catch_interrupts();
    const advice_result found = find_advice(request, terminal_listener());
    if (found.interrupted) say("interrupted; the finished part is shown");
    write_report(options.output,
                 {[&](const output_style& style) { return advice_document(found.report, options.all, style); },
                  [&] { return advice_json(found.report); }, [&] { return advice_table(found.report); }});
    return found.interrupted ? exit_status::interrupted : found.status;
}

}  // namespace

void add_advise(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "advise",
        "Show what to change in a kernel: its figures, its launches, the bound to write, and what to try next");
    auto options = std::make_shared<advise_options>();
    options->source.add_to(*verb);
    verb->add_flag("--all", options->all, "Also show the reasons and all notes");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox advise examples/merge.cu --arch sm_80,sm_90 --kernel 'merge_tiles_greedy*'",
                 "launchbox advise examples/merge.cu --arch sm_90 --kernel 'merge_tiles<*' --format json");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_advise(*options, context); }; });
}

}  // namespace launchbox::cli
