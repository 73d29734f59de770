// launchbox VERB [file...] [options]
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>

#include "cli/messages.hpp"
#include "cli/option_words.hpp"
#include "cli/output_file.hpp"
#include "cli/run_launchbox.hpp"
#include "cli/shell/command_words.hpp"
#include "cli/verbs.hpp"
#include "compiler/run/toolchain.hpp"
#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "support/process/own_limits.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox::cli {

namespace {

// "launchbox 0.1.0", with the compiler, its path, and the driver of this machine.
std::string version_text(const std::string& version)
{
    std::string text = "launchbox " + version + "\n";
    try {
        const toolchain tools = find_toolchain();
        text += "nvcc " + tools.version + " (" + tools.nvcc.string() + ", found by " + tools.found_by + ")\n";
        if (const std::string ptxas = ptxas_version(tools); !ptxas.empty()) text += "ptxas " + ptxas + "\n";
    } catch (const error& failure) {
        text += std::string("nvcc: ") + failure.what() + "\n";
    }
    const gpu_list gpus = find_gpus();
    text += gpus.driver_version.empty() ? "driver: " + gpus.reason : "driver for CUDA " + gpus.driver_version;
    return text;
}

// CLI11's help, wrapped for a terminal of 80 columns. Commands in the examples are not broken.
class help_formatter : public CLI::Formatter {
public:
    std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override
    {
        constexpr std::size_t width = 80, text_column = 34;
        const std::string whole = CLI::Formatter::make_help(app, std::move(name), mode);
        std::string help;
        bool examples = false;
        for (std::size_t start = 0; start < whole.size();) {
            const std::size_t end = std::min(whole.find('\n', start), whole.size());
            std::string line = whole.substr(start, end - start);
            start = end + 1;
            examples |= line.starts_with("Examples:");
            const std::size_t indent = line.starts_with(' ') ? text_column : 2;
            while (!examples && line.size() > width) {
                std::size_t cut = line.rfind(' ', width);
                if (cut == std::string::npos || cut <= indent) break;
                help.append(line, 0, cut).append("\n");
                line = std::string(indent, ' ') + line.substr(cut + 1);
            }
            help += line + '\n';
        }
        return help;
    }
};

constexpr const char* not_enough_memory = "not enough memory for this input";

bool others_complain = false;  // another process reports the same

// Prints one line with the problem and one with the remedy, whatever failed.
exit_status complain(const std::string& what, const std::string& hint, exit_status status)
{
    if (others_complain) return status;
    const char* no_colour = std::getenv("NO_COLOR");
    const bool colour = ::isatty(STDERR_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
    std::cerr << (colour ? "\x1b[31mlaunchbox:\x1b[0m " : "launchbox: ") << shown(what) << '\n';
    if (!hint.empty()) std::cerr << "  " << shown(hint) << '\n';
    return status;
}

const CLI::App* verb_named(const CLI::App& app, const std::vector<std::string>& words)
{
    for (const CLI::App* verb : app.get_subcommands({}))
        if (words.size() > 1 && verb->get_name() == words[1]) return verb;
    return nullptr;
}

// The words before "--"; the rest is for the compiler, or a program and its arguments. A verb that runs a program needs
// no "--" if the program's name shows where its command line begins.
std::vector<std::string> own_arguments(const CLI::App& app, std::vector<std::string> words, call_context& context)
{
    auto end = std::find(words.begin(), words.end(), "--");
    auto others = end == words.end() ? end : end + 1;
    if (const CLI::App* verb = verb_named(app, words); verb != nullptr && verb == context.runs_program) {
        const auto program = words.begin() + std::ptrdiff_t(sort_words(*verb, words, 2, true).first_argument);
        if (program < end) end = others = program;
    }
    context.compiler_flags.assign(others, words.end());
    words.erase(end, words.end());
    return words;
}

std::string see_help(const CLI::App& app, const CLI::App* verb)
{
    return "see " + app.get_name() + " " + (verb == nullptr ? std::string() : verb->get_name() + " ") + "--help";
}

// If the first word is neither a verb nor an option of launchbox itself, nothing after it can be understood.
std::optional<exit_status> complain_about_first_word(const CLI::App& app, const std::vector<std::string>& words)
{
    if (words.size() < 2) return std::nullopt;
    const std::string word = words[1].substr(0, words[1].find('='));
    std::vector<std::string> verbs, known;
    for (const CLI::App* subcommand : app.get_subcommands({})) verbs.push_back(subcommand->get_name());
    known = verbs;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
        for (const std::string& name : option->get_snames()) known.push_back("-" + name);
    }
    if (std::find(known.begin(), known.end(), word) != known.end()) return std::nullopt;
    const std::string meant = word.size() < 3 ? std::string() : nearest(word, known);
    std::string hint = see_help(app, nullptr);
    if (!meant.empty()) hint = "did you mean " + app.get_name() + " " + meant + "?";
    if (word == "t1") hint = "python3 -m launchbox t1 writes a T1 problem as a spec (pip install cuda-launchbox)";
    return complain((word.starts_with('-') ? "unknown option '" : "unknown command '") + word + "'", hint,
                    exit_status::bad_input);
}

// An unknown option is reported first, before CLI11 reports that something is missing.
std::optional<exit_status> complain_about_unknown_option(const CLI::App& app, const std::vector<std::string>& words)
{
    const CLI::App* verb = verb_named(app, words);
    if (verb == nullptr) return std::nullopt;
    const std::vector<std::string> unknown = sort_words(*verb, words, 2, false).unknown;
    if (unknown.empty()) return std::nullopt;
    std::vector<std::string> known;
    for (const CLI::Option* option : verb->get_options())
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    const std::string meant = unknown[0].size() < 3 ? std::string() : nearest(unknown[0], known);
    return complain("unknown option '" + shortened(unknown[0], 100) + "'",
                    meant.empty() ? see_help(app, verb) : "did you mean " + meant + "?", exit_status::bad_input);
}

// An unset variable in a script gives an empty value: `--gpu "$GPU"` must not mean every GPU. Empty flags are allowed.
void refuse_empty_values(const CLI::App& verb)
{
    for (const CLI::Option* option : verb.get_options()) {
        const bool named = !option->get_lnames().empty();
        const bool counts =
            named ? option->get_items_expected_max() > 0 && option->get_type_name() != "FLAGS" : names_inputs(*option);
        for (const std::string& value : option->results())
            if (counts && value.empty())
                throw error(named ? "--" + option->get_lnames().front() + " is empty" : "the name of a file is empty",
                            named ? "write a value after it, or leave it out" : "write the name, or leave it out");
    }
}

// The same for one value of a list, which CLI11 leaves out: `--gpu "$FIRST,$SECOND"`.
void refuse_empty_parts(const CLI::App& verb, const std::vector<std::string>& words)
{
    for (const CLI::Option* option : verb.get_options()) {
        const char comma = option->get_delimiter();
        for (std::size_t i = 0; comma != '\0' && i < words.size(); ++i)
            for (const std::string& name : words_of(*option)) {
                std::string list;
                if (words[i] == name && i + 1 < words.size()) list = words[i + 1];
                if (words[i].starts_with(name + "=")) list = words[i].substr(name.size() + 1);
                if (list.empty()) continue;
                if (list.front() == comma || list.back() == comma || list.find({comma, comma}) != list.npos)
                    throw error(name + ": a value of '" + shortened(list, 100) + "' is empty",
                                "write a value between the commas, or leave out the comma");
            }
    }
}

// CLI11's messages about a whole command line, in the words of the others; what a value must be, value_checks says.
std::string message_of(const CLI::ParseError& failure, const CLI::App* verb)
{
    std::string text = failure.what();
    const auto before = [&](const char* part) { return text.substr(0, text.find(part)); };
    const auto after = [&](const char* part) { return text.substr(text.find(part) + std::strlen(part)); };
    if (dynamic_cast<const CLI::ExtrasError*>(&failure) != nullptr) return "unexpected argument: " + after(": ");
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&failure) != nullptr)
        return text.ends_with("missing") ? before(": ") + " needs a value" : before(": ") + " may be given only once";
    if (dynamic_cast<const CLI::RequiresError*>(&failure) != nullptr)
        return before(" requires ") + " needs " + after(" requires ");
    if (dynamic_cast<const CLI::RequiredError*>(&failure) != nullptr && verb != nullptr) {
        const std::string name = before(" is required");
        for (const CLI::Option* option : verb->get_options())
            if (option->get_name() == name && option->get_positional())
                return option->get_type_name().substr(0, option->get_type_name().find(':')) + " is missing";
        return name + " is missing";
    }
    if (dynamic_cast<const CLI::ConversionError*>(&failure) != nullptr && text.find(" = ") != text.npos)
        return text.substr(text.find(": ") + 2, text.find(" = ") - text.find(": ") - 2) + " does not take the value '" +
               after(" = ") + "'";
    return text;
}

