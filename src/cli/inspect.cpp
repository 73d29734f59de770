// launchbox inspect: registers, spills, stack, shared memory, barriers and bounds of every kernel, with findings.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>

#include "app/input/source_input.hpp"
#include "app/inspect/inspect.hpp"
#include "app/inspect/source_folders.hpp"
#include "app/inspect/source_lines.hpp"
#include "app/inspect/totals.hpp"
#include "cli/kernel_options.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/kernels/compilers_report.hpp"
#include "report/kernels/diff_report.hpp"
#include "report/kernels/kernels_json.hpp"
#include "report/kernels/kernels_report.hpp"
#include "report/kernels/lines_report.hpp"
#include "report/kernels/skipped_report.hpp"
#include "report/kernels/summary_report.hpp"
#include "report/kernels/totals_report.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

document page_of(const inspection& found, const output_style& style)
{
    if (shown_as_list(found)) return kernel_list_document(found, count_findings(found.kernels), style);
    return kernel_tables_document(found, accounts_of(found.kernels));
}

// The report on a kernel takes kilobytes, and with lines megabytes, so it is made only when the kernel is written.
template <class Make, class Use>
void for_each_kernel(const inspection& found, const Make& make, const Use& use)
{
    const auto cost = [&](std::size_t i) {
        return found.kernels[i].info.analysis.lines ? found.kernels[i].info.analysis.lines->text_bytes : 0;
    };
    make_parallel_use_in_order(found.kernels.size(), make, use, cost, max_line_text_per_kernel);
}

void write_json(const inspection& found, std::ostream& out)
{
    kernels_json_writer json(found, out);
    const auto json_of_kernel = [&](std::size_t i) {
        return kernel_json_text(found.kernels[i], account_of(found.kernels[i]));
    };
    for_each_kernel(found, json_of_kernel, [&](const std::string& text) { json.add(text); });
    json.finish();
}

void write_json_lines(const inspection& found, std::ostream& out)
{
    out << kernels_json_first_line(found);
    const auto line_of = [&](std::size_t i) {
        return kernel_json_line(found.kernels[i], account_of(found.kernels[i]));
    };
    for_each_kernel(found, line_of, [&](const std::string& line) { out << line; });
}

void write_csv(const inspection& found, std::ostream& out)
{
    out << kernels_csv_header();
    const auto line_of = [&](std::size_t i) { return kernel_csv_line(found.kernels[i], account_of(found.kernels[i])); };
    for_each_kernel(found, line_of, [&](const std::string& line) { out << line; });
}

// For the kernels in `found`, which must outlive the forms.
report_forms kernel_forms(const inspection& found)
{
    report_forms forms;
    forms.page = [&](const output_style& style) { return page_of(found, style); };
    forms.write_json = [&](std::ostream& out) { write_json(found, out); };
    forms.write_csv = [&](std::ostream& out) { write_csv(found, out); };
    forms.write_json_lines = [&](std::ostream& out) { write_json_lines(found, out); };
    return forms;
}

// "spills" and so on; `none` for an empty word.
line_view parse_line_view(std::string_view word)
{
    return word == "spills"      ? line_view::spills
           : word == "registers" ? line_view::registers
           : word == "memory"    ? line_view::memory
           : word == "source"    ? line_view::source
                                 : line_view::none;
}

// Replaces pages and rows by kernels with their lines. Sources are shown from `folders`.
void add_line_forms(report_forms& forms, const inspection& found, line_view view, const source_folders& folders)
{
    forms.page = [&found, view, folders](const output_style& style) {
        const line_names names = brief_line_names(found, view, lines_of_a_kernel);
        if (view == line_view::source) return margin_document(found, names, margin_sources(found, folders), style);
        if (view == line_view::memory) return traffic_document(found, names, lines_of_a_kernel);
        return view == line_view::registers ? pressure_document(found, names, lines_of_a_kernel)
                                            : lines_document(found, names, lines_of_a_kernel);
    };
    forms.write_csv = {};
    const bool live = view == line_view::registers || view == line_view::source;
    forms.rows = [&found, live] { return lines_table(found, full_line_names(found), live); };
}

struct inspect_options {
    kernel_options input;
    output_options output;
    kernel_filter wish;
    std::string sort, top;
    bool summary = false;
    std::string lines;  // "", "spills", "registers", "memory" or "source"
    bool size = false, stack_reserve = false;
    std::string other;  // --diff
    std::vector<std::string> flags, source_roots;
};

