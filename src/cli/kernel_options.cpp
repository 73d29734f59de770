// SPDX-License-Identifier: Apache-2.0
#include "cli/kernel_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advice/model/launch_words.hpp"
#include "app/sizes.hpp"
#include "cli/messages.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "report/kernels/skipped_report.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

void kernel_options::add_to(CLI::App& app, bool files_required)
{
    CLI::Option* option =
        app.add_option(
               "file", typed.files,
               "Programs, libraries, objects, cubins, PTX, CUDA sources, logs of ptxas -v; folders, wheels, conda and "
               "Debian packages, tar and zip files; - for stdin")
            ->type_name("FILE");
    if (files_required) option->required();
    app.add_option(
           "-a,--arch", architectures,
           "Architectures, such as sm_80,sm_90a, GPUs, such as H100, or all; default: those in the file, or that of "
           "this machine's GPU for a source")
        ->type_name("LIST");
    app.add_option("-k,--kernel", typed.kernel, "Only kernels that match this pattern (* ? [...])")
        ->type_name("PATTERN");
    app.add_option("--nvcc", typed.nvcc,
                   "nvcc, the folder of its toolkit, or a release such as 13.0; flags for nvcc follow --")
        ->type_name("PATH");
    app.add_option("-p,--build", typed.build,
                   "The folder with a build's compile_commands.json, whose flags are used for a source")
        ->type_name("FOLDER");
    app.add_option("-j,--jobs", typed.jobs, "Number of threads or compilers at once; 0: one per core")
        ->transform(whole_number(0, 1024))
        ->type_name("N");
    app.add_flag("--no-cache", typed.no_cache, "Do not use the compile cache");
    app.add_flag("--before-linking", typed.before_linking,
                 "Also show code before device linking (-rdc), which a program contains but does not run");
}

void kernel_options::add_dynamic_shared(CLI::App& app)
{
    app.add_option("-d,--dynamic-shared", dynamic_shared,
                   "Dynamic shared memory per block: bytes, or an expression of threads, such as 4*threads; default: "
                   "from Triton's metadata beside a cubin")
        ->type_name("EXPR");
}

kernel_request kernel_options::request(const call_context& context) const
{
    kernel_request request = typed;
    request.architectures = architecture_list(architectures);
    request.compiler_flags = context.compiler_flags;
    if (dynamic_shared) request.dynamic_shared.emplace(*dynamic_shared);
    return request;
}

void kernel_options::refuse_without_file(const std::string& verb, const call_context& context) const
{
    const std::pair<bool, const char*> given[] = {{!typed.kernel.empty(), "--kernel needs"},
                                                  {!typed.build.empty(), "--build needs"},
                                                  {!typed.nvcc.empty(), "--nvcc needs"},
                                                  {typed.no_cache, "--no-cache needs"},
                                                  {typed.before_linking, "--before-linking needs"},
                                                  {!context.compiler_flags.empty(), "flags for the compiler need"}};
    for (const auto& [is_given, what] : given)
        if (is_given) throw error(std::string(what) + " a file", "name it: launchbox " + verb + " FILE");
}

report_forms with_skipped(report_forms forms, const std::vector<inspected_input>& inputs)
{
    forms.page = [page_of = std::move(forms.page), inputs](const output_style& style) {
        document page = page_of(style);
        add_skipped(page, inputs);
        return page;
    };
    forms.json = [json_of_report = std::move(forms.json), inputs] {
        nlohmann::ordered_json json = json_of_report();
        json["skipped_images"] = skipped_json(inputs);
        return json;
    };
    return forms;
}

void print_kinds_of_code(const kernel_input& input)
{
    for (const input_summary& summary : input.inputs)
        for (const std::string& text : missing_lines(summary.missing))
            say((summary.file == "-" ? "standard input" : summary.file) + ": " + text);
    const auto debug =
        std::ranges::find_if(input.kernels, [](const found_kernel& kernel) { return is_debug_build(kernel.info); });
    if (debug != input.kernels.end())
        say(fmt::format("{} is a debug build ({}): its figures are not those of a release build",
                        escape_for_terminal(debug->info.short_form), debug_flag_of(debug->info)));
}

void print_errors(const kernel_input& input)
{
    for (const input_summary& summary : input.inputs)
        for (const std::string& text : summary.errors)
            say((summary.file == "-" ? "standard input" : summary.file) + ": " + text);
    for (const input_summary& summary : input.inputs)
        for (const std::string& text : summary.remarks) say(summary.file + ": " + text);
    if (input.interrupted) say("interrupted; the finished part is shown");
}

namespace {

CLI::Validator within(number_range range)
{
    return whole_number(range.least, range.most);
}

}  // namespace

void launch_options::add_to(CLI::App& app)
{
    app.add_option("-r,--registers", typed.registers, "Registers per thread")
        ->transform(within(launch_ranges::registers))
        ->type_name("N");
    app.add_option("-s,--shared", shared, "Static shared memory per block, bytes (or 48K)")->type_name("BYTES");
    app.add_option("-d,--dynamic-shared", dynamic_shared,
                   "Dynamic shared memory per block: bytes, or an expression of threads, such as 4*threads")
        ->type_name("EXPR");
    app.add_option("-b,--barriers", typed.barriers, "Named barriers, as ptxas counts them (highest used + 1)")
        ->transform(within(launch_ranges::barriers))
        ->type_name("N");
    app.add_option("--max-threads", typed.max_threads, "The kernel's launch bound")
        ->transform(within(launch_ranges::max_threads))
        ->type_name("N");
    app.add_option(
           "--max-dynamic-shared", max_dynamic_shared,
           "Dynamic shared memory that cudaFuncSetAttribute allows: bytes, max or default (48 KB); default: max")
        ->type_name("BYTES");
    app.add_option("--carveout", typed.carveout_percent, "Preferred shared memory carveout, percent; -1: no preference")
        ->transform(within(launch_ranges::carveout))
        ->type_name("PERCENT");
    app.add_option("--cache", cache, "Cache preference: none, shared, l1 or equal")
        ->check(one_of(cache_preference_words()))
        ->type_name("WORD");
    app.add_option("--caching", caching, "Partitioned global caching on 5.2, 5.3, 6.1, 6.2: off, preferred or strict")
        ->check(one_of(global_caching_words()))
        ->type_name("WORD");
    app.add_option("--mode", mode, "Calculate as the GPU (driver), or as NVIDIA's occupancy spreadsheet")
        ->check(one_of(model_mode_words()))
        ->type_name("WORD");
}

launch_inputs launch_options::figures() const
{
    launch_inputs figures = typed;
    if (shared) figures.static_shared_bytes = parse_bytes(*shared, "--shared");
    if (dynamic_shared) figures.dynamic_shared.emplace(*dynamic_shared);
    if (max_dynamic_shared)
        figures.max_dynamic_shared = dynamic_shared_limit::named(*max_dynamic_shared, "--max-dynamic-shared");
    figures.cache = cache_preference_named(cache);
    figures.caching = global_caching_named(caching);
    figures.mode = mode == "driver" ? model_mode::driver : model_mode::spreadsheet;
    return figures;
}

}  // namespace launchbox::cli
