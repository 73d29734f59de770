// launchbox occupancy: the full account of one launch, or of every kernel of a file.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>
#include <memory>
#include <optional>

#include "advice/model/kernel_question.hpp"
#include "cli/calculator_address.hpp"
#include "cli/chart_files.hpp"
#include "cli/kernel_input.hpp"
#include "cli/launch_options.hpp"
#include "cli/verbs.hpp"
#include "gpu/driver.hpp"
#include "report/charts/occupancy_charts.hpp"
#include "report/kernels/occupancy_report.hpp"

namespace launchbox::cli {

namespace {

struct occupancy_options {
    kernel_input_options input;
    launch_options launch;
    output_options output;
    std::optional<int> threads;
    std::string grid;
    std::optional<int> sms;
    std::vector<int> gpcs;
    int cluster = 1;
    bool no_charts = false, curves = false, open = false;
    std::string svg;
};

// "1000", "1000,20" or "1000x20x3". Numbers that no grid has are answered by the model.
std::optional<std::vector<std::int64_t>> parse_grid(const std::string& text)
{
    std::vector<std::int64_t> sizes;
    const char *at = text.data(), *const end = text.data() + text.size();
    while (sizes.size() < 3) {
        std::int64_t size = 0;
        const auto [stopped, failure] = std::from_chars(at, end, size);
        if (failure != std::errc() || size < 1) break;
        sizes.push_back(size);
        if (stopped == end) return sizes;
        if (*stopped != ',' && *stopped != 'x' && *stopped != '*') break;
        at = stopped + 1;
    }
    return std::nullopt;
}

// While the command line is read: "--grid=" would else take the option behind it.
std::string why_no_grid(const std::string& text)
{
    if (parse_grid(text)) return {};
    return "'" + escape_for_terminal(text) +
           "' is no grid: write its number of blocks, such as 1000, or those in x, y and z, such as 1000,20,2";
}

void set_grid(occupancy_question& question, const std::string& text)
{
    const std::vector<std::int64_t> sizes = parse_grid(text).value();
    std::int64_t blocks = 1;
    for (const std::int64_t size : sizes)
        if (__builtin_mul_overflow(blocks, size, &blocks)) blocks = std::numeric_limits<std::int64_t>::max();
    question.grid = blocks;
    if (sizes.size() == 1) return;  // in which dimensions is not said
    question.grid_dimensions = {1, 1, 1};
    std::ranges::copy(sizes, question.grid_dimensions.begin());
}

occupancy_question complete(const occupancy_options& options, const target& where, occupancy_question question)
{
    question.limits = where.limits;
    question.architecture = where.architecture;
    question.resources = options.launch.resources(question.resources);
    if (options.launch.registers) question.registers_known = true;
    if (options.launch.barriers) question.barriers_known = true;
    if (options.launch.shared) question.shared_known = true;
    if (options.launch.dynamic_shared) {
        const auto bytes_of = dynamic_shared_function(*options.launch.dynamic_shared);
        question.shape.dynamic_shared_bytes = bytes_of(question.shape.threads);
        question.dynamic_shared_known = true;
        // Asked of other block sizes than the launch has, an expression may have no answer.
        if (options.launch.dynamic_shared->find("threads") != std::string::npos)
            question.dynamic_shared_of = [bytes_of](int threads) -> std::optional<std::int64_t> {
                try {
                    return bytes_of(threads);
                } catch (const error&) {
                    return std::nullopt;
                }
            };
    }
    if (options.cluster > 1) question.shape.cluster_blocks = options.cluster;
    question.settings = options.launch.settings(where, question.resources, question.shape.dynamic_shared_bytes);
    if (!options.grid.empty()) set_grid(question, options.grid);
    question.gpu = where.gpu;
    question.sms = options.sms ? options.sms : where.sms;
    question.gpcs = options.gpcs;
    if (!question.gpcs.empty() && !options.sms) {
        int sum = 0;
        for (int gpc : question.gpcs) sum += gpc;
        question.sms = sum;
    }
    // Asked on a machine with such a GPU, its SMs are meant.
    if (!question.sms && (question.grid || question.shape.cluster_blocks > 1))
        for (const gpu_device& gpu : find_gpus().devices)
            if (gpu.capability.number() == where.architecture.number()) question.sms = gpu.sms;
    const bool clusters =
        options.cluster > 1 && options.cluster <= detail::max_cluster_of(*where.limits, question.settings.mode, true);
    if (!question.sms && (question.grid || clusters))
        throw error(std::string(question.grid ? "--grid" : "--cluster") + " needs the number of SMs" +
                        (where.gpu.empty() ? "" : ", which '" + escape_for_terminal(where.gpu) + "' does not tell"),
                    "add --sms 132, or --gpcs with the SMs of each GPC, or name the GPU, as in --arch H100");
    question.curves = options.output.format == "table" ? !options.no_charts : options.curves;
    if (!options.svg.empty()) question.curves = true;
    return question;
}

std::vector<occupancy_account> accounts_of_figures(const occupancy_options& options)
{
    if (!options.threads)
        throw error("occupancy needs --threads", "add --threads 256, or name a source file whose kernels have bounds");
    std::vector<target> targets;
    if (options.input.architectures.empty())
        targets.push_back(target_of_this_machine());
    else
        targets = parse_gpu_targets(options.input.architectures, known_capabilities());
    std::vector<occupancy_account> accounts;
    for (const target& where : targets) {
        occupancy_question question;
        question.registers_known = false;
        question.barriers_known = false;
        question.shape.threads = *options.threads;
        accounts.push_back(explain(complete(options, where, std::move(question))));
    }
    return accounts;
}

std::vector<occupancy_account> accounts_of_kernels(const occupancy_options& options, kernel_input& input)
{
    std::vector<occupancy_account> accounts;
    std::vector<target> gpus;  // that were named
    if (!options.input.architectures.empty())
        gpus = parse_gpu_targets(options.input.architectures, known_capabilities());
    for (const found_kernel& kernel : input.kernels) {
        std::optional<occupancy_question> question = question_for(kernel.info, options.threads);
        if (!question) {
            input.leave_out(kernel, options.threads.has_value());
            continue;
        }
        question->kernel = kernel.short_form;
        for (const target& where : targets_of_kernel(question->architecture, gpus))
            accounts.push_back(explain(complete(options, where, *question)));
    }
    return accounts;
}

// The charts of each account, and where several architectures were asked about, the map of them.
std::vector<chart> charts_of_accounts(const std::vector<occupancy_account>& accounts)
{
    std::vector<chart> charts;
    for (const occupancy_account& account : accounts) {
        std::string prefix;
        if (accounts.size() > 1)
            prefix = chart_id(account.question.kernel + " " +
                              std::string(architecture_name(account.question.architecture).view())) +
                     "-";
        for (chart& one : occupancy_charts(account, prefix)) charts.push_back(std::move(one));
    }
    if (accounts.size() > 1) charts.push_back(occupancy_map(accounts));
    return charts;
}

exit_status run_occupancy(const occupancy_options& options, const call_context& context)
{
    check_output(options.output.file);
    if (options.open && !options.svg.empty()) throw error("--open and --svg are two answers", "leave one of them out");
    std::vector<occupancy_account> accounts;
    std::vector<inspected_input> inputs;
    exit_status status = exit_status::done;
    if (options.input.files.empty()) {
        accounts = accounts_of_figures(options);
    } else {
        kernel_input input = read_kernels(options.input, context.compiler_flags);
        accounts = accounts_of_kernels(options, input);
        refuse_nothing(input);
        print_kinds_of_code(input);
        print_errors(input);
        status = input.status();
        if (accounts.empty()) return status;
        inputs = inspected_inputs(input);
    }
    if (!options.svg.empty()) {
        write_charts(options.svg, options.output.file.overwrite, charts_of_accounts(accounts));
        return status;
    }
    if (options.open) {
        open_calculator(accounts);
        return status;
    }
    write_report(options.output,
                 with_skipped({[&](const output_style& style) { return occupancy_document(accounts, style); },
                               [&] { return occupancy_json(accounts); }, [&] { return occupancy_table(accounts); }},
                              inputs));
    return status;
}

}  // namespace

void add_occupancy(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "occupancy", "How many blocks of a kernel are resident on an SM, why, and what would change it");
    auto options = std::make_shared<occupancy_options>();
    options->input.add_to(*verb, false);
    verb->add_option("-t,--threads", options->threads, "Threads per block; default: the kernel's launch bound")
        ->check(CLI::Range(1, 1'000'000))
        ->type_name("N");
    options->launch.add_to(*verb);
    verb->add_option("--grid", options->grid,
                     "Blocks of the grid, or those in x,y,z; adds the number of waves and the tail")
        ->check(CLI::Validator(why_no_grid, ""))
        ->type_name("N[,N,N]");
    verb->add_option("--sms", options->sms, "SMs of the GPU")->check(CLI::Range(1, 4096))->type_name("N");
    verb->add_option("--cluster", options->cluster, "Blocks per cluster; adds an estimate of resident clusters")
        ->check(CLI::Range(1, 64))
        ->type_name("N");
    verb->add_option("--gpcs", options->gpcs, "SMs of each GPC, such as 18,18,16,16")
        ->delimiter(',')
        ->check(CLI::Range(1, 4096))
        ->type_name("LIST");
    verb->add_flag("--no-charts", options->no_charts, "Leave out the three charts");
    verb->add_flag("--curves", options->curves, "Add the points of the charts to JSON");
    verb->add_option("--svg", options->svg, "Write each chart as a picture into this folder instead")->type_name("DIR");
    verb->add_flag("--open", options->open, "Open the interactive calculator with these values instead");
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox occupancy --arch sm_90 --threads 256 --registers 63 --shared 11264",
                 "launchbox occupancy examples/merge.cu --kernel 'merge*' --arch sm_90 --threads 256");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_occupancy(*options, context); }; });
}

}  // namespace launchbox::cli
