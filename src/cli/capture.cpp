// launchbox capture: the kernels that a program launches, how often and how, or one launch captured completely.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/program_capture.hpp"
#include "app/sizes.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/value_checks.hpp"
#include "cli/verbs.hpp"
#include "image/names/demangle.hpp"
#include "report/capture/launches_report.hpp"
#include "report/core/short_names.hpp"
#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

struct capture_options {
    output_options output;
    launch_choice typed;  // filled by CLI11
    bool follow_children = false;
    bool all = false;
    std::string memory_limit;  // as typed
};

// "8192x256", "64,64x16,16" as six numbers.
std::vector<std::int64_t> shape_sizes(const std::string& shape)
{
    const auto refuse = [&] {
        throw error(fmt::format("--shape {} is not a grid and a block", shape),
                    "write --shape 8192x256, or with more dimensions --shape 64,64x16,16");
    };
    std::vector<std::int64_t> all;
    const std::size_t between = shape.find('x');
    if (between == shape.npos) refuse();
    for (const std::string& sizes : {shape.substr(0, between), shape.substr(between + 1)}) {
        std::vector<std::string> numbers = CLI::detail::split(sizes, ',');
        if (numbers.size() > 3) refuse();
        numbers.resize(3, "1");
        for (const std::string& number : numbers) {
            if (number.empty() || number.size() > 10 || number.find_first_not_of("0123456789") != number.npos ||
                std::stoull(number) < 1 || std::stoull(number) > 0x7fffffff)
                refuse();
            all.push_back(std::stoll(number));
        }
    }
    return all;
}

std::int64_t limit_of(const std::string& text)
{
    const std::int64_t limit = parse_size(text, "--memory-limit");
    if (limit < 1) throw error("--memory-limit: every launch needs memory", "write a size, such as 4G");
    return limit;
}

std::string blocks_text(const std::array<std::uint32_t, 3>& sizes)
{
    return sizes[1] * sizes[2] == 1 ? fmt::format("{}", sizes[0]) : fmt::format("({})", fmt::join(sizes, ", "));
}

std::string megabytes(std::uint64_t bytes)
{
    return fmt::format("{:.1f} MB", static_cast<double>(bytes) * 1e-6);
}

std::uint64_t bytes_below(const fs::path& folder)
{
    std::uint64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder))
        if (entry.is_regular_file()) bytes += entry.file_size();
    return bytes;
}

void report_kept_launch(const kept_launch& kept, const fs::path& folder)
{
    const captured_launch& launch = kept.launch;
    std::uint64_t bytes = 0;
    for (const captured_memory& memory : launch.memory) bytes += memory.bytes;
    say(fmt::format(
        "captured {} <<<{}, {}>>>: {} of memory in {} {}, of which the launch changed {} bytes, and {} {}; "
        "in {}, {}",
        shortened(shown(short_name(demangle(launch.kernel))), widest_name_in_sentence), blocks_text(launch.grid),
        blocks_text(launch.block), megabytes(bytes), launch.memory.size(),
        launch.memory.size() == 1 ? "allocation" : "allocations",
        with_commas(static_cast<std::int64_t>(launch.changed_bytes())), launch.variables.size(),
        launch.variables.size() == 1 ? "variable" : "variables", folder.string(), megabytes(bytes_below(folder))));
    for (const std::string& warning : launch.warnings) say(shown(warning));
    if (launch.changed_bytes() == 0)
        say("the launch changed no byte, perhaps because it ran before with the same data: choose another with --nth");
    say(fmt::format("next: launchbox tune {} --replay-check", (folder / (kept.name + ".toml")).string()));
    if (!launch.ptx.empty())
        say(fmt::format("its PTX is there too: launchbox tune {} tries other register limits",
                        (folder / (kept.name + "_registers.toml")).string()));
}

