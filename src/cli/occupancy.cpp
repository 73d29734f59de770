// launchbox occupancy: a full account of one launch, or of every kernel in a file.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "advice/model/account.hpp"
#include "app/occupancy.hpp"
#include "app/occupancy_questions.hpp"
#include "cli/chart_files.hpp"
#include "cli/kernel_options.hpp"
#include "cli/messages.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/charts/occupancy_charts.hpp"
#include "report/html/html_page.hpp"
#include "report/occupancy/answers_report.hpp"
#include "report/occupancy/calculator_state.hpp"
#include "report/occupancy/occupancy_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/subprocess.hpp"
#include "support/text/counted.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox::cli {

namespace {

// Only for this user, and the same name for the same values, so that opening repeatedly leaves one file.
std::filesystem::path page_for(const std::string& page)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("launchbox-calculator-{}", ::getuid());
    std::error_code failure;
    std::filesystem::create_directory(folder, failure);
    if (std::filesystem::is_symlink(folder) || !std::filesystem::is_directory(folder))
        throw error("cannot make the folder " + folder.string(), "set TMPDIR to a folder that can be written to");
    std::filesystem::permissions(folder, std::filesystem::perms::owner_all, failure);
    if (failure)
        throw error(folder.string() + " belongs to another user", "set TMPDIR to a folder that can be written to");
    std::filesystem::path file = folder / fmt::format("calculator-{:016x}.html", std::hash<std::string>()(page));
    write_file_atomically(file, page);
    return file;
}

bool has_screen()
{
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY"})
        if (const char* value = std::getenv(name); value != nullptr && *value != '\0') return true;
    return false;
}

// Writes the page of the first account to the temporary folder and opens it, or prints its path if nothing can open
// it. Throws `error` if this build lacks the calculator.
void open_calculator(const std::vector<occupancy_account>& accounts)
{
    const std::filesystem::path page = page_for(calculator_page(calculator_state(accounts.front().question)));
    if (accounts.size() > 1)
        say(fmt::format("the calculator shows one of {}: {} on {}; choose with --kernel and --arch",
                        counted(accounts.size(), "launch", "launches"),
                        accounts.front().question.kernel.empty() ? "the figures" : accounts.front().question.kernel,
                        architecture_name(accounts.front().question.architecture).view()));
    std::cout << page.string() << '\n';
    if (!std::cout.flush())
        throw error("cannot write to standard output", "is the disk full, or has the reader ended?");
    if (!has_screen()) {
        say("this machine has no display");
        return;
    }
    try {
        const auto done = run({"xdg-open", page.string()});
        if (done.exit_code == 0) return;
    } catch (const error&) {
        // Reported below.
    }
    say("xdg-open failed; open it with a browser");
}

struct occupancy_options {
    kernel_options input;
    launch_options launch;
    output_options output;
    std::optional<int> threads;
    std::string grid;
    std::optional<int> sms;
    std::vector<int> gpcs;
    int cluster = 1;
    bool curves = false, rules = false, open = false;
    std::string svg;
    std::string questions;
};

// "1000", "1000,20" or "1000x20x3". The model reports numbers that no grid can have.
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

// Checked while the command line is read: otherwise, "--grid=" would take the next option as its value.
std::string why_no_grid(const std::string& text)
{
    if (parse_grid(text)) return {};
    return "'" + escape_for_terminal(text) +
           "' is not a grid: write its number of blocks, such as 1000, or those in x, y and z, such as 1000,20,2";
}

// The charts of each account, and a map if several architectures were given.
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

occupancy_request request_of(const occupancy_options& options)
{
    return {.architectures = architecture_list(options.input.architectures),
            .launch = options.launch.figures(),
            .threads = options.threads,
            .grid = options.grid.empty() ? std::vector<std::int64_t>{} : parse_grid(options.grid).value(),
            .sms = options.sms,
            .gpcs = options.gpcs,
            .cluster_blocks = options.cluster,
            .curves = !options.svg.empty() || options.curves,
            .rules = options.rules};
}

