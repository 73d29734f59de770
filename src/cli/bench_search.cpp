// launchbox bench-search: evaluates the search strategies by replaying recorded spaces.
// SPDX-License-Identifier: Apache-2.0
#include <memory>
#include <string>
#include <vector>

#include "app/results/search_comparison.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

struct bench_options {
    search_request typed;  // filled by CLI11
    std::vector<std::string> folders;
    std::string leave_out;
    output_options output;
};

exit_status run_bench(const bench_options& options)
{
    check_output(options.output.file);
    search_request request = options.typed;
    request.paths.insert(request.paths.end(), options.folders.begin(), options.folders.end());
    if (!options.leave_out.empty())
        request.leave_out = options.leave_out == "gpu" ? left_out::gpu : left_out::architecture;
    catch_interrupts();
    const search_comparison compared = compare_searches(request, terminal_listener());
    const search_bench& bench = compared.bench;
    if (bench.interrupted) say("interrupted; the finished part is shown");
    if (request.leave_out && bench.held_out.empty() && !bench.interrupted)
        throw error("no space with candidates to choose from is recorded on two GPUs or more",
                    "name the records of one kernel on several GPUs");
    if (bench.workloads.empty() && bench.held_out.empty() && !bench.interrupted)
        throw error("no file contains a recorded space", "name stores of launchbox tune, or files of other tuners");
    write_report(options.output,
                 {[&bench](const output_style&) { return search_bench_document(bench); },
                  [&bench] { return search_bench_json(bench); }, [&bench] { return search_bench_table(bench); }});
    return bench.interrupted ? exit_status::interrupted : compared.status;
}

}  // namespace

void add_bench_search(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("bench-search", "Compare search strategies by replaying recorded runs");
    auto options = std::make_shared<bench_options>();
    verb->add_option("files", options->typed.paths,
                     "Stores (.db), JSON of launchbox results, files of other tuners; or folders with such files")
        ->type_name("FILE|FOLDER");
    verb->add_option("--data", options->folders, "An additional folder or file")->type_name("PATH");
    verb->add_option("--strategy", options->typed.strategies,
                     "Strategies, separated by commas (default: all but exhaustive)")
        ->delimiter(',')
        ->type_name("NAME,...");
    verb->add_option("--repeats", options->typed.repeats, "Searches with each strategy (default 100)")
        ->type_name("N")
        ->transform(whole_number(1, 1'000'000));
    verb->add_option("--most", options->typed.max_evaluations, "Evaluations after which a search ends (default 1000)")
        ->type_name("N")
        ->transform(whole_number(1, 20'000'000));
    verb->add_option("--seed", options->typed.seed, "Seed of the first search; the others follow from it (default 1)")
        ->type_name("N")
        ->transform(whole_number(0));
    verb->add_option(
            "--leave-one-out", options->leave_out,
            "Instead of searching: hold out each GPU (gpu) or each architecture (architecture), choose its row "
            "from the other records, and report the loss")
        ->check(one_of({"gpu", "architecture"}))
        ->type_name("BY");
    options->output.add_to(*verb);
    add_examples(*verb,
                 "launchbox bench-search measurements/nvidia-h200/tune_block_sort.json --strategy local --repeats 3",
                 "launchbox bench-search measurements/nvidia-h200/tune_block_sort.json --strategy auto --repeats 3 "
                 "--most 100 --format csv");
    verb->callback([options, &context] { context.action = [options] { return run_bench(*options); }; });
}

}  // namespace launchbox::cli
