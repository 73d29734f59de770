// SPDX-License-Identifier: Apache-2.0
#include "cli/bounds_apply.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "advice/bounds/bound_backup.hpp"
#include "advice/bounds/bound_edit.hpp"
#include "advice/bounds/portable_bounds.hpp"
#include "advice/bounds/unified_diff.hpp"
#include "cli/messages.hpp"
#include "cli/output_file.hpp"

namespace launchbox::cli {

namespace {

// What is to be written for one kernel, or why nothing is.
struct wanted_bound {
    bound_edit_request request;
    std::string nothing;  ///< why nothing is to be written
    std::string refusal;  ///< why it cannot be decided
};

std::string function_name(const std::string& short_form)
{
    const std::string name = short_form.substr(0, short_form.find_first_of("<("));
    return name.substr(name.rfind(':') + 1);
}

wanted_bound bound_for(const answered_kernel& kernel)
{
    const bounds_answer& first = *kernel.answers.front();
    wanted_bound result{.request = {.kernel = function_name(first.short_form)}, .nothing = {}, .refusal = {}};
    for (const bounds_answer* answer : kernel.answers) {
        if (!answer->not_swept.empty())
            result.refusal = answer->not_swept;
        else if (answer->block_sizes.size() != 1)
            result.refusal = "it depends on the block size: say which one you launch with --threads 256";
        else if (!answer->best)
            result.refusal = "no attribute lets it launch on " + answer->architecture;
        if (!result.refusal.empty()) return result;
    }
    const auto recommendation = [](const bounds_answer& answer) -> const bounds_recommendation& {
        return answer.block_sizes.front().recommendation;
    };
    const bool change = std::any_of(kernel.answers.begin(), kernel.answers.end(), [&](const bounds_answer* answer) {
        const bounds_verdict verdict = recommendation(*answer).verdict;
        return verdict == bounds_verdict::write || verdict == bounds_verdict::remove;
    });
    if (!change) {
        result.nothing = recommendation(first).reason;
        return result;
    }
    result.request.attribute = attribute_source(recommendation(first).attribute);
    if (const std::optional<portable_bounds> portable = portable_bounds_of(kernel.answers)) {
        result.request.attribute = portable->attribute;
        result.request.preamble = portable->lines;
    }
    return result;
}

bool same_file(const std::string& one, const std::string& other)
{
    std::error_code ignored;
    return one == other || std::filesystem::equivalent(one, other, ignored);
}

void refuse(const std::string& name, const std::string& why, const bound_edit_request& request)
{
    say(name + " is not edited: " + why + "; write there:");
    for (const std::string& line : request.preamble) std::cerr << "    " << shown(line) << '\n';
    std::cerr << "    " << shown(request.attribute.empty() ? "no attribute" : request.attribute) << '\n';
}

}  // namespace

std::vector<answered_kernel> by_kernel(const std::vector<kernel_trials>& trials,
                                       const std::vector<bounds_answer>& answers)
{
    std::vector<answered_kernel> kernels;
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const bool another = kernels.empty() || kernels.back().answers.front()->group != answers[i].group;
        answered_kernel& kernel = another ? kernels.emplace_back() : kernels.back();
        kernel.trials.push_back(&trials[i]);
        kernel.answers.push_back(&answers[i]);
    }
    return kernels;
}

exit_status apply_bounds(const std::string& source, const std::string& before,
                         const std::vector<answered_kernel>& kernels, bool quiet_output)
{
    std::string after = before;
    exit_status status = exit_status::done;
    // From the last line up: an edit moves only what is below it.
    std::vector<const answered_kernel*> ordered;
    for (const answered_kernel& kernel : kernels) ordered.push_back(&kernel);
    std::stable_sort(ordered.begin(), ordered.end(), [](const answered_kernel* a, const answered_kernel* b) {
        const auto line = [](const answered_kernel* kernel) {
            const kernel_trials& trials = *kernel->trials.front();
            const int declared = trials.declared_at ? trials.declared_at->line : 0;
            return trials.attribute_at ? std::max(declared, trials.attribute_at->line) : declared;
        };
        return line(a) > line(b);
    });
    for (const answered_kernel* kernel : ordered) {
        const kernel_trials& trials = *kernel->trials.front();
        const std::string& name = trials.short_form;
        wanted_bound wanted = bound_for(*kernel);
        if (wanted.refusal.empty() && wanted.nothing.empty()) {
            const bool here = trials.declared_at && same_file(trials.declared_at->file, source) &&
                              (!trials.attribute_at || same_file(trials.attribute_at->file, source));
            if (!here)
                wanted.refusal = trials.declared_at
                                     ? "it is written in " + trials.declared_at->file + ", not in " + source
                                     : "it is not known where it is written";
            else {
                wanted.request.declared_line = trials.declared_at->line;
                if (trials.attribute_at) wanted.request.attribute_line = trials.attribute_at->line;
                const bound_edit edit = edit_bound(after, wanted.request);
                wanted.refusal = edit.refusal;
                if (edit.refusal.empty()) after = edit.text;
            }
            if (!wanted.refusal.empty()) {
                refuse(name, wanted.refusal, wanted.request);
                status = exit_status::bad_input;
            }
            continue;
        }
        if (!wanted.nothing.empty()) {
            say(name + ": nothing to write: " + wanted.nothing);
        } else {
            say(name + " is not edited: " + wanted.refusal);
            status = exit_status::bad_input;
        }
    }
    if (after == before) return status;
    (quiet_output ? std::cerr : std::cout) << '\n' << unified_diff(before, after, source) << std::flush;
    const bool others = has_other_names(source);
    const std::filesystem::path backup = apply_edit(source, before, after, say);
    if (others) say_other_names(source);
    say("written into " + source + "; what it was is in " + backup.string() + ", and --revert takes it back");
    return status;
}

exit_status revert_bounds(const std::string& source)
{
    const std::filesystem::path backup = revert_edit(source, say);
    say(source + " is again what was kept in " + backup.string());
    return exit_status::done;
}

}  // namespace launchbox::cli
