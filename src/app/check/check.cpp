// SPDX-License-Identifier: Apache-2.0
#include "app/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "advice/check/budget_file.hpp"
#include "advice/check/compare_baseline.hpp"
#include "advice/check/whole_limits.hpp"
#include "app/check/unchecked_parts.hpp"
#include "app/inspect/totals.hpp"
#include "support/files/files.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox {

namespace {

constexpr const char* default_budget = "launchbox.budget.toml";
constexpr std::size_t max_baseline_bytes = std::size_t{256} << 20;

bool is_there(const char* file)
{
    std::error_code failure;
    return std::filesystem::exists(std::filesystem::symlink_status(file, failure));
}

void add_errors(const std::string& file, const std::vector<file_error>& errors, std::vector<std::string>& lines)
{
    for (const file_error& wrong : errors) {
        std::string place = fmt::format("{}:{}", file == "-" ? "standard input" : file, wrong.line);
        if (wrong.column > 0) place += fmt::format(":{}", wrong.column);
        lines.push_back(fmt::format("{}: {}; {}", place, wrong.what, wrong.hint));
    }
}

// A file that the user named may be a pipe; one that was found may not.
std::string content_of(const std::string& named, const std::string& file, std::size_t cap)
{
    return named.empty() ? read_file(file, cap) : read_input(file, cap);
}

void check_all(const check_request& request, const kernel_input& input, const check_references& given,
               check_result& result)
{
    if (given.limits) check_budget(*given.limits, result);
    if (!given.before) return;
    baseline_policy policy;
    policy.unknown_fails = !given.limits || given.limits->unknown_fails;
    const std::vector<target> targets = request.input.architectures.named(known_capabilities());
    // A source is compiled exactly for the architectures asked for; in binaries and logs, sm_90 includes sm_90a.
    const bool compiled = std::all_of(input.inputs.begin(), input.inputs.end(),
                                      [](const input_summary& input) { return input.kind == source_kind; });
    policy.expected = [&](const std::string& architecture) {
        return targets.empty() || std::any_of(targets.begin(), targets.end(), [&](const target& wanted) {
                   return compiled ? architecture_name(wanted.architecture).view() == architecture
                                   : matches_architecture(wanted.architecture, architecture);
               });
    };
    compare_baseline(*given.before, policy, result);
}

void check_totals(const check_request& request, const kernel_input& input, check_result& result)
{
    if (request.stack_reserve) check_stack_reserve(*request.stack_reserve, result);
    if (!request.image_bytes) return;
    std::vector<file_images> files;
    for (const input_summary& summary : input.inputs) {
        // A file without countable images has not passed the limit.
        if (!summary.is_compiled())
            throw error("--size counts the images in a file, and " + escape_for_terminal(summary.file) + " is a " +
                            summary.kind,
                        "name a cubin, an object, a library or a program");
        if (!summary.images.empty()) files.push_back({summary.file, image_bytes_of(summary)});
    }
    check_image_bytes(*request.image_bytes, files, result);
}

}  // namespace

check_references read_references(const check_request& request)
{
    check_references given;
    const std::string budget_file =
        request.budget.empty() && is_there(default_budget) ? default_budget : request.budget;
    const std::string baseline_file =
        request.baseline.empty() && is_there(default_baseline) ? default_baseline : request.baseline;
    if (budget_file.empty() && baseline_file.empty()) {
        if (request.stack_reserve || request.image_bytes || request.keeps_figures) return given;
        throw error(fmt::format("there is nothing to check against: neither {} nor {} exists here", default_budget,
                                default_baseline),
                    "write [defaults] and, below it, max_spill_bytes = 0 into launchbox.budget.toml; or write a "
                    "baseline with --write-baseline");
    }
    const std::vector<std::string>& inputs = request.input.files;
    if ((budget_file == "-" || baseline_file == "-") &&
        (budget_file == baseline_file || std::find(inputs.begin(), inputs.end(), "-") != inputs.end()))
        throw error("standard input can be read only once", "name a file for the other");

    if (!budget_file.empty()) {
        budget_reading reading =
            parse_budget(utf8_text(content_of(request.budget, budget_file, 2 * max_budget_bytes)), budget_file);
        add_errors(budget_file, reading.errors, given.errors);
        given.limits = std::move(reading.value);
    }
    if (!baseline_file.empty()) {
        baseline_reading reading =
            parse_baseline(utf8_text(content_of(request.baseline, baseline_file, max_baseline_bytes)), baseline_file);
        add_errors(baseline_file, reading.errors, given.errors);
        given.before = std::move(reading.value);
    }
    if (given.errors.empty() && given.limits && !given.limits->has_limits() && !given.before)
        throw error(budget_file + " sets no limit", "write max_spill_bytes = 0 below [defaults], for example");
    return given;
}

checked_files read_checked_kernels(const check_request& request, const listener& news)
{
    kernel_request wanted = request.input;
    wanted.keep_unlinked = true;  // the worse of linked and unlinked code counts
    checked_files files{.input = read_kernels(wanted, news), .result = {}};
    check_result& result = files.result;
    std::vector<checked_kernel> found;
    for (const found_kernel& kernel : files.input.kernels) {
        if (is_ptx(kernel.info))
            ++result.ptx_only;
        else
            found.push_back({kernel.info});
    }
    result.kernels = one_of_each(std::move(found));
    for (const checked_kernel& kernel : result.kernels) {
        bool relocatable = false;
        for (std::size_t i = 0; i < kernel.copies(); ++i) relocatable |= kernel.copy(i).info.relocatable;
        result.unlinked += relocatable ? 1 : 0;
    }
    for (const input_summary& one : files.input.inputs) result.inputs_with_errors += one.errors.empty() ? 0 : 1;
    result.interrupted = files.input.interrupted;
    if (const std::optional<dynamic_shared_size>& size = request.input.dynamic_shared)
        result.dynamic_shared_of = [size = *size](int threads) { return size.bytes(threads); };
    return files;
}

void check_files(const check_request& request, const check_references& given, checked_files& files)
{
    const kernel_input& input = files.input;
    check_result& result = files.result;
    check_all(request, input, given, result);
    check_totals(request, input, result);
    // An input with errors may hide kernels, so nothing is reported as missing.
    if (input.status() != exit_status::done || !request.input.kernel.empty()) {
        result.unused_rules.clear();
        result.gone.clear();
    }
    for (unchecked_part& part : unchecked_parts(request, input)) result.unchecked.push_back(std::move(part));
    if (input.status() == exit_status::done) result.add_idle_gates(request.allow_empty);
}

std::string baseline_of(const check_result& result)
{
    if (result.kernels.empty())
        throw error("there is no kernel with figures, and no baseline was written",
                    "PTX has no figures before it is compiled");
    std::vector<baseline_entry> entries;
    for (const checked_kernel& kernel : result.kernels) entries.push_back(entry_of(kernel));
    return baseline_text(std::move(entries));
}

}  // namespace launchbox
