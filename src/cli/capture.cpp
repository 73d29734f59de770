// launchbox capture: which kernels a program launches, how often, with which shape, and how full the GPU is then.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "capture/launches/observed_run.hpp"
#include "capture/session/observer_bytes.hpp"
#include "cli/messages.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"
#include "report/launches_report.hpp"
#include "support/files/files.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";

struct capture_options {
    output_options output;
    bool follow_children = false;
    bool all = false;
};

void check_before_start(const std::vector<std::string>& command)
{
    if (command.empty())
        throw error("no program to run", "write it and its arguments behind --: launchbox capture -- ./app");
    if (observer_bytes().empty())
        throw error("this launchbox was built without CUPTI's headers and cannot observe programs",
                    "run ./setup, which installs nvidia-cuda-cupti with its CUDA compiler, and build it again",
                    exit_status::missing);
    if (const char* other = std::getenv(injection_variable); other != nullptr && *other != '\0')
        throw error(fmt::format("another profiler is to be attached: {} is {}", injection_variable, other),
                    fmt::format("unset {}, or run the program under that profiler alone", injection_variable));
}

// What is wrong although the program has run, in one line; empty: kernels were seen.
std::string why_nothing_seen(const observed_run& run)
{
    if (run.count > 0) return {};
    if (!run.warnings.empty()) return "no launch was seen: " + run.warnings.front();
    if (run.unobserved > 0)
        return fmt::format("no launch was seen in the program itself; {} of its children used CUDA: --follow-children",
                           run.unobserved);
    if (run.processes.empty()) return "no launch was seen: the program did not use CUDA, or found no driver";
    return "no launch was seen: the program used CUDA and launched no kernel";
}

// The driver says nothing where it cannot load the observer.
void check_loadable(const fs::path& library)
{
    void* const loaded = ::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (loaded == nullptr)
        throw error(fmt::format("the observer cannot be loaded: {}", ::dlerror()),
                    "set TMPDIR to a folder from which libraries may be loaded", exit_status::missing);
    ::dlclose(loaded);
}

exit_status run_capture(const capture_options& options, const std::vector<std::string>& command)
{
    check_before_start(command);
    const temporary_directory folder;
    const fs::path library = folder.path() / "liblaunchbox_observer.so";
    write_file_atomically(library, observer_bytes());
    check_loadable(library);

    program_environment environment;
    environment.variables = {{injection_variable, library.string()}, {record::folder_variable, folder.path().string()}};
    if (!options.follow_children) environment.own_number = record::process_variable;
    const program_ending ending = run_observed(command, environment);

    observed_run run = read_observed(folder.path());
    run.command = command;
    run.ending = ending;
    const std::string nothing = why_nothing_seen(run);
    if (!nothing.empty()) say(nothing);
    if (nothing.empty() || !options.output.path.empty() || options.output.format != "table")
        write_report(options.output,
                     {[&](const output_style&) { return launches_document(run, {.all = options.all}); },
                      [&] { return launches_json(run); }, [&] { return launches_table(run); }},
                     true);
    return static_cast<exit_status>(ending.status);
}

}  // namespace

void add_capture(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("capture",
                                        "Run a program and list the kernels that it launches: shapes, times, "
                                        "occupancy, waves, and what could be gained");
    auto options = std::make_shared<capture_options>();
    options->output.add_to(*verb);
    verb->add_flag("--follow-children", options->follow_children, "Also processes that the program starts");
    verb->add_flag("--all", options->all, "List every kernel, shape and finding, not only the longest");
    add_examples(*verb, "launchbox capture -- true", "launchbox capture --format json -o launches.json -- true");
    verb->callback([options, &context] {
        context.action = [options, &context] { return run_capture(*options, context.compiler_flags); };
    });
}

}  // namespace launchbox::cli
