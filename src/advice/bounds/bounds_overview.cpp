// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bounds_overview.hpp"

#include "advice/bounds/shared_declarations.hpp"

namespace launchbox {

namespace {

bool are_of_one_kernel(const bounds_answer& one, const bounds_answer& other)
{
    return (one.group > 0 && one.group == other.group) || one.name == other.name;
}

}  // namespace

bounds_overview overview_of(const std::vector<bounds_answer>& answers)
{
    bounds_overview overview;
    for (std::size_t first = 0; first < answers.size();) {
        std::vector<const bounds_answer*> same;
        for (std::size_t i = first; i < answers.size() && are_of_one_kernel(answers[first], answers[i]); ++i)
            same.push_back(&answers[i]);
        overview.kernels.push_back({first, same.size(), portable_bounds_of(same)});
        first += same.size();
    }
    overview.conflicts = conflicting_declarations(answers);
    return overview;
}

}  // namespace launchbox