exit_status run_kernels(const inspect_options& options, kernel_request request)
{
    const line_view lines = parse_line_view(options.lines);
    request.lint = lines == line_view::none;
    ask_for_lines(request, lines);
    inspected_files files = inspect_kernels(request, terminal_listener());
    inspection& found = files.found;
    if (options.top.empty()) found.page_rows = usual_page_rows;
    found.wish = options.wish;
    found.selection = select_kernels(found.kernels, options.wish);
    report_forms forms = kernel_forms(found);
    if (lines != line_view::none) add_line_forms(forms, found, lines, {options.source_roots, request.files});
    write_report(options.output, forms);
    print_errors(files.input);
    return files.input.status();
}

exit_status run_summary(const inspect_options& options, kernel_request request)
{
    request.hash_code = true;  // copies are recognised by their code
    const inspected_files files = inspect_kernels(request, terminal_listener());
    const std::vector<summarized_input> summaries = summaries_of(files.found);
    write_report(options.output, {[&](const output_style&) { return summary_document(summaries); },
                                  [&] { return summary_json(summaries); }, [&] { return summary_table(summaries); }});
    print_errors(files.input);
    return files.input.status();
}

// One figure for a whole file, or for all kernels together.
exit_status run_totals(const inspect_options& options, kernel_request request)
{
    request.hash_code = options.size;
    const kernel_input input = read_kernels(request, terminal_listener());
    if (options.size) {
        const std::vector<code_size> sizes = code_sizes_of(input);
        constexpr std::size_t templates_of_a_file = 20;
        write_report(options.output, {[&](const output_style&) { return size_document(sizes, templates_of_a_file); },
                                      [&] { return size_json(sizes); }, [&] { return size_table(sizes); }});
    } else {
        const reserved_stacks found = stack_reserves_of(input);
        write_report(options.output,
                     {[&](const output_style&) { return stack_reserve_document(found.reserves, found.kernels); },
                      [&] { return stack_reserve_json(found.reserves, found.kernels); },
                      [&] { return stack_reserve_table(found.reserves, found.kernels); }});
    }
    print_errors(input);
    return input.status();
}

exit_status run_diff(const inspect_options& options, const kernel_request& request)
{
    if (options.other == "-" && std::ranges::find(request.files, "-") != request.files.end())
        throw error("standard input cannot be both sides of --diff", "write one of them to a file");
    const inspected_builds builds = inspect_builds(request, options.other, terminal_listener());
    const inspection &before = builds.before.found, &after = builds.after.found;
    report_forms forms;
    forms.page = [&](const output_style& style) {
        document page = options.top.empty() ? diff_document(builds.diff, usual_page_rows, style, true)
                                            : diff_document(builds.diff, options.wish.top, style);
        for (const inspection* side : {&before, &after}) {
            add_skipped(page, side->inputs);
            for (const inspected_input& input : side->inputs)
                if (!input.errors.empty())
                    page.line("  " + escape_for_terminal(input.file) +
                                  " has errors: the parts that could not be read are not compared",
                              tone::bad);
        }
        return page;
    };
    forms.write_json = [&](std::ostream& out) {
        write_diff_json({before.inputs, after.inputs}, builds.diff, options.wish.top, out);
    };
    forms.write_csv = [&](std::ostream& out) { write_diff_csv(builds.diff, options.wish.top, out); };
    write_report(options.output, forms);
    const kernel_input &first = builds.before.input, &second = builds.after.input;
    print_errors(first);
    print_errors(second);
    return first.status() != exit_status::done ? first.status() : second.status();
}

// Compiles the same sources with several compilers or flags. One that cannot compile them becomes a column without
// figures.
exit_status run_variants(const inspect_options& options, const std::vector<compiler_variant>& variants,
                         const kernel_request& request)
{
    if (options.summary || !options.other.empty() || !options.lines.empty() || options.size || options.stack_reserve)
        throw error("several compilers or sets of flags can only be compared by kernels",
                    "leave out --summary, --diff, --lines, --size and --stack-reserve, or name one of them");
    std::vector<compiler_result> results;
    exit_status status = exit_status::done;
    for (const compiler_variant& variant : variants) {
        variant_result result = inspect_variant(variant, request, terminal_listener());
        for (const std::string& text : result.made.errors) say(column_name(result.made) + ": " + text);
        if (status == exit_status::done) status = result.status;
        results.push_back(std::move(result.made));
    }
    write_report(options.output, {[&](const output_style&) { return compilers_document(results); },
                                  [&] { return compilers_json(results); }, [&] { return compilers_table(results); }});
    return status;
}

// "13.0,13.5" is two; a path that contains a comma is one.
std::vector<std::string> compilers_in(const std::string& text)
{
    std::error_code failure;
    if (std::filesystem::exists(text, failure)) return {text};
    std::vector<std::string> compilers;
    if (text.empty()) return {text};  // the compiler found by default
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(',', at), text.size());
        if (end > at) compilers.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return compilers;
}