capture_request request_of(const capture_options& options, const std::vector<std::string>& command)
{
    capture_request request{.command = command, .follow_children = options.follow_children, .keep = {}};
    const bool keeps = !options.typed.kernel.empty();
    if (!keeps && (options.typed.nth != 1 || !options.typed.shape.empty() || options.typed.all_memory ||
                   !options.memory_limit.empty()))
        throw error("--nth, --shape, --all-memory and --memory-limit select one launch and need -k",
                    "add -k with the name of its kernel");
    if (!keeps) return request;
    if (options.all || options.output.format != "table")
        throw error("--all and --format belong to the list of launches, and -k writes a folder",
                    "leave them out, or leave out -k");
    if (!options.output.file.is_file())
        throw error("-k captures a launch into a folder, which is not named", "add -o FOLDER");
    launch_choice& keep = request.keep.emplace(options.typed);
    if (!keep.shape.empty()) keep.sizes = shape_sizes(keep.shape);
    if (!options.memory_limit.empty()) keep.memory_limit = limit_of(options.memory_limit);
    const fs::path wanted = fs::path(options.output.file.path).lexically_normal();
    keep.folder = wanted.has_filename() ? wanted : wanted.parent_path();
    return request;
}

exit_status run_capture(const capture_options& options, const std::vector<std::string>& command)
{
    refuse_capture(command);
    const capture_request request = request_of(options, command);
    if (!request.keep) check_output(options.output.file);
    const capture_result result = capture_program(request);
    const auto status = static_cast<exit_status>(result.run.ending.status);
    if (result.kept) {
        report_kept_launch(*result.kept, request.keep->folder);
        return status;
    }
    if (request.keep) {
        say(result.not_kept);
        return status != exit_status::done ? status : exit_status::check_failed;
    }
    if (!result.nothing_seen.empty()) say(result.nothing_seen);
    if (result.nothing_seen.empty() || !options.output.file.path.empty() || options.output.format != "table")
        write_report(options.output,
                     {[&](const output_style&) { return launches_document(result.run, {.all = options.all}); },
                      [&] { return launches_json(result.run); }, [&] { return launches_table(result.run); }},
                     true);
    return status;
}

}  // namespace

void add_capture(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand(
        "capture",
        "Run a program and list the kernels that it launches: shapes, times, occupancy, waves, and possible gains");
    context.runs_program = verb;
    auto options = std::make_shared<capture_options>();
    verb->add_option("PROGRAM", context.compiler_flags,
                     "The program and its arguments: everything from the first word that is not an option of capture, "
                     "or everything after --")
        ->type_name("");
    options->output.add_to(*verb);
    verb->add_flag("--follow-children", options->follow_children, "Also observe the processes that the program starts");
    verb->add_flag("--all", options->all, "List every kernel, shape and finding, not only the longest");
    verb->add_option(
            "-k,--kernel", options->typed.kernel,
            "Capture a launch of this kernel into the folder -o, with its code, arguments and memory; its name "
            "or a pattern: 'layernorm*'")
        ->type_name("NAME");
    verb->add_option("--nth", options->typed.nth, "With -k: the N-th of the launches that match; default: the first")
        ->transform(whole_number(1, std::int64_t{1} << 40))
        ->type_name("N");
    verb->add_option("--shape", options->typed.shape, "With -k: only launches of this shape: 8192x256, 64,64x16,16")
        ->type_name("GRIDxBLOCK");
    verb->add_flag("--all-memory", options->typed.all_memory,
                   "With -k: all device memory of the program, not only what the arguments point to");
    verb->add_option("--memory-limit", options->memory_limit, "With -k: the most memory to capture; default: 4G")
        ->type_name("SIZE");
    add_examples(*verb, "launchbox capture true", "launchbox capture --format json -o launches.json -- true");
    verb->callback([options, &context] {
        context.action = [options, &context] { return run_capture(*options, context.compiler_flags); };
    });
}

}  // namespace launchbox::cli
