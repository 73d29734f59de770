// launchbox capture: which kernels a program launches, how often and how, or one launch of them, kept whole.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "app/sizes.hpp"
#include "capture/folder/raw_launch.hpp"
#include "capture/launches/observed_run.hpp"
#include "capture/record/launch_format.hpp"
#include "capture/session/observer_bytes.hpp"
#include "cli/messages.hpp"
#include "cli/report_output.hpp"
#include "cli/verbs.hpp"
#include "image/names/demangle.hpp"
#include "report/capture/launches_report.hpp"
#include "report/core/short_names.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

constexpr const char* injection_variable = "CUDA_INJECTION64_PATH";

struct capture_options {
    output_options output;
    bool follow_children = false;
    bool all = false;
    std::string kernel, shape, memory_limit;
    std::uint64_t nth = 1;
    bool all_memory = false;
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

// The driver says nothing where it cannot load the observer. It stays loaded here: what its C++ library allocated when
// it was loaded would be lost.
void check_loadable(const fs::path& library)
{
    if (::dlopen(library.c_str(), RTLD_LAZY | RTLD_LOCAL) == nullptr)
        throw error(fmt::format("the observer cannot be loaded: {}", ::dlerror()),
                    "set TMPDIR to a folder from which libraries may be loaded", exit_status::missing);
}

// "8192x256", "64,64x16,16" as the observer wants it: six numbers.
std::string shape_words(const std::string& shape)
{
    const auto refuse = [&] {
        throw error(fmt::format("--shape {} is no grid and block", shape),
                    "write --shape 8192x256, or with more dimensions --shape 64,64x16,16");
    };
    std::string words;
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
            words += (words.empty() ? "" : " ") + number;
        }
    }
    return words;
}

std::int64_t limit_of(const std::string& text)
{
    const std::int64_t limit = parse_size(text, "--memory-limit");
    if (limit < 1) throw error("--memory-limit: there is no launch without memory", "write a size, such as 4G");
    return limit;
}

// The folder of a capture is made anew.
void check_folder(const fs::path& folder)
{
    std::error_code failure;
    if (fs::exists(fs::symlink_status(folder, failure)))
        throw error(fmt::format("{} is there already", folder.string()), "name a folder that is not, or remove it");
}

std::string tunable_name(const fs::path& folder)
{
    std::string name = folder.filename().string();
    for (char& letter : name)
        if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '_' && letter != '-' && letter != '.')
            letter = '_';
    if (name.front() == '.' || name.front() == '-') name.front() = '_';
    return name.substr(0, 100);
}

