// launchbox suggest: the block size with which most threads are resident, the runners-up, and the rules of thumb.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <limits>
#include <memory>

#include "advice/model/kernel_question.hpp"
#include "cli/kernel_input.hpp"
#include "cli/launch_options.hpp"
#include "cli/verbs.hpp"
#include "report/kernels/suggest_report.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox::cli {

namespace {

struct suggest_options {
    kernel_input_options input;
    launch_options launch;
    output_options output;
    block_size_request request;
    std::string ties = "largest";
    std::size_t top = 6;
    std::optional<int> sms;
};

// Why nothing can be launched, told of the smallest block; else what the suggested one needs.
void add_what_a_launch_needs(block_size_advice& advice, const launch_settings& settings,
                             const std::function<std::int64_t(int)>& bytes_for)
{
    occupancy_question question;
    question.limits = advice.limits;
    question.architecture = advice.architecture;
    question.resources = advice.resources;
    question.settings = settings;
    question.shape.threads = advice.candidates.empty() ? warp_size : advice.candidates.front().choice.threads;
    question.shape.dynamic_shared_bytes = bytes_for(question.shape.threads);
    question.shape.cluster_blocks = advice.cluster_blocks;
    const occupancy_result result = occupancy(*question.limits, question.resources, question.shape, question.settings);
    advice.obstacle = obstacle_text(question, result);
    if (!advice.obstacle.empty()) return;
    advice.notes = launch_needs(question, result);
    if (advice.cluster_blocks > 1)
        advice.notes.push_back("the grid must be a multiple of " + std::to_string(advice.cluster_blocks) + " blocks");
}

block_size_advice advise(const suggest_options& options, const target& where, const std::string& name,
                         const kernel_resources& found, const kernel_info* kernel = nullptr)
{
    block_size_advice advice{.architecture = where.architecture,
                             .limits = where.limits,
                             .kernel = name,
                             .resources = options.launch.resources(found),
                             .dynamic_shared = {},
                             .candidates = {},
                             .sms = options.sms ? options.sms : where.sms};
    advice.gpu = where.gpu;
    advice.dynamic_shared = options.launch.dynamic_shared.value_or("");
    std::string size = options.launch.dynamic_expression();
    if (kernel != nullptr && !options.launch.dynamic_shared) {
        advice.dynamic_shared_known = !dynamic_shared_unknown(*kernel);
        if (kernel->dynamic_shared_bytes.value_or(0) > 0)
            size = advice.dynamic_shared = std::to_string(*kernel->dynamic_shared_bytes);
    }
    const value_expression bytes(size);
    const auto bytes_for = [&](int threads) {
        const std::int64_t size = bytes.integer({{{"threads", std::int64_t{threads}}}});
        if (size < 0)
            throw error(
                "--dynamic-shared '" + bytes.text() + "' is negative for " + std::to_string(threads) + " threads",
                "sizes start at 0");
        return size;
    };

    block_size_request request = options.request;
    if (request.cluster_blocks == 1 && kernel != nullptr)
        request.cluster_blocks = std::max(1, cluster_blocks(*kernel).value_or(1));
    request.ties = options.ties == "smallest"      ? tie_policy::smallest
                   : options.ties == "most-blocks" ? tie_policy::max_blocks
                                                   : tie_policy::largest;
    advice.cluster_blocks = request.cluster_blocks;
    const launch_settings settings = options.launch.settings(where, advice.resources, 0);

    for_each_block_size(
        *where.limits, advice.resources, bytes_for, request, settings, [&](const block_size_choice& choice) {
            if (choice.resident_blocks == 0) return;
            const launch_shape shape{.threads = choice.threads,
                                     .dynamic_shared_bytes = choice.dynamic_shared_bytes,
                                     .cluster_blocks = request.cluster_blocks};
            advice.candidates.push_back({choice, occupancy(*where.limits, advice.resources, shape, settings),
                                         check_rules(*where.limits, advice.resources, choice, settings)});
        });
    // Candidates come from the largest block down, and the order of equals is kept: best first, as the policy says.
    std::stable_sort(advice.candidates.begin(), advice.candidates.end(),
                     [&](const block_size_candidate& a, const block_size_candidate& b) {
                         if (a.choice.resident_threads() != b.choice.resident_threads())
                             return a.choice.resident_threads() > b.choice.resident_threads();
                         return a.choice.threads < b.choice.threads && is_preferred(a.choice, b.choice, request.ties);
                     });
    if (advice.candidates.size() > options.top) advice.candidates.resize(options.top);
    add_what_a_launch_needs(advice, settings, bytes_for);
    return advice;
}

exit_status run_suggest(const suggest_options& options, const call_context& context)
{
    check_output(options.output.file);
    std::vector<block_size_advice> all;
    std::vector<inspected_input> inputs;
    exit_status status = exit_status::done;
    if (options.input.files.empty()) {
        if (!options.launch.registers)
            throw error("suggest needs --registers", "add --registers 40, or name a source file to take them from");
        std::vector<target> targets;
        if (options.input.architectures.empty())
            targets.push_back(target_of_this_machine());
        else
            targets = parse_gpu_targets(options.input.architectures, known_capabilities());
        for (const target& where : targets) all.push_back(advise(options, where, "", {}));
    } else {
        kernel_input_options wanted = options.input;
        wanted.launches = false;  // other block sizes may come with other dynamic shared memory
        kernel_input input = read_kernels(wanted, context.compiler_flags);
        std::vector<target> named;
        if (!options.input.architectures.empty())
            named = parse_gpu_targets(options.input.architectures, known_capabilities());
        for (const found_kernel& kernel : input.kernels) {
            const auto question = question_for(kernel.info, 1);
            if (!question || !(question->shared_known || options.launch.shared)) {
                input.leave_out(kernel, true);
                continue;
            }
            for (const target& where : targets_of_kernel(question->architecture, named))
                all.push_back(advise(options, where, kernel.short_form, resources_of(kernel.info), &kernel.info));
        }
        refuse_nothing(input);
        print_kinds_of_code(input);
        print_errors(input);
        status = input.status();
        if (all.empty()) return status;
        inputs = inspected_inputs(input);
    }
    write_report(options.output, with_skipped({[&](const output_style&) { return suggest_document(all); },
                                               [&] { return suggest_json(all); }, [&] { return suggest_table(all); }},
                                              inputs));
    return status;
}

}  // namespace

