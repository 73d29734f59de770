// launchbox check: whether every kernel keeps to its budget, and none is worse than in the baseline.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <map>
#include <memory>
#include <optional>

#include "advice/check/budget_file.hpp"
#include "advice/check/compare_baseline.hpp"
#include "advice/check/whole_limits.hpp"
#include "advice/inspect/inspected_kernel.hpp"
#include "cli/inspect_totals.hpp"
#include "cli/kernel_input.hpp"
#include "cli/launch_options.hpp"
#include "cli/messages.hpp"
#include "cli/verbs.hpp"
#include "image/skipped_images.hpp"
#include "report/check/check_report.hpp"
#include "report/check/github_annotations.hpp"
#include "report/check/junit.hpp"
#include "report/check/sarif.hpp"
#include "support/files/files.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox::cli {

namespace {

constexpr const char* default_budget = "launchbox.budget.toml";
constexpr const char* default_baseline = "launchbox.baseline";
constexpr std::size_t max_baseline_bytes = std::size_t{256} << 20;
constexpr std::size_t max_failures_named = 20;

struct check_options {
    kernel_input_options input;
    output_options output;
    std::string budget, baseline;
    bool write_baseline = false;
    bool allow_empty = false;
    std::string stack_reserve, size;  // sizes, as typed
    bool bisect = false;
};

/// What the kernels are compared with.
struct references {
    std::optional<budget> limits;
    std::optional<baseline> before;
};

exit_status write_baseline(const check_options& options, const kernel_input& input, const check_result& result);
references read_references(const check_options& options);
check_result checked_kernels(const kernel_input& input);
std::vector<unchecked_part> unchecked_parts(const check_options& options, const kernel_input& input);
void check_all(const check_options& options, const kernel_input& input, const references& given, check_result& result);
std::vector<target> wanted_targets(const std::string& architectures)
{
    if (architectures.empty() || ("," + architectures + ",").find(",all,") != std::string::npos) return {};
    return named_targets(architectures, {});
}

// What is there of one input, or of all: what was checked, and what was found only as PTX.
struct architectures_found {
    std::vector<const kernel_info*> checked;
    std::vector<const found_kernel*> ptx;

