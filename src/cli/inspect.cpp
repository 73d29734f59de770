// launchbox inspect: registers, spills, stack, shared memory, barriers and bounds of every kernel, and what they mean.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <memory>
#include <utility>

#include "advice/inspect/kernel_diff.hpp"
#include "cli/inspect_lines.hpp"
#include "cli/inspect_totals.hpp"
#include "cli/kernel_input.hpp"
#include "cli/messages.hpp"
#include "cli/verbs.hpp"
#include "report/kernels/compilers_report.hpp"
#include "report/kernels/diff_report.hpp"
#include "report/kernels/kernels_json.hpp"
#include "report/kernels/kernels_report.hpp"
#include "report/kernels/lines_report.hpp"
#include "report/kernels/skipped_report.hpp"
#include "report/kernels/summary_report.hpp"
#include "support/process/parallel.hpp"

namespace launchbox::cli {

namespace {

struct inspect_options {
    kernel_input_options input;
    output_options output;
    std::optional<int> threads;
    kernel_wish wish;
    std::string sort, top;
    bool summary = false;
    std::string lines;  // "", "spills", "registers", "memory" or "source"
    bool size = false, stack_reserve = false;
    std::string other;  // --diff
    std::vector<std::string> flags, source_roots;
};

exit_status run_kernels(const inspect_options& options, const call_context& context);
exit_status run_summary(const inspect_options& options, const call_context& context);
exit_status run_totals(const inspect_options& options, const call_context& context);
exit_status run_diff(const inspect_options& options, const call_context& context);

// The kernels are moved out of the input: their names alone can be hundreds of megabytes.
inspection inspect(kernel_input& input, const inspect_options& options)
{
    inspection found;
    if (options.top.empty()) found.page_rows = usual_page_rows;
    found.threads = options.threads;
    found.wish = options.wish;
    found.inputs = inspected_inputs(input);
    found.kernels.resize(input.kernels.size());
    run_parallel_ranges(input.kernels.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            found_kernel& kernel = input.kernels[i];
            found.kernels[i] = inspected(std::move(kernel.info), std::move(kernel.demangled),
                                         std::move(kernel.short_form), options.threads);
        }
    });
    input.kernels.clear();
    input.kernels.shrink_to_fit();
    return found;
}

document page_of(const inspection& found, const output_style& style)
{
    if (shown_as_list(found)) return kernel_list_document(found, count_findings(found.kernels, found.threads), style);
    return kernel_tables_document(found, accounts_of(found.kernels, found.threads));
}

// What is said of a kernel takes kilobytes, and with its lines megabytes, so it is made when the kernel is written.
template <class Make, class Use>
void for_each_kernel(const inspection& found, const Make& make, const Use& use)
{
    const auto cost = [&](std::size_t i) {
        return found.kernels[i].info.lines ? found.kernels[i].info.lines->text_bytes : 0;
    };
    make_parallel_use_in_order(found.kernels.size(), make, use, cost, max_line_text_per_kernel);
}

void write_json(const inspection& found, std::ostream& out)
{
    kernels_json_writer json(found, out);
    const auto text_of = [&](std::size_t i) {
        return kernel_json_text(found.kernels[i], account_of(found.kernels[i], found.threads));
    };
    for_each_kernel(found, text_of, [&](const std::string& text) { json.add(text); });
    json.finish();
}

void write_json_lines(const inspection& found, std::ostream& out)
{
    out << kernels_json_first_line(found);
    const auto line_of = [&](std::size_t i) {
        return kernel_json_line(found.kernels[i], account_of(found.kernels[i], found.threads));
    };
    for_each_kernel(found, line_of, [&](const std::string& line) { out << line; });
}

void write_csv(const inspection& found, std::ostream& out)
{
    out << kernels_csv_header();
    const auto line_of = [&](std::size_t i) {
        return kernel_csv_line(found.kernels[i], account_of(found.kernels[i], found.threads));
    };
    for_each_kernel(found, line_of, [&](const std::string& line) { out << line; });
}