void add_suggest(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("suggest", "Which block size keeps the most threads resident, and why");
    auto options = std::make_shared<suggest_options>();
    options->input.add_to(*verb, false);
    options->launch.add_to(*verb);
    verb->add_option("--limit", options->request.max_threads, "Only block sizes up to this; 0: no limit")
        ->check(CLI::Range(0, std::numeric_limits<int>::max()))
        ->type_name("N");
    verb->add_option("--multiple", options->request.multiple, "Only block sizes that are a multiple of this")
        ->check(CLI::Range(1, max_threads_per_block))
        ->type_name("N");
    verb->add_option(
            "--ties", options->ties,
            "Which of equally good block sizes comes first: largest (as CUDA chooses), smallest or most-blocks")
        ->check(CLI::IsMember({"largest", "smallest", "most-blocks"}))
        ->type_name("WORD");
    verb->add_option("--cluster", options->request.cluster_blocks,
                     "Blocks per cluster; default: the kernel's own (__cluster_dims__)")
        ->check(CLI::Range(1, 64))
        ->type_name("N");
    verb->add_option("--top", options->top, "Number of block sizes to show")
        ->check(CLI::Range(1, 1024))
        ->type_name("N");
    verb->add_option("--sms", options->sms, "SMs of the GPU")->check(CLI::Range(1, 4096))->type_name("N");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox suggest --arch sm_90 --registers 40 --dynamic-shared '4*threads'",
                 "launchbox suggest --arch all --registers 64 --ties smallest --format csv");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_suggest(*options, context); }; });
}

}  // namespace launchbox::cli
