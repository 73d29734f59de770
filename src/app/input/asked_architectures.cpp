// SPDX-License-Identifier: Apache-2.0
#include "app/input/asked_architectures.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "app/input/kernel_input.hpp"
#include "image/gpu_coverage.hpp"
#include "image/names/readable_names.hpp"
#include "support/text/matching.hpp"

namespace launchbox {

namespace {

// All versions of the code of one kernel.
using versions = std::vector<const kernel_info*>;

// What serves a target: its own code, or else the one architecture whose code runs there.
struct answer {
    bool own = false;
    std::string instead;  // "sm_80", "compute_80"; empty if none runs
};

answer answer_for(const target& wanted, const versions& there);

// In the order in which the kernels were found.
std::vector<std::pair<std::string_view, versions>> by_name(const std::vector<const kernel_info*>& kernels);

}  // namespace

asked_architectures::asked_architectures(const architecture_list& list)
{
    if (!list.has_all()) targets_ = list.named({});
}

std::string asked_architectures::words() const
{
    std::string all, unknown;
    for (const target& wanted : targets_) {
        const std::string name(architecture_name(wanted.architecture).view());
        all += (all.empty() ? "" : ",") + name;
        if (wanted.limits == nullptr) unknown += (unknown.empty() ? "" : ", ") + name;
    }
    if (all.empty()) return "any architecture";
    return unknown.empty() ? all : all + "; launchbox does not know " + unknown;
}

bool asked_architectures::has(std::string_view architecture) const
{
    if (targets_.empty()) return true;
    return std::ranges::any_of(
        targets_, [&](const target& wanted) { return matches_architecture(wanted.architecture, architecture); });
}

std::set<std::string> asked_architectures::needed_beside(const std::vector<const kernel_info*>& kernels) const
{
    std::set<std::string> needed;
    for (const auto& [name, there] : by_name(kernels))
        for (const target& wanted : targets_)
            if (const answer found = answer_for(wanted, there); !found.own && !found.instead.empty())
                needed.insert(found.instead);
    return needed;
}

void asked_architectures::choose(std::size_t first_kernel, std::size_t first_input,
                                 const std::vector<other_code>& others, bool instead, kernel_input& input) const
{
    if (all()) return;
    std::vector<found_kernel> read(std::make_move_iterator(input.kernels.begin() + std::ptrdiff_t(first_kernel)),
                                   std::make_move_iterator(input.kernels.end()));
    input.kernels.resize(first_kernel);
    std::vector<const kernel_info*> all_code;
    std::unordered_map<const kernel_info*, std::size_t> input_of;
    const auto note = [&](const kernel_info& code, std::size_t number) {
        all_code.push_back(&code);
        input_of.emplace(&code, number);
    };
    for (const found_kernel& kernel : read) note(kernel.info, kernel.input);
    for (const other_code& code : others) note(code.info, code.input);

    std::unordered_map<std::string, std::vector<answer>> answers;  // of each target
    for (const auto& [name, there] : by_name(all_code)) {
        std::vector<answer>& found = answers[std::string(name)];
        for (const target& wanted : targets_) {
            found.push_back(answer_for(wanted, there));
            if (!instead) found.back().instead.clear();
            if (found.back().own || !found.back().instead.empty()) continue;
            const std::size_t number = input_of.at(there[0]);
            if (number == no_input || !input.inputs[number].errors.empty()) continue;
            missing_kernel missing{.name = there[0]->name, .wanted = wanted.architecture};
            for (const kernel_info* code : there)
                if (std::ranges::find(missing.there, code->architecture) == missing.there.end())
                    missing.there.push_back(code->architecture);
            std::ranges::sort(missing.there, {}, [](const std::string& code) { return std::pair(code.size(), code); });
            input.inputs[number].missing.push_back(std::move(missing));
        }
    }
    std::set<std::pair<std::size_t, std::string>> kept;  // inputs and architectures
    for (std::size_t i = first_input; i < input.inputs.size(); ++i) input.inputs[i].kernels = 0;
    const auto keep = [&](found_kernel kernel) {
        kept.emplace(kernel.input, kernel.info.architecture);
        ++input.inputs[kernel.input].kernels;
        input.kernels.push_back(std::move(kernel));
    };
    for (found_kernel& kernel : read) {
        const std::vector<answer>& found = answers.at(kernel.info.name);
        const std::string& architecture = kernel.info.architecture;
        bool asked_for = architecture.empty();
        std::vector<compute_capability> runs_on;
        for (std::size_t t = 0; t < targets_.size(); ++t) {
            const compute_capability& wanted = targets_[t].architecture;
            const bool only_this = !found[t].own && found[t].instead == architecture;
            if (matches_architecture(wanted, architecture))
                asked_for |= !is_ptx(kernel.info) || only_this;
            else if (only_this)
                runs_on.push_back(wanted);
        }
        for (const compute_capability& gpu : runs_on) {
            found_kernel there = kernel;
            there.info.runs_on = gpu;
            keep(std::move(there));
        }
        if (asked_for) keep(std::move(kernel));
    }
    for (std::size_t i = first_input; i < input.inputs.size(); ++i) {
        input_summary& file = input.inputs[i];
        std::erase_if(file.images, [&](const binary_image& image) {
            return !image.architecture.empty() && !has(image.architecture) && !kept.contains({i, image.architecture});
        });
        std::vector<std::string_view> names;
        for (const missing_kernel& one : file.missing) names.push_back(one.name);
        std::vector<readable_name> readable = readable_names(names);
        for (std::size_t m = 0; m < file.missing.size(); ++m) {
            file.missing[m].demangled = std::move(readable[m].demangled);
            file.missing[m].short_form = std::move(readable[m].short_form);
        }
    }
}

namespace {

std::vector<std::pair<std::string_view, versions>> by_name(const std::vector<const kernel_info*>& kernels)
{
    std::vector<std::pair<std::string_view, versions>> result;
    std::unordered_map<std::string_view, std::size_t> place_of;
    for (const kernel_info* kernel : kernels) {
        const auto [place, is_new] = place_of.emplace(kernel->name, result.size());
        if (is_new) result.emplace_back(kernel->name, versions{});
        result[place->second].second.push_back(kernel);
    }
    return result;
}

answer answer_for(const target& wanted, const versions& there)
{
    answer found;
    const kernel_info* best = nullptr;
    // The driver prefers machine code to PTX, and the latest of each.
    const auto rank = [](const kernel_info& code) {
        return std::tuple(!is_ptx(code), code.capability->major, code.capability->minor);
    };
    for (const kernel_info* code : there) {
        // For nvlink's log the architecture may be unknown.
        if (code->architecture.empty()) found.own = true;
        if (!code->capability) continue;
        if (!is_ptx(*code) && matches_architecture(wanted.architecture, code->architecture)) found.own = true;
        // For an unknown chip, it is also unknown what runs there.
        if (wanted.limits == nullptr) continue;
        const bool runs = is_ptx(*code) ? ptx_runs_on(*code->capability, wanted.architecture)
                                        : cubin_runs_on(*code->capability, wanted.architecture);
        if (runs && (best == nullptr || rank(*code) > rank(*best))) best = code;
    }
    if (best != nullptr) found.instead = best->architecture;
    return found;
}

}  // namespace

}  // namespace launchbox