    void add(const found_kernel& kernel)
    {
        if (is_ptx(kernel.info))
            ptx.push_back(&kernel);
        else
            checked.push_back(&kernel.info);
    }
    // Code for the architecture, or what runs there instead.
    [[nodiscard]] bool has(const target& wanted) const
    {
        return std::ranges::any_of(checked, [&](const kernel_info* kernel) {
            return kernel->architecture.empty() || matches_architecture(wanted.architecture, kernel->architecture) ||
                   matches_architecture(wanted.architecture, architecture_where_run(*kernel));
        });
    }
    [[nodiscard]] std::vector<std::string> architectures() const
    {
        std::vector<std::string> names;
        for (const kernel_info* kernel : checked)
            if (std::ranges::find(names, kernel->architecture) == names.end()) names.push_back(kernel->architecture);
        return names;
    }
};

constexpr std::size_t max_missing_named = 5;
constexpr const char* only_as_ptx = "only as PTX, and PTX has no registers yet";

std::string why_nothing(const architectures_found& found, const std::vector<binary_image>& images)
{
    if (!found.ptx.empty())
        return fmt::format("{} there {}",
                           found.ptx.size() == 1 ? "1 kernel is" : fmt::format("{} kernels are", found.ptx.size()),
                           only_as_ptx);
    const std::string held = images_without_kernels_text(images);
    return held.empty() ? "it has none" : "it holds " + held;
}

// A gate that saw nothing has failed: each input, and each kernel for each architecture that was named. With a pattern
// the kernel may be in any of the inputs. An input with errors has its own exit status.
std::vector<unchecked_part> unchecked_parts(const check_options& options, const kernel_input& input)
{
    std::vector<unchecked_part> parts;
    if (input.interrupted) return parts;
    const std::vector<target> targets = wanted_targets(options.input.architectures);
    const auto look = [&](const std::string& file, const architectures_found& found,
                          const std::vector<binary_image>& images, const std::vector<missing_kernel>& missing) {
        if (found.checked.empty() && missing.empty()) {
            parts.push_back({file, "", why_nothing(found, images), !options.allow_empty});
            return;
        }
        for (const target& wanted : targets) {
            const std::string name(architecture_name(wanted.architecture).view());
            std::vector<std::string> absent, as_ptx, there;
            for (const missing_kernel& kernel : missing) {
                if (kernel.wanted != wanted.architecture) continue;
                absent.push_back(kernel.short_form);
                for (const std::string& other : kernel.there)
                    if (std::ranges::find(there, other) == there.end()) there.push_back(other);
            }
            if (absent.empty()) there = found.architectures();
            for (const found_kernel* kernel : found.ptx)
                if (matches_architecture(wanted.architecture, architecture_where_run(kernel->info)))
                    as_ptx.push_back(kernel->short_form);
            const bool none = !found.has(wanted);
            if (!as_ptx.empty())
                parts.push_back({file, name,
                                 none && absent.empty() ? std::string("it is there ") + only_as_ptx
                                                        : std::string("there ") + only_as_ptx,
                                 true, false, none && absent.empty() ? std::vector<std::string>{} : as_ptx});
            // Where all of many are missing, their names tell nothing.
            if (none && as_ptx.empty() && absent.size() > max_missing_named) absent.clear();
            if (!absent.empty() || (none && as_ptx.empty()))
                parts.push_back({file, name, fmt::format("--arch asks for it, and there is {}", fmt::join(there, ", ")),
                                 true, false, absent});
        }
    };
    if (!options.input.kernel.empty()) {
        architectures_found found;
        for (const found_kernel& kernel : input.kernels) found.add(kernel);
        std::vector<missing_kernel> missing;
        for (const input_summary& summary : input.inputs)
            missing.insert(missing.end(), summary.missing.begin(), summary.missing.end());
        // Another input may have it.
        std::erase_if(missing, [&](const missing_kernel& one) {
            return std::ranges::any_of(input.kernels, [&](const found_kernel& kernel) {
                return kernel.info.name == one.name &&
                       matches_architecture(one.wanted, architecture_where_run(kernel.info));
            });
        });
        look("", found, {}, missing);
        return parts;
    }
    std::map<std::string_view, architectures_found> found_in;
    for (const found_kernel& kernel : input.kernels) found_in[kernel.info.source.file].add(kernel);
    for (const input_summary& summary : input.inputs)
        if (summary.errors.empty() && !summary.is_container)
            look(summary.file, found_in[summary.file], summary.images, summary.missing);
    return parts;
}

check_outcome outcome_of(const kernel_input& input, check_result result);
void say_what_failed(const check_options& options, const check_result& result);

/// Some file of the user is wrong in several places, which are already printed.
struct told_already {};

void check_totals(const check_options& options, const kernel_input& input, check_result& result)
{
    if (!options.stack_reserve.empty())
        check_stack_reserve(parse_size(options.stack_reserve, "--stack-reserve"), result);
    if (options.size.empty()) return;
    std::vector<file_images> files;
    for (const input_summary& summary : input.inputs) {
        // What nothing was counted of has not kept to a limit.
        if (summary.kind == "CUDA source" || summary.kind == "compiler log")
            throw error("--size counts the images in a file, and " + escape_for_terminal(summary.file) + " is a " +
                            summary.kind,
                        "give it what the compiler wrote: a cubin, an object, a library or a program");
        if (!summary.images.empty()) files.push_back({summary.file, image_bytes_of(summary)});
    }
    check_image_bytes(parse_size(options.size, "--size"), files, result);
}

// Whether people read it in the report: CSV has rows for kernels alone, and why the exit status is 2 is no secret.
bool for_people(const std::string& format, const unchecked_part& part)
{
    if (format == "csv") return false;
    return !part.is_gate || format == "table" || format == "markdown" || format == "github";
}

output_file baseline_to_write(const check_options& options)
{
    return {.path = options.baseline.empty() ? default_baseline : options.baseline,
            .overwrite = options.output.file.overwrite};
}

exit_status run_check(const check_options& options, const call_context& context)
try {
    references given;
    if (options.write_baseline) check_output(baseline_to_write(options));
    refuse_input(options.output.file);
    for (const auto& [text, option] : {std::pair{&options.stack_reserve, "--stack-reserve"}, {&options.size, "--size"}})
        if (!text->empty()) (void)parse_size(*text, option);
    if (!options.write_baseline) given = read_references(options);  // mistakes in them cost no compiling
    check_output(options.output.file);                              // which may be one of them
    kernel_input_options wanted = options.input;
    wanted.keep_unlinked = true;  // the worst of what both say counts
    const kernel_input input = read_kernels(wanted, context.compiler_flags);
    check_result result = checked_kernels(input);
    for (const input_summary& one : input.inputs) result.inputs_with_errors += one.errors.empty() ? 0 : 1;
    result.interrupted = input.interrupted;
    if (options.input.dynamic_shared) result.dynamic_shared_of = dynamic_shared_function(*options.input.dynamic_shared);
    if (options.write_baseline) return write_baseline(options, input, result);
    check_all(options, input, given, result);
    check_totals(options, input, result);
    // What an input with errors does not show is not missing.
    if (input.status() != exit_status::done || !options.input.kernel.empty()) {
        result.unused_rules.clear();
        result.gone.clear();
    }
    for (unchecked_part& part : unchecked_parts(options, input)) result.unchecked.push_back(std::move(part));
    if (input.status() == exit_status::done) result.add_idle_gates(options.allow_empty);
    const bool failed = result.failed();
    const check_outcome outcome = outcome_of(input, std::move(result));
    report_forms forms;
    forms.page = [&](const output_style&) { return check_document(outcome); };
    forms.json = [&] { return check_json(outcome); };
    forms.rows = [&] { return check_table(outcome); };
    forms.others = {{"sarif", [&] { return check_sarif(outcome).dump(2) + '\n'; }},
                    {"junit", [&] { return check_junit(outcome); }},
                    {"github", [&] { return check_annotations(outcome); }}};
    write_report(options.output, forms);
    print_errors(input);
    if (options.output.file.is_file() && failed)
        say_what_failed(options, outcome.result);
    else
        for (const unchecked_part& part : outcome.result.unchecked)
            if (!for_people(options.output.format, part)) say(unchecked_text(part));
    if (input.status() != exit_status::done) return input.status();
    if (outcome.result.has_idle_gate()) return exit_status::bad_input;
    return failed ? exit_status::check_failed : exit_status::done;
} catch (const told_already&) {
    return exit_status::bad_input;
}

// git takes 125 as "this commit tells nothing", 1 to 124 as "bad", and more than 127 as the end of the search.
exit_status run_for_bisect(const check_options& options, const call_context& context)
{
    exit_status status = exit_status::untestable;
    try {
        status = run_check(options, context);
    } catch (const error& failure) {
        say(std::string(failure.what()) + (failure.hint().empty() ? "" : "; " + failure.hint()));
    }
    if (status == exit_status::interrupted) return static_cast<exit_status>(130);
    return status == exit_status::done || status == exit_status::check_failed ? status : exit_status::untestable;
}

}  // namespace