exit_status run_kernels(const inspect_options& options, const call_context& context)
{
    kernel_input_options wanted = options.input;
    const lines_wish lines = parse_lines_wish(options.lines);
    wanted.lint = lines == lines_wish::none;
    ask_for_lines(wanted, lines);
    kernel_input input = read_kernels(wanted, context.compiler_flags);
    inspection found = inspect(input, options);
    found.selection = select_kernels(found.kernels, options.wish);
    report_forms forms;
    forms.page = [&](const output_style& style) { return page_of(found, style); };
    forms.write_json = [&](std::ostream& out) { write_json(found, out); };
    forms.write_csv = [&](std::ostream& out) { write_csv(found, out); };
    forms.write_json_lines = [&](std::ostream& out) { write_json_lines(found, out); };
    if (lines != lines_wish::none)
        add_lines_forms(forms, found, lines, lines_of_a_kernel, {options.source_roots, options.input.files});
    write_report(options.output, forms);
    print_errors(input);
    return input.status();
}

exit_status run_summary(const inspect_options& options, const call_context& context)
{
    kernel_input_options wanted = options.input;
    wanted.hash_code = true;  // copies are told by their code
    kernel_input input = read_kernels(wanted, context.compiler_flags);
    const std::vector<summarized_input> summaries = summaries_of(inspect(input, options));
    write_report(options.output, {[&](const output_style&) { return summary_document(summaries); },
                                  [&] { return summary_json(summaries); }, [&] { return summary_table(summaries); }});
    print_errors(input);
    return input.status();
}

// A compiler and flags of it: a column where there are several.
struct compiler_variant {
    std::string nvcc;
    std::optional<std::string> flags;  // none: those behind -- alone
};

// What one variant makes of the sources; why it makes nothing, or not all, is said and in the result.
compiler_result compiled_by(const compiler_variant& variant, const inspect_options& options,
                            const call_context& context, exit_status& status)
{
    compiler_result result{.name = variant.nvcc, .flags = variant.flags, .kernels = {}, .errors = {}};
    kernel_input_options wanted = options.input;
    wanted.nvcc = variant.nvcc;
    std::vector<std::string> flags = context.compiler_flags;
    for (const std::string& flag : CLI::detail::split_up(variant.flags.value_or(""))) flags.push_back(flag);
    try {
        result.name = find_toolchain(variant.nvcc).version;
        kernel_input input = read_kernels(wanted, flags);
        for (const input_summary& summary : input.inputs)
            for (const std::string& text : summary.errors) result.errors.push_back(summary.file + ": " + text);
        if (input.interrupted) throw error("interrupted", {}, exit_status::interrupted);
        result.kernels = inspect(input, options).kernels;
    } catch (const error& failure) {
        if (failure.status() == exit_status::interrupted) throw;
        result.errors.push_back(std::string(failure.what()) + (failure.hint().empty() ? "" : "; " + failure.hint()));
        if (status == exit_status::done) status = failure.status();
    }
    if (!result.errors.empty() && status == exit_status::done) status = exit_status::bad_input;
    for (const std::string& text : result.errors) say(column_name(result) + ": " + text);
    return result;
}

// The same sources by several compilers or with several flags. One that cannot compile them is a column without
// figures.
exit_status run_variants(const inspect_options& options, const std::vector<compiler_variant>& variants,
                         const call_context& context)
{
    if (options.summary || !options.other.empty() || !options.lines.empty() || options.size || options.stack_reserve)
        throw error("several compilers or flags are compared by their kernels alone",
                    "leave out --summary, --diff, --lines, --size and --stack-reserve, or name one of them");
    std::vector<compiler_result> results;
    exit_status status = exit_status::done;
    for (const compiler_variant& variant : variants) results.push_back(compiled_by(variant, options, context, status));
    write_report(options.output, {[&](const output_style&) { return compilers_document(results); },
                                  [&] { return compilers_json(results); }, [&] { return compilers_table(results); }});
    return status;
}