std::vector<compiler_variant> variants_of(const inspect_options& options)
{
    std::vector<compiler_variant> variants;
    for (const std::string& compiler : compilers_in(options.input.typed.nvcc)) {
        if (options.flags.empty()) variants.push_back({compiler});
        for (const std::string& flags : options.flags)
            variants.push_back({compiler, flags, CLI::detail::split_up(flags)});
    }
    return variants;
}

exit_status run_inspect(const inspect_options& options, const call_context& context)
{
    check_output(options.output.file);
    kernel_request request = options.input.request(context);
    const std::vector<compiler_variant> variants = variants_of(options);
    if ((variants.size() > 1 || !options.flags.empty()) && std::ranges::none_of(request.files, has_sources))
        throw error("several compilers or sets of flags are given, but no source",
                    "name a CUDA source, or leave out --flags");
    catch_interrupts();
    if (variants.size() > 1) return run_variants(options, variants, request);
    if (!options.flags.empty())
        for (std::string& flag : CLI::detail::split_up(options.flags.front()))
            request.compiler_flags.push_back(std::move(flag));
    if (options.size || options.stack_reserve) return run_totals(options, std::move(request));
    if (options.summary) return run_summary(options, std::move(request));
    return options.other.empty() ? run_kernels(options, std::move(request)) : run_diff(options, request);
}

}  // namespace

void add_inspect(CLI::App& app, call_context& context)
{
    CLI::App* verb =
        app.add_subcommand("inspect", "Show what the compiler produced for every kernel, with findings and fixes");
    auto options = std::make_shared<inspect_options>();
    options->input.add_to(*verb, true);
    CLI::Option* threads = verb->add_option("-t,--threads", options->input.typed.threads,
                                            "Threads per block; default: the kernel's launch bound")
                               ->transform(whole_number(1, max_threads_per_block))
                               ->type_name("N");
    options->input.add_dynamic_shared(*verb);
    CLI::Option* spilling = verb->add_flag("--spilling", options->wish.spilling, "Only kernels that spill registers");
    CLI::Option* sort =
        verb->add_option("--sort", options->sort,
                         "registers, spills, stack, shared, code (largest first), occupancy (lowest first) or name")
            ->check(one_of(sort_keys()))
            ->type_name("BY");
    CLI::Option* top =
        verb->add_option("--top", options->top, "At most this many rows, or all; default: all, in tables 200")
            ->transform(whole_number_or("all", 1, 1'000'000'000))
            ->type_name("N");
    CLI::Option* summary = verb->add_flag(
        "--summary", options->summary,
        "A summary of every input: architectures, code size, spills, duplicated kernels, GPUs that can run it");
    CLI::Option* lines = verb->add_flag("--lines{spills}", options->lines,
                                        "The lines of the source that spill; =registers: those with the most live "
                                        "registers; =memory: loads, stores and kinds of instructions; =source: the "
                                        "source with figures in its margin. A compiled file needs -lineinfo")
                             ->check(one_of({"spills", "registers", "memory", "source"}))
                             ->type_name("[=WHAT]");
    verb->add_option("--source-root", options->source_roots,
                     "With --lines=source: also show files below this folder; default: only those of the working tree")
        ->allow_extra_args(false)
        ->needs(lines)
        ->type_name("FOLDER");
    CLI::Option* size = verb->add_flag("--size", options->size,
                                       "What takes the space in each file: architectures, templates, copies of code");
    CLI::Option* reserve =
        verb->add_flag("--stack-reserve", options->stack_reserve,
                       "GPU memory that the driver reserves for the deepest stack, for each GPU model");
    CLI::Option* diff =
        verb->add_option("--diff", options->other, "Compare with the kernels of NEW; worse ones come first")
            ->type_name("NEW");
    for (CLI::Option* other : {spilling, sort, top, diff, lines, threads, verb->get_option("--dynamic-shared")})
        summary->excludes(other);
    for (CLI::Option* other : {spilling, sort, lines}) diff->excludes(other);
    for (CLI::Option* total : {size, reserve})
        for (CLI::Option* other : {spilling, sort, top, lines, summary, diff, threads}) total->excludes(other);
    size->excludes(reserve);
    verb->add_option("--flags", options->flags,
                     "Flags for nvcc, in one word; if given several times, each set of flags gets a column")
        ->allow_extra_args(false)
        ->type_name("FLAGS");
    options->output.add_to(*verb, {"jsonl"});
    add_examples(*verb, "launchbox inspect examples/merge.cu --arch sm_80,sm_90,sm_120",
                 "nvcc -c -arch=sm_90 -Xptxas -v examples/merge.cu -o merge.o 2>&1 | launchbox inspect -");
    verb->callback([options, &context] {
        if (!options->top.empty() && options->top != "all") options->wish.top = std::stoul(options->top);
        options->wish.sort = parse_sort_key(options->sort);
        context.action = [options, &context] { return run_inspect(*options, context); };
    });
}

}  // namespace launchbox::cli
