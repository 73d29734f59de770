// SPDX-License-Identifier: Apache-2.0
#include "app/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "advice/check/budget_file.hpp"
#include "advice/check/check_result.hpp"
#include "advice/check/compare_baseline.hpp"
#include "advice/check/whole_limits.hpp"
#include "app/inspect/totals.hpp"
#include "image/skipped_images.hpp"
#include "support/files/files.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"
#include "support/text/utf8_text.hpp"

namespace launchbox {

namespace {

// What one input, or all of them, contain: the architectures checked, and those found only as PTX.
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
    // Whether there is code for the architecture, or code that runs there.
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
constexpr const char* only_as_ptx = "only as PTX, which has no registers yet";

std::string why_nothing(const architectures_found& found, const std::vector<binary_image>& images)
{
    if (!found.ptx.empty())
        return fmt::format("{} there {}",
                           found.ptx.size() == 1 ? "1 kernel is" : fmt::format("{} kernels are", found.ptx.size()),
                           only_as_ptx);
    const std::string held = images_without_kernels_text(images);
    return held.empty() ? "it has none" : "it holds " + held;
}

// With a pattern, the kernel may be in any of the inputs. An input with errors has its own exit status.
std::vector<unchecked_part> unchecked_parts(const check_request& request, const kernel_input& input)
{
    std::vector<unchecked_part> parts;
    if (input.interrupted) return parts;
    const architecture_list& named = request.input.architectures;
    const std::vector<target> targets = named.has_all() ? std::vector<target>{} : named.named({});
    const auto look = [&](const std::string& file, const architectures_found& found,
                          const std::vector<binary_image>& images, const std::vector<missing_kernel>& missing) {
        if (found.checked.empty() && missing.empty()) {
            parts.push_back({file, "", why_nothing(found, images), !request.allow_empty});
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
                    as_ptx.push_back(kernel->info.short_form);
            const bool none = !found.has(wanted);
            if (!as_ptx.empty())
                parts.push_back({file, name,
                                 none && absent.empty() ? std::string("it is there ") + only_as_ptx
                                                        : std::string("there ") + only_as_ptx,
                                 true, false, none && absent.empty() ? std::vector<std::string>{} : as_ptx});
            // If all of many kernels are missing, a list of their names does not help.
            if (none && as_ptx.empty() && absent.size() > max_missing_named) absent.clear();
            if (!absent.empty() || (none && as_ptx.empty()))
                parts.push_back({file, name,
                                 fmt::format("it is in --arch, and the input has {}", fmt::join(there, ", ")), true,
                                 false, absent});
        }
    };
    if (!request.input.kernel.empty()) {
        architectures_found found;
        for (const found_kernel& kernel : input.kernels) found.add(kernel);
        std::vector<missing_kernel> missing;
        for (const input_summary& summary : input.inputs)
            missing.insert(missing.end(), summary.missing.begin(), summary.missing.end());
        // Another input may have the kernel.
        std::erase_if(missing, [&](const missing_kernel& one) {
            return std::ranges::any_of(input.kernels, [&](const found_kernel& kernel) {
                return kernel.info.name == one.name &&
                       matches_architecture(one.wanted, architecture_where_run(kernel.info));
            });
        });
        look("", found, {}, missing);
        return parts;
    }
    std::vector<architectures_found> found_in(input.inputs.size());
    for (const found_kernel& kernel : input.kernels) found_in[kernel.input].add(kernel);
    for (std::size_t i = 0; i < input.inputs.size(); ++i)
        if (const input_summary& summary = input.inputs[i]; summary.errors.empty() && !summary.is_container)
            look(summary.file, found_in[i], summary.images, summary.missing);
    return parts;
}

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