// "13.0,13.5" as two; a path with a comma in it is one.
std::vector<std::string> compilers_in(const std::string& text)
{
    std::error_code failure;
    if (std::filesystem::exists(text, failure)) return {text};
    std::vector<std::string> compilers;
    if (text.empty()) return {text};  // the one that is found
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
    for (const std::string& compiler : compilers_in(options.input.nvcc)) {
        if (options.flags.empty()) variants.push_back({compiler, {}});
        for (const std::string& flags : options.flags) variants.push_back({compiler, flags});
    }
    return variants;
}

// The file as a whole, or all kernels together: one figure of many kernels.
exit_status run_totals(const inspect_options& options, const call_context& context)
{
    kernel_input_options wanted = options.input;
    wanted.hash_code = options.size;
    const kernel_input input = read_kernels(wanted, context.compiler_flags);
    write_report(options.output, options.size ? size_forms(input) : stack_reserve_forms(input));
    print_errors(input);
    return input.status();
}

// A kernel that only one side has is a result, so the pattern is an error only when neither has a match.
void keep_matching(const std::string& pattern, inspection& before, inspection& after)
{
    if (pattern.empty()) return;
    for (inspection* side : {&before, &after})
        std::erase_if(side->kernels, [&](const inspected_kernel& kernel) {
            return !matches_kernel(pattern, kernel.info.name, kernel.demangled, kernel.short_form);
        });
    if (before.kernels.empty() && after.kernels.empty())
        throw error("no kernel matches '" + escape_for_terminal(pattern) + "' before or after",
                    "launchbox inspect FILE lists those of one file");
}

exit_status run_diff(const inspect_options& options, const call_context& context)
{
    const auto& files = options.input.files;
    if (options.other == "-" && std::find(files.begin(), files.end(), "-") != files.end())
        throw error("standard input cannot be both sides of --diff", "write one of them to a file");
    kernel_input_options wanted = options.input;
    wanted.kernel.clear();
    wanted.hash_code = true;
    kernel_input first = read_kernels(wanted, context.compiler_flags);
    wanted.files = {options.other};
    kernel_input second = first.interrupted ? kernel_input{} : read_kernels(wanted, context.compiler_flags);
    if (first.interrupted || second.interrupted)  // half of a side would look like kernels that are gone
        throw error("interrupted before both sides of --diff were read", {}, exit_status::interrupted);
    inspection before = inspect(first, options), after = inspect(second, options);
    keep_matching(options.input.kernel, before, after);

    const kernel_diff diff = compare_kernels(before.kernels, after.kernels);
    refuse_debug_and_release(diff);
    report_forms forms;
    forms.page = [&](const output_style& style) {
        document page = options.top.empty() ? diff_document(diff, usual_page_rows, style, true)
                                            : diff_document(diff, options.wish.top, style);
        for (const inspection* side : {&before, &after}) {
            add_skipped(page, side->inputs);
            for (const inspected_input& input : side->inputs)
                if (!input.errors.empty())
                    page.line(
                        "  " + escape_for_terminal(input.file) + " has errors: what it does not show is not compared",
                        tone::bad);
        }
        return page;
    };
    forms.write_json = [&](std::ostream& out) {
        write_diff_json({before.inputs, after.inputs}, diff, options.wish.top, out);
    };
    forms.write_csv = [&](std::ostream& out) { write_diff_csv(diff, options.wish.top, out); };
    write_report(options.output, forms);
    print_errors(first);
    print_errors(second);
    return first.status() != exit_status::done ? first.status() : second.status();
}

}  // namespace

