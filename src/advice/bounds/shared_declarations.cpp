// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/shared_declarations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "advice/bounds/bounds_reasons.hpp"

namespace launchbox {

std::vector<std::string> conflicting_declarations(const std::vector<bounds_answer>& answers)
{
    std::map<std::tuple<std::string, int, std::string>, std::vector<const bounds_answer*>> kernels_of;
    for (const bounds_answer& answer : answers)
        if (answer.declared_at && answer.best)
            kernels_of[{answer.declared_at->file, answer.declared_at->line, answer.architecture}].push_back(&answer);

    std::vector<std::string> sentences;
    for (const auto& entry : kernels_of) {
        const std::vector<const bounds_answer*>& kernels = entry.second;
        const auto bound_of = [](const bounds_answer* answer) {
            return attribute_text(answer->block_sizes[*answer->best].recommendation.attribute);
        };
        const auto other = std::ranges::find_if(
            kernels, [&](const bounds_answer* kernel) { return bound_of(kernel) != bound_of(kernels.front()); });
        if (other == kernels.end()) continue;
        const auto& [file, line, architecture] = entry.first;
        sentences.push_back(
            fmt::format("{}:{}, {}: {} needs {}, {} needs {}, and a declaration has only one attribute; let it depend "
                        "on a template parameter: __launch_bounds__(threads_of<T>)",
                        file, line, architecture, kernels.front()->short_form, bound_of(kernels.front()),
                        (*other)->short_form, bound_of(*other)));
    }
    return sentences;
}

}  // namespace launchbox