exit_status answer_questions(const occupancy_options& options, const occupancy_request& request)
{
    const std::string name = options.questions == "-" ? "standard input" : options.questions;
    const std::vector<occupancy_answer> answers =
        answers_of_table(request, utf8_text(read_input(options.questions)), name);
    write_report(options.output, {.page = [&](const output_style&) { return answers_document(answers); },
                                  .json = {},
                                  .rows = {},
                                  .write_json = [&](std::ostream& out) { write_answers_json(answers, out); },
                                  .write_csv = [&](std::ostream& out) { write_answers_csv(answers, out); }});
    return exit_status::done;
}

exit_status run_occupancy(const occupancy_options& options, const call_context& context)
{
    check_output(options.output.file);
    if (options.open && !options.svg.empty())
        throw error("--open and --svg exclude each other", "leave one of them out");
    const occupancy_request request = request_of(options);
    if (options.input.typed.files.empty()) options.input.refuse_without_file("occupancy", context);
    if (!options.questions.empty()) return answer_questions(options, request);
    std::vector<occupancy_account> accounts;
    std::vector<inspected_input> inputs;
    exit_status status = exit_status::done;
    if (options.input.typed.files.empty()) {
        accounts = accounts_of_figures(request);
    } else {
        catch_interrupts();
        kernel_input input = read_kernels(options.input.request(context), terminal_listener());
        accounts = accounts_of_kernels(request, input);
        input.refuse_nothing();
        print_kinds_of_code(input);
        print_errors(input);
        status = input.status();
        if (accounts.empty()) return status;
        inputs = input.inspected();
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
                 with_skipped({[&](const output_style&) { return occupancy_document(accounts); },
                               [&] { return occupancy_json(accounts); }, [&] { return occupancy_table(accounts); }},
                              inputs));
    return status;
}

}  // namespace

void add_occupancy(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "occupancy", "Show how many blocks of a kernel are resident on an SM, why, and what would change it");
    auto options = std::make_shared<occupancy_options>();
    options->input.add_to(*verb, false);
    verb->add_option("-t,--threads", options->threads, "Threads per block; default: the kernel's launch bound")
        ->transform(whole_number(launch_ranges::threads.least, launch_ranges::threads.most))
        ->type_name("N");
    options->launch.add_to(*verb);
    verb->add_option("--grid", options->grid,
                     "Blocks of the grid, or those in x,y,z; adds the number of waves and the tail")
        ->check(CLI::Validator(why_no_grid, ""))
        ->type_name("N[,N,N]");
    verb->add_option("--sms", options->sms, "SMs of the GPU")->transform(whole_number(1, 4096))->type_name("N");
    verb->add_option("--cluster", options->cluster, "Blocks per cluster; adds an estimate of resident clusters")
        ->transform(whole_number(1, 64))
        ->type_name("N");
    verb->add_option("--gpcs", options->gpcs, "SMs of each GPC, such as 18,18,16,16")
        ->delimiter(',')
        ->transform(whole_number(1, 4096))
        ->type_name("LIST");
    verb->add_flag("--rules", options->rules, "Also check the five rules of thumb for a block size");
    verb->add_flag("--curves", options->curves, "Add the points of the three charts to JSON");
    verb->add_option("--svg", options->svg, "Write each chart as a picture into this folder instead")->type_name("DIR");
    verb->add_flag("--open", options->open, "Open the interactive calculator with these values instead");
    CLI::Option* const questions =
        verb->add_option("--questions", options->questions,
                         "Calculate many launches: a CSV file, or - for stdin, with one launch per line; its first "
                         "line names options as columns (arch,threads,registers,shared,...)")
            ->type_name("FILE");
    for (const char* single :
         {"file", "--grid", "--sms", "--cluster", "--gpcs", "--rules", "--curves", "--svg", "--open"})
        questions->excludes(verb->get_option(single));
    options->output.add_to(*verb);
    add_examples(*verb, "launchbox occupancy --arch sm_90 --threads 256 --registers 63 --shared 11264",
                 "launchbox occupancy examples/merge.cu --kernel 'merge*' --arch sm_90 --threads 256");
    verb->callback(
        [options, &context] { context.action = [options, &context] { return run_occupancy(*options, context); }; });
}

}  // namespace launchbox::cli