void add_inspect(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("inspect", "What the compiler made of every kernel, and what to do about it");
    auto options = std::make_shared<inspect_options>();
    options->input.add_to(*verb, true);
    CLI::Option* threads =
        verb->add_option("-t,--threads", options->threads, "Threads per block; default: the kernel's launch bound")
            ->check(CLI::Range(1, max_threads_per_block))
            ->type_name("N");
    options->input.add_dynamic_shared(*verb);
    CLI::Option* spilling = verb->add_flag("--spilling", options->wish.spilling, "Only kernels that spill registers");
    CLI::Option* sort =
        verb->add_option("--sort", options->sort,
                         "registers, spills, stack, shared, code (largest first), occupancy (lowest first) or name")
            ->check(CLI::IsMember(sort_keys()))
            ->type_name("BY");
    CLI::Option* top = verb->add_option("--top", options->top,
                                        "At most this many rows, or all; default: all, and 200 in a list for people")
                           ->check(CLI::Range(1, 1'000'000'000) | CLI::IsMember({"all"}))
                           ->type_name("N");
    CLI::Option* summary = verb->add_flag(
        "--summary", options->summary,
        "A summary of every input: architectures, code size, spills, duplicated kernels, GPUs that can run it");
    CLI::Option* lines =
        verb->add_flag(
                "--lines{spills}", options->lines,
                "The lines of the source that spill; =registers: those with most live registers; =memory: loads and "
                "stores, and what else the code does; =source: the source with figures beside it. A compiled file "
                "needs -lineinfo")
            ->check(CLI::IsMember({"spills", "registers", "memory", "source"}))
            ->type_name("[=WHAT]");
    verb->add_option("--source-root", options->source_roots,
                     "With --lines=source: also show files below this folder; default: those of the working tree alone")
        ->allow_extra_args(false)
        ->needs(lines)
        ->type_name("FOLDER");
    CLI::Option* size = verb->add_flag("--size", options->size,
                                       "Where the bytes of each file are: architectures, templates, copies of code");
    CLI::Option* reserve =
        verb->add_flag("--stack-reserve", options->stack_reserve,
                       "GPU memory that the driver sets aside for the deepest stack, for each model of GPU");
    CLI::Option* diff =
        verb->add_option("--diff", options->other, "Compare with the kernels of NEW; what became worse comes first")
            ->type_name("NEW");
    for (CLI::Option* other : {spilling, sort, top, diff, lines, threads, verb->get_option("--dynamic-shared")})
        summary->excludes(other);
    for (CLI::Option* other : {spilling, sort, lines}) diff->excludes(other);
    for (CLI::Option* total : {size, reserve})
        for (CLI::Option* other : {spilling, sort, top, lines, summary, diff, threads}) total->excludes(other);
    size->excludes(reserve);
    verb->add_option("--flags", options->flags,
                     "Flags for nvcc, in one word; given several times, each is a column beside the others")
        ->allow_extra_args(false)
        ->type_name("FLAGS");
    options->output.add_to(*verb, {"jsonl"});
    add_examples(*verb, "launchbox inspect examples/merge.cu --arch sm_80,sm_90,sm_120",
                 "nvcc -c -arch=sm_90 -Xptxas -v examples/merge.cu -o merge.o 2>&1 | launchbox inspect -");
    verb->callback([options, &context] {
        options->input.threads = options->threads;
        if (!options->top.empty() && options->top != "all") options->wish.top = std::stoul(options->top);
        options->wish.sort = parse_sort_key(options->sort);
        context.action = [options, &context] {
            check_output(options->output.file);
            const std::vector<compiler_variant> variants = variants_of(*options);
            if ((variants.size() > 1 || !options->flags.empty()) &&
                std::ranges::none_of(options->input.files, is_source))
                throw error("there are several compilers or flags for them, and no source to be compiled",
                            "name a CUDA source, or leave out --flags");
            if (variants.size() > 1) return run_variants(*options, variants, context);
            if (!options->flags.empty())
                for (const std::string& flag : CLI::detail::split_up(options->flags.front()))
                    context.compiler_flags.push_back(flag);
            if (options->size || options->stack_reserve) return run_totals(*options, context);
            if (options->summary) return run_summary(*options, context);
            return options->other.empty() ? run_kernels(*options, context) : run_diff(*options, context);
        };
    });
}

}  // namespace launchbox::cli
