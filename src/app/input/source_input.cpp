// SPDX-License-Identifier: Apache-2.0
#include "app/input/source_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "advice/lint/lint_log.hpp"
#include "app/input/folder_files.hpp"
#include "app/input/input_reading.hpp"
#include "compiler/run/build_flags.hpp"
#include "compiler/run/compile.hpp"
#include "compiler/run/compile_cache.hpp"
#include "compiler/run/compile_commands.hpp"
#include "compiler/run/compile_errors.hpp"
#include "support/files/files.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/parallel.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox {

bool is_source(const std::string& file)
{
    for (const char* ending : {".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c", ".hpp", ".h"})
        if (has_ending(file, ending)) return true;
    return false;
}

bool has_sources(const std::string& name)
{
    return is_source(name) || (is_folder(name) && !sources_in_folder(name).empty());
}

namespace {

bool asks_for_lines(const std::string& flag)
{
    return flag == "-lineinfo" || flag == "--generate-line-info" || flag == "-G" || flag == "--device-debug";
}

// Compiler diagnostics that belong to no particular kernel.
void lint_results(const std::vector<compile_result>& results, input_summary& summary)
{
    std::vector<linted_log> logs;
    for (const compile_result& compiled : results)
        logs.push_back({&compiled.report, {}, std::string(architecture_name(compiled.architecture).view())});
    for (diagnosis& finding : lint_logs(logs)) summary.diagnoses.push_back(std::move(finding));
}

// Compiles with the flags of one command; `command` names it if there are several.
void compile_source(input_reading& reading, const toolchain& tools, compile_request request, const std::string& command,
                    input_summary& summary)
{
    const kernel_request& options = reading.request;
    request.read = {.grid_dependency = true, .lines = options.lines, .examine = options.examine};
    // -G generates line information of its own; ptxas rejects both together.
    if (options.lines != wanted_lines::none && std::ranges::none_of(request.flags, asks_for_lines))
        request.flags.emplace_back("-lineinfo");
    if (!options.no_cache) request.cache_folder = default_cache_folder();

    compiled_unit& unit = summary.units.emplace_back();
    unit.flags = request.flags;
    unit.container = "nvcc" + (command.empty() ? "" : ", " + command);
    std::vector<compile_result> results;
    const auto mentions = [&](const char* word) { return summary.text.find(word) != std::string::npos; };
    const bool wanted = options.lint || mentions("aunch") || mentions("<<<");
    const progress_function show = reading.news.begin_progress("architectures");
    run_parallel(
        wanted ? 2 : 1,
        [&](std::size_t i) {
            if (i == 0)
                results = compile_kernels(
                    tools, request, [&](std::size_t done, std::size_t total) { show(request.source, done, total); });
            else
                unit.seen = read_source_unit(tools, request.source, request.flags, request.architectures);
        },
        options.jobs == 1 ? 1 : 2);
    if (options.lint) lint_results(results, summary);
    compile_errors errors(tools);
    for (compile_result& compiled : results) {
        hand_on_unroll_warnings(compiled.report, compiled.kernels);
        if (options.lint) add_warnings(compiled.report, summary.file, summary.text, summary.diagnoses);
        for (kernel_info& info : compiled.kernels) {
            info.source.container = unit.container;
            reading.add(std::move(info));
        }
        summary.kernels += compiled.kernels.size();
        if (compiled.succeeded || !interrupted()) errors.add(compiled);
    }
    for (const std::string& text : errors.lines())
        summary.errors.push_back(command.empty() ? text : command + ": " + text);
}

}  // namespace

void read_source(input_reading& reading, const std::string& file, given how)
{
    const kernel_request& options = reading.request;
    input_summary summary{.file = file, .kind = source_kind, .in_container = how == given::found};
    summary.text = read_file(file);  // reports a missing file before looking for a compiler
    const toolchain tools = find_toolchain(options.nvcc);
    std::vector<build_command> commands(1);
    if (!options.build.empty()) commands = commands_of_build(options.build, file);
    const std::vector<std::string> own = flags_for_nvcc(options.compiler_flags);
    bool links_later = false;
    for (std::size_t i = 0; i < commands.size() && !interrupted(); ++i) {
        links_later |= asks_for_link_time_optimization(commands[i].flags);
        compile_request request{
            .source = file, .architectures = {}, .flags = for_machine_code(commands[i].flags), .jobs = options.jobs};
        request.flags.insert(request.flags.end(), own.begin(), own.end());
        for (const target& wanted : source_targets(options.architectures, tools))
            request.architectures.push_back(wanted.architecture);
        // Two commands may compile kernels of the same name: they stay two kernels.
        const std::string& output = commands[i].output;
        const std::string name = commands.size() == 1 ? std::string()
                                                      : fmt::format("command {} of {}{}{}", i + 1, commands.size(),
                                                                    output.empty() ? "" : ": ", output);
        compile_source(reading, tools, std::move(request), name, summary);
    }
    if (links_later || asks_for_link_time_optimization(with_response_files(options.compiler_flags, {})))
        summary.diagnoses.push_back({"needs_nvlink", severity::warning,
                                     "compiled with -dlto: the device linker generates the code from all files "
                                     "together, and every figure can change; these are of -rdc=true",
                                     "inspect the linked program"});
    reading.found.interrupted |= interrupted();
    if (how == given::by_name && summary.errors.empty() && summary.kernels == 0 && !interrupted())
        summary.errors.push_back("it has no instantiated __global__ function");
    reading.found.inputs.push_back(std::move(summary));
}

std::vector<std::string> flags_for_nvcc(const std::vector<std::string>& flags)
{
    return for_machine_code(with_response_files(flags, {}));
}

std::vector<target> source_targets(const architecture_list& architectures, const toolchain& tools)
{
    if (architectures.empty()) return {target_of_this_machine()};
    // Asking nvcc for its architectures costs an extra run, and only "all" needs it.
    return architectures.known(architectures.has_all() ? compiler_architectures(tools)
                                                       : std::vector<compute_capability>{});
}

}  // namespace launchbox