// `tune` starts this program again as a worker, to compile and measure in processes that may die.
std::optional<int> run_as_worker(int count, char** arguments)
{
    if (count < 3 || std::string_view(arguments[1]) != "--worker") return std::nullopt;
    const std::string_view kind = arguments[2];
    if (kind == "compile") return run_compile_worker();
    if (kind == "gpu" && count >= 4)
        return run_gpu_worker(std::atoi(arguments[3]), std::vector<std::string>(arguments + 4, arguments + count));
    return std::nullopt;
}

exit_status run_command(int count, char** arguments, const remote_tuning* elsewhere)
{
    CLI::App app(elsewhere == nullptr
                     ? "Find the launch configuration of CUDA kernels: inspect, calculate, advise, tune, ship"
                     : "launchbox tune on the GPUs of all ranks that mpirun or srun has started; launchbox has the "
                       "other verbs",
                 elsewhere == nullptr ? "launchbox" : "launchbox-mpi");
    call_context context;
    context.elsewhere = elsewhere;
    app.set_version_flag(
        "--version", [] { return version_text(LAUNCHBOX_VERSION); },
        "Show the versions of launchbox, the compiler and the driver");
    app.require_subcommand(1);
    app.formatter(std::make_shared<help_formatter>());
    app.get_formatter()->column_width(34);
    if (elsewhere == nullptr) {
        for (verb_adder* const add_verb : verbs_of_launchbox) add_verb(app, context);
        add_examples(app, "launchbox occupancy --arch sm_90 --threads 256 --registers 63 --shared 11264",
                     "launchbox devices");
    } else {
        add_tune(app, context);
    }
    add_completion(app, context);
    add_man(app, context);

    context.command = app.get_name();
    for (int i = 1; i < count; ++i) context.command += " " + std::string(arguments[i]);
    std::vector<std::string> words(arguments, arguments + count);
    // `launchbox help inspect` is `launchbox inspect --help`.
    if (words.size() > 1 && words[1] == "help") {
        words.erase(words.begin() + 1);
        words.insert(words.begin() + std::min<std::ptrdiff_t>(2, std::ssize(words)), "--help");
    }
    if (const auto status = complain_about_first_word(app, words)) return *status;
    words = own_arguments(app, std::move(words), context);
    std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);  // in CLI11's order
    try {
        app.parse(reversed);
    } catch (const CLI::Success& wanted) {  // --help, --version
        return static_cast<exit_status>(app.exit(wanted));
    } catch (const CLI::ParseError& failure) {
        if (words.size() == 1) {
            std::cout << app.help();
            return exit_status::bad_input;
        }
        if (const auto status = complain_about_unknown_option(app, words)) return *status;
        std::string message = message_of(failure, verb_named(app, words));
        std::replace(message.begin(), message.end(), '\n', ' ');
        return complain(message, see_help(app, verb_named(app, words)), exit_status::bad_input);
    }
    try {
        need_open_files();
    } catch (const error& failure) {
        if (!context.for_bisect) throw;
        complain(failure.what(), failure.hint(), failure.status());
        return exit_status::untestable;
    }
    for (const CLI::App* verb : app.get_subcommands()) {
        refuse_empty_values(*verb);
        refuse_empty_parts(*verb, words);
    }
    for (const CLI::App* verb : app.get_subcommands())
        for (const CLI::Option* option : verb->get_options())
            if (names_inputs(*option)) note_named_inputs(option->results());
    note_named_inputs(context.compiler_flags);
    return context.action();
}

