// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/bound_edits.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <utility>

#include "advice/bounds/bound_edit.hpp"
#include "advice/bounds/portable_bounds.hpp"

namespace launchbox {

namespace {

// One kernel with its answers for all architectures.
struct answered_kernel {
    std::vector<const kernel_trials*> trials;
    std::vector<const bounds_answer*> answers;  // one for each of `trials`
};

// The bound to write for one kernel, or why none is written.
struct wanted_bound {
    bound_edit_request request;
    std::string nothing;  ///< why nothing needs to be written
    std::string refusal;  ///< why no bound can be decided on
};

std::string plain_function_name(const std::string& short_form)
{
    const std::string name = short_form.substr(0, short_form.find_first_of("<("));
    return name.substr(name.rfind(':') + 1);
}

wanted_bound bound_for(const answered_kernel& kernel)
{
    const bounds_answer& first = *kernel.answers.front();
    wanted_bound result{.request = {.kernel = plain_function_name(first.short_form)}, .nothing = {}, .refusal = {}};
    for (const bounds_answer* answer : kernel.answers) {
        if (!answer->not_swept.empty())
            result.refusal = answer->not_swept;
        else if (answer->block_sizes.size() != 1)
            result.refusal = "it depends on the block size: give the one that you launch, such as --threads 256";
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

// From the last line up, since an edit moves only the lines below it.
std::vector<answered_kernel> from_below(std::vector<answered_kernel> kernels)
{
    std::ranges::stable_sort(kernels, std::greater(), [](const answered_kernel& kernel) {
        const kernel_trials& trials = *kernel.trials.front();
        const int declared = trials.declared_at ? trials.declared_at->line : 0;
        return trials.attribute_at ? std::max(declared, trials.attribute_at->line) : declared;
    });
    return kernels;
}

// Edits `text`, or returns why not.
std::string edit(const kernel_trials& trials, const std::string& source, bound_edit_request& request, std::string& text)
{
    if (!trials.declared_at) return "its declaration was not found";
    const bool here = same_file(trials.declared_at->file, source) &&
                      (!trials.attribute_at || same_file(trials.attribute_at->file, source));
    if (!here) return "it is written in " + trials.declared_at->file + ", not in " + source;
    request.declared_line = trials.declared_at->line;
    if (trials.attribute_at) request.attribute_line = trials.attribute_at->line;
    bound_edit made = edit_bound(text, request);
    if (made.refusal.empty()) text = std::move(made.text);
    return made.refusal;
}

}  // namespace

edited_source edit_bounds(const std::string& source, const std::string& before,
                          const std::vector<kernel_trials>& trials, const std::vector<bounds_answer>& answers)
{
    edited_source edited{.text = before, .remarks = {}};
    for (const answered_kernel& kernel : from_below(by_kernel(trials, answers))) {
        const std::string& name = kernel.trials.front()->written.short_form;
        wanted_bound wanted = bound_for(kernel);
        bound_edit_request& request = wanted.request;
        if (!wanted.nothing.empty()) {
            edited.remarks.push_back({name + ": nothing to write: " + wanted.nothing});
            continue;
        }
        if (!wanted.refusal.empty()) {
            edited.remarks.push_back({name + " is not edited: " + wanted.refusal});
            edited.refused = true;
            continue;
        }
        const std::string refusal = edit(*kernel.trials.front(), source, request, edited.text);
        if (refusal.empty()) continue;
        edited.remarks.push_back({name + " is not edited: " + refusal + "; write there:", request.preamble});
        edited.remarks.back().to_paste.push_back(request.attribute.empty() ? "no attribute" : request.attribute);
        edited.refused = true;
    }
    return edited;
}

}  // namespace launchbox
