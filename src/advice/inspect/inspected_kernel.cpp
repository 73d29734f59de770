// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/inspected_kernel.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "advice/model/kernel_question.hpp"

namespace launchbox {

inspected_kernel inspected(kernel_info info, std::optional<int> threads)
{
    inspected_kernel kernel{std::move(info), threads, std::nullopt};
    if (const std::optional<occupancy_question> question = question_for(kernel.info, threads))
        kernel.residency = {question->shape.threads,
                            occupancy(*question->limits, question->resources, question->shape, question->settings),
                            question->at_most()};
    return kernel;
}

kernel_account account_of(const inspected_kernel& kernel)
{
    kernel_account account{std::nullopt, diagnose(kernel.info, kernel.threads)};
    std::optional<occupancy_question> question = question_for(kernel.info, kernel.threads);
    if (question && kernel.residency) {
        question->kernel = kernel.info.short_form;
        account.occupancy = explain(*question, kernel.residency->result);
        if (is_debug_build(kernel.info)) account.occupancy->next.reset();  // the release build has different code
    }
    return account;
}

std::vector<kernel_account> accounts_of(const std::vector<inspected_kernel>& kernels)
{
    std::vector<kernel_account> accounts;
    accounts.reserve(kernels.size());
    for (const inspected_kernel& kernel : kernels) accounts.push_back(account_of(kernel));
    return accounts;
}

std::vector<finding_count> count_findings(const std::vector<inspected_kernel>& kernels)
{
    std::map<std::string, std::size_t> count_of;
    for (const inspected_kernel& kernel : kernels) {
        std::string last;
        for (const diagnosis& finding : diagnose(kernel.info, kernel.threads)) {
            if (finding.id != last) ++count_of[finding.id];
            last = finding.id;
        }
    }
    std::vector<finding_count> counts;
    for (const auto& [id, count] : count_of) counts.push_back({id, count});
    std::stable_sort(counts.begin(), counts.end(),
                     [](const finding_count& a, const finding_count& b) { return a.kernels > b.kernels; });
    return counts;
}

}  // namespace launchbox