// The number of a closed descriptor would be given to the next file opened, which would then receive our output.
void open_standard_streams()
{
    for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(number, F_GETFD) < 0 && errno == EBADF)
            static_cast<void>(::open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY));
}

// For exceptions that no handler catches, in a thread or a destructor. Must not allocate.
[[noreturn]] void end_at_once()
{
    const char* what = "launchbox: an unexpected error\n  please report this\n";
    if (const std::exception_ptr failure = std::current_exception()) try {
            std::rethrow_exception(failure);
        } catch (const std::bad_alloc&) {
            what = "launchbox: not enough memory for this input\n  split it\n";
        } catch (...) {
        }
    if (!others_complain && ::write(STDERR_FILENO, what, std::strlen(what)) < 0) {
    }
    ::_exit(static_cast<int>(exit_status::bad_input));
}

// Success requires that all output was written.
int checked_output(exit_status status)
{
    if (std::cout.flush() && std::fflush(stdout) == 0) return static_cast<int>(status);
    return static_cast<int>(complain("cannot write to standard output", "is the disk full, or has the reader ended?",
                                     exit_status::bad_input));
}

}  // namespace

void add_examples(CLI::App& app, const std::string& first, const std::string& second)
{
    app.footer("Examples:\n  " + first + "\n  " + second);
}

int run_launchbox(int count, char** arguments, const remote_tuning* elsewhere, bool quiet)
{
    others_complain = quiet;
    open_standard_streams();
    outlive_own_limits();
    std::signal(SIGPIPE, SIG_DFL);  // so that `launchbox ... | head` ends quietly
    try {
        if (const std::optional<int> status = run_as_worker(count, arguments)) return *status;
        std::set_terminate(end_at_once);  // a worker's parent sees how it died
        return checked_output(run_command(count, arguments, elsewhere));
    } catch (const error& failure) {
        return static_cast<int>(complain(failure.what(), failure.hint(), failure.status()));
    } catch (const std::bad_alloc&) {
        return static_cast<int>(complain(not_enough_memory, "split it", exit_status::bad_input));
    } catch (const std::length_error&) {  // an impossible size
        return static_cast<int>(complain(not_enough_memory, "split it", exit_status::bad_input));
    } catch (const std::filesystem::filesystem_error& failure) {
        // For example, a path that is too long, or a current folder that was deleted.
        return static_cast<int>(complain((failure.path1().empty() ? "the current folder" : failure.path1().string()) +
                                             ": " + failure.code().message(),
                                         "check the path, and that the current folder still exists",
                                         exit_status::bad_input));
    } catch (const std::exception& failure) {
        return static_cast<int>(complain(failure.what(), "please report this", exit_status::bad_input));
    }
}

}  // namespace launchbox::cli