void add_check(CLI::App& app, call_context& context)
{
    CLI::App* verb = app.add_subcommand("check", "Check kernels against a budget and against an earlier build");
    auto options = std::make_shared<check_options>();
    options->input.add_to(*verb, true);
    options->input.add_dynamic_shared(*verb);
    CLI::Option* budget_option =
        verb->add_option("--budget", options->budget,
                         "The limits, a TOML file; default: launchbox.budget.toml where it exists")
            ->type_name("FILE");
    verb->add_option("--baseline", options->baseline,
                     "The figures of an earlier build; default: launchbox.baseline where it exists")
        ->type_name("FILE");
    CLI::Option* write = verb->add_flag("--write-baseline", options->write_baseline,
                                        "Write the figures of this build into the baseline; checks nothing");
    CLI::Option* allow_empty = verb->add_flag("--allow-empty", options->allow_empty,
                                              "No failure: an input without a kernel to check, a budget or a baseline "
                                              "that nothing was compared with");
    CLI::Option* reserve =
        verb->add_option("--stack-reserve", options->stack_reserve,
                         "At most so much memory of any GPU may be set aside for stacks: bytes, or 64M")
            ->type_name("SIZE");
    CLI::Option* size =
        verb->add_option("--size", options->size, "At most so many bytes of images in each file: bytes, or 300M")
            ->type_name("SIZE");
    verb->add_flag(
        "--bisect", options->bisect,
        "Exit with 125 where nothing can be checked, as for a source that does not compile: for git bisect run");
    options->output.add_to(*verb, {"sarif", "junit", "github"});
    for (CLI::Option* other : {budget_option, allow_empty, reserve, size}) write->excludes(other);
    for (const char* other : {"--kernel", "--format", "--output"}) write->excludes(verb->get_option(other));
    add_examples(*verb, "launchbox check tests/data/logs/basic_sm_90.log --budget examples/launchbox.budget.toml",
                 "launchbox check examples/merge.cu --arch sm_90 --baseline merge.baseline --write-baseline");
    verb->callback([options, &context] {
        context.for_bisect = options->bisect;
        context.action = [options, &context] {
            return options->bisect ? run_for_bisect(*options, context) : run_check(*options, context);
        };
    });
}