std::string why_not_captured(const observed_run& run, const capture_options& options, const fs::path& observed)
{
    for (const std::string& warning : run.warnings)
        if (warning.starts_with("the launch was not captured")) return warning;
    // A process that is killed says nothing.
    if (fs::exists(observed / record::claim_file))
        return "the launch was not captured: the program ended before the launch was over, or while it was copied";
    std::string nothing = why_nothing_seen(run);
    if (!nothing.empty()) return nothing;
    std::vector<std::string> names;
    for (const auto& launches : run.launches)
        if (std::ranges::find(names, launches.short_form) == names.end()) names.push_back(launches.short_form);
    names = shortened_apart(names, widest_name_in_sentence);
    std::string list;
    constexpr std::size_t max_names = 20;
    for (std::size_t i = 0; i < names.size() && i < max_names; ++i) list += (i > 0 ? ", " : "") + names[i];
    if (names.size() > max_names) list += fmt::format(" and {} more", names.size() - max_names);
    return fmt::format("no launch was captured: none {}fits -k {}; there were {}",
                       options.shape.empty() ? "" : fmt::format("of shape {} ", options.shape), options.kernel, list);
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

// What the observer kept becomes the user's folder, at once and whole.
void keep_launch(raw_launch raw, const observed_run& run, const fs::path& observed, const fs::path& made,
                 const fs::path& folder)
{
    raw.launch.command = run.command;
    fs::create_directory(made);
    const std::string name = tunable_name(folder);
    const captured_launch launch = write_capture_folder(std::move(raw), observed, made, name);
    fs::permissions(made, fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec |
                              fs::perms::others_read | fs::perms::others_exec);
    move_to_new_name(made, folder);
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
        say("the launch changed no byte, as when it was made before with the same data: --nth takes another");
    say(fmt::format("next: launchbox tune {} --replay-check", (folder / (name + ".toml")).string()));
    if (!launch.ptx.empty())
        say(fmt::format("its PTX is there, too: launchbox tune {} tries other register limits",
                        (folder / (name + "_registers.toml")).string()));
}

exit_status run_capture(const capture_options& options, const std::vector<std::string>& command)
{
    check_before_start(command);
    const bool keeps = !options.kernel.empty();
    if (!keeps && (options.nth != 1 || !options.shape.empty() || options.all_memory || !options.memory_limit.empty()))
        throw error("--nth, --shape, --all-memory and --memory-limit say more of one launch, and none is named",
                    "name its kernel with -k");
    if (keeps && (options.all || options.output.format != "table"))
        throw error("--all and --format are of the list of launches, and -k makes a folder",
                    "leave them out, or leave out -k");
    if (!keeps) check_output(options.output.file);
    if (keeps && !options.output.file.is_file())
        throw error("-k captures a launch into a folder, and none is named", "add -o FOLDER");
    const fs::path wanted = fs::path(options.output.file.path).lexically_normal();
    const fs::path target = wanted.has_filename() ? wanted : wanted.parent_path();
    std::optional<temporary_directory> beside;  // the folder is renamed at the end, which needs the same disk
    if (keeps) {
        check_folder(target);
        beside.emplace(target.has_parent_path() ? target.parent_path() : fs::path("."));
    }
    const temporary_directory folder;
    const fs::path library = folder.path() / "liblaunchbox_observer.so";
    write_file_atomically(library, observer_bytes());
    check_loadable(library);

    const fs::path observed = fs::absolute(keeps ? beside->path() : folder.path());
    program_environment environment;
    environment.variables = {{injection_variable, library.string()}, {record::folder_variable, observed.string()}};
    if (!options.follow_children) environment.own_number = record::process_variable;
    if (keeps) {
        const std::int64_t limit = limit_of(options.memory_limit.empty() ? "4G" : options.memory_limit);
        environment.variables.insert(environment.variables.end(),
                                     {{record::kernel_variable, options.kernel},
                                      {record::nth_variable, std::to_string(options.nth)},
                                      {record::limit_variable, std::to_string(limit)},
                                      {record::all_memory_variable, options.all_memory ? "1" : "0"}});
        if (!options.shape.empty())
            environment.variables.emplace_back(record::shape_variable, shape_words(options.shape));
    }
    const program_ending ending = run_observed(command, environment);

    observed_run run = read_observed(observed);
    run.command = command;
    run.ending = ending;
    if (keeps) {
        try {
            std::optional<raw_launch> raw = read_raw_launch(observed);
            if (raw) {
                keep_launch(*std::move(raw), run, observed, beside->path() / "made", target);
                return static_cast<exit_status>(ending.status);
            }
            say(shown(why_not_captured(run, options, observed)));
        } catch (const error& failure) {
            say(shown(failure.what()));
        }
        return ending.status != 0 ? static_cast<exit_status>(ending.status) : exit_status::check_failed;
    }
    const std::string nothing = why_nothing_seen(run);
    if (!nothing.empty()) say(nothing);
    if (nothing.empty() || !options.output.file.path.empty() || options.output.format != "table")
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
    verb->add_option(
            "-k,--kernel", options->kernel,
            "Capture a launch of this kernel into the folder -o, with its code, arguments and memory; its name "
            "or a pattern: 'layernorm*'")
        ->type_name("NAME");
    verb->add_option("--nth", options->nth, "With -k: of the launches that fit, this one; default: the first")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 40))
        ->type_name("N");
    verb->add_option("--shape", options->shape, "With -k: only launches of this shape: 8192x256, 64,64x16,16")
        ->type_name("GRIDxBLOCK");
    verb->add_flag("--all-memory", options->all_memory,
                   "With -k: all device memory of the program, not only what the arguments lead to");
    verb->add_option("--memory-limit", options->memory_limit, "With -k: no more memory than this; default: 4G")
        ->type_name("SIZE");
    add_examples(*verb, "launchbox capture -- true", "launchbox capture --format json -o launches.json -- true");
    verb->callback([options, &context] {
        context.action = [options, &context] { return run_capture(*options, context.compiler_flags); };
    });
}

}  // namespace launchbox::cli