namespace {

bool is_there(const char* file)
{
    std::error_code failure;
    return std::filesystem::exists(std::filesystem::symlink_status(file, failure));
}

void print_file_errors(const std::string& file, const std::vector<file_error>& errors)
{
    for (const file_error& wrong : errors) {
        std::string place = fmt::format("{}:{}", file == "-" ? "standard input" : file, wrong.line);
        if (wrong.column > 0) place += fmt::format(":{}", wrong.column);
        say(fmt::format("{}: {}; {}", place, wrong.what, wrong.hint));
    }
}

// What the user named may be a pipe; what is found here may not.
std::string content_of(const std::string& named, const std::string& file, std::size_t cap)
{
    return named.empty() ? read_file(file, cap) : read_input(file, cap);
}

references read_references(const check_options& options)
{
    references given;
    const std::string budget_file =
        options.budget.empty() && is_there(default_budget) ? default_budget : options.budget;
    const std::string baseline_file =
        options.baseline.empty() && is_there(default_baseline) ? default_baseline : options.baseline;
    if (budget_file.empty() && baseline_file.empty()) {
        if (!options.stack_reserve.empty() || !options.size.empty()) return given;
        throw error(fmt::format("there is nothing to check against: neither {} nor {} is here", default_budget,
                                default_baseline),
                    "write [defaults] and, below it, max_spill_bytes = 0 into launchbox.budget.toml; or write a "
                    "baseline with --write-baseline");
    }
    const std::vector<std::string>& inputs = options.input.files;
    if ((budget_file == "-" || baseline_file == "-") &&
        (budget_file == baseline_file || std::find(inputs.begin(), inputs.end(), "-") != inputs.end()))
        throw error("standard input can be read only once", "name a file for the other");

    bool wrong = false;
    if (!budget_file.empty()) {
        budget_reading reading =
            parse_budget(utf8_text(content_of(options.budget, budget_file, 2 * max_budget_bytes)), budget_file);
        print_file_errors(budget_file, reading.errors);
        wrong |= !reading.errors.empty();
        given.limits = std::move(reading.value);
    }
    if (!baseline_file.empty()) {
        baseline_reading reading =
            parse_baseline(utf8_text(content_of(options.baseline, baseline_file, max_baseline_bytes)), baseline_file);
        print_file_errors(baseline_file, reading.errors);
        wrong |= !reading.errors.empty();
        given.before = std::move(reading.value);
    }
    if (wrong) throw told_already();
    if (given.limits && !given.limits->has_limits() && !given.before)
        throw error(budget_file + " sets no limit", "write max_spill_bytes = 0 below [defaults], for example");
    return given;
}

check_result checked_kernels(const kernel_input& input)
{
    check_result result;
    std::vector<checked_kernel> found;
    for (const found_kernel& kernel : input.kernels) {
        if (is_ptx(kernel.info))
            ++result.ptx_only;
        else
            found.push_back({kernel.info, kernel.demangled, kernel.short_form});
    }
    result.kernels = one_of_each(std::move(found));
    for (const checked_kernel& kernel : result.kernels) {
        bool relocatable = false;
        for (std::size_t i = 0; i < kernel.copies(); ++i) relocatable |= kernel.copy(i).info.relocatable;
        result.unlinked += relocatable ? 1 : 0;
    }
    return result;
}

void check_all(const check_options& options, const kernel_input& input, const references& given, check_result& result)
{
    if (given.limits) check_budget(*given.limits, result);
    if (!given.before) return;
    baseline_policy policy;
    policy.unknown_fails = !given.limits || given.limits->unknown_fails;
    std::vector<target> targets;
    if (!options.input.architectures.empty())
        targets = named_targets(options.input.architectures, known_capabilities());
    // A source is compiled for what is asked and nothing else; of binaries and logs sm_90 shows sm_90a as well.
    const bool compiled = std::all_of(input.inputs.begin(), input.inputs.end(),
                                      [](const input_summary& input) { return input.kind == "CUDA source"; });
    policy.expected = [&](const std::string& architecture) {
        return targets.empty() || std::any_of(targets.begin(), targets.end(), [&](const target& wanted) {
                   return compiled ? architecture_name(wanted.architecture).view() == architecture
                                   : matches_architecture(wanted.architecture, architecture);
               });
    };
    compare_baseline(*given.before, policy, result);
}

check_outcome outcome_of(const kernel_input& input, check_result result)
{
    std::error_code failure;
    return {std::move(result), inspected_inputs(input), std::filesystem::current_path(failure).string(),
            LAUNCHBOX_VERSION};
}

exit_status write_baseline(const check_options& options, const kernel_input& input, const check_result& result)
{
    const output_file output = baseline_to_write(options);
    print_errors(input);
    if (input.status() != exit_status::done) {
        std::cerr << "launchbox: nothing was written, since not everything could be read\n";
        return input.status();
    }
    if (result.kernels.empty())
        throw error("there is no kernel with figures, and no baseline was written", "PTX alone has no figures");
    std::vector<baseline_entry> entries;
    for (const checked_kernel& kernel : result.kernels) entries.push_back(entry_of(kernel));
    const std::string text = baseline_text(std::move(entries));
    write_output(output, [&](std::ostream& out) { out << text; });
    if (!output.is_file()) return exit_status::done;
    const std::string count = with_commas(static_cast<std::int64_t>(result.kernels.size())) +
                              (result.kernels.size() == 1 ? " kernel × architecture" : " kernels × architectures");
    std::cout << escape_for_terminal(output.path) << ": "
              << (style_of_standard_output().unicode ? count : to_ascii(count)) << " written\n"
              << std::flush;
    if (!std::cout) throw error("cannot write to standard output", "is the disk full, or the reader gone?");
    return exit_status::done;
}

void say_what_failed(const check_options& options, const check_result& result)
{
    const std::vector<std::string> failures = failures_of(result);
    for (std::size_t i = 0; i < std::min(failures.size(), max_failures_named); ++i) say(failures[i]);
    if (failures.size() > max_failures_named) say(fmt::format("… and {} more", failures.size() - max_failures_named));
    say(summary_of(result) + "; the report is in " + options.output.file.path);
}

}  // namespace

}  // namespace launchbox::cli
