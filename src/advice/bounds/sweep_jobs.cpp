// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/sweep_jobs.hpp"

#include <algorithm>
#include <set>

namespace launchbox {

namespace {

struct site {
    source_location declared_at;
    std::optional<source_location> attribute_at;
    std::vector<launch_attribute> variants;

    // The injection distinguishes places by line first: only kernels on different lines can certainly get different
    // attributes.
    [[nodiscard]] std::set<int> lines() const
    {
        std::set<int> numbers{declared_at.line};
        if (attribute_at) numbers.insert(attribute_at->line);
        return numbers;
    }
};

std::vector<site> sites_of(const std::vector<kernel_trials>& kernels)
{
    std::vector<site> sites;
    for (const kernel_trials& kernel : kernels) {
        if (!kernel.not_swept.empty() || !kernel.declared_at) continue;
        if (std::ranges::none_of(kernel.trials, &bounds_trial::is_open)) continue;
        auto at = std::ranges::find_if(sites, [&](const site& place) {
            return place.declared_at == *kernel.declared_at && place.attribute_at == kernel.attribute_at;
        });
        if (at == sites.end()) at = sites.insert(sites.end(), {*kernel.declared_at, kernel.attribute_at, {}});
        for (const bounds_trial& trial : kernel.trials)
            if (trial.is_open() && trial.attribute != kernel.attribute &&
                std::ranges::find(at->variants, trial.attribute) == at->variants.end())
                at->variants.push_back(trial.attribute);
    }
    return sites;
}

}  // namespace

site_variant variant_of(const kernel_trials& kernel, const launch_attribute& attribute)
{
    return {.declared_at = *kernel.declared_at, .attribute_at = kernel.attribute_at, .attribute = attribute};
}

std::vector<sweep_job> jobs_for(const std::vector<kernel_trials>& kernels, bool together)
{
    struct group {
        std::vector<sweep_job> jobs;
        std::set<int> lines;
    };
    std::vector<group> groups;
    for (const site& place : sites_of(kernels)) {
        const std::set<int> lines = place.lines();
        const auto free = [&](const group& other) {
            return together && std::ranges::none_of(lines, [&](int line) { return other.lines.contains(line); });
        };
        auto at = std::ranges::find_if(groups, free);
        if (at == groups.end()) at = groups.insert(groups.end(), group{});
        at->lines.insert(lines.begin(), lines.end());
        if (at->jobs.size() < place.variants.size()) at->jobs.resize(place.variants.size());
        for (std::size_t i = 0; i < place.variants.size(); ++i)
            at->jobs[i].push_back({place.declared_at, place.attribute_at, place.variants[i]});
    }
    std::vector<sweep_job> jobs;
    for (const group& packed : groups) jobs.insert(jobs.end(), packed.jobs.begin(), packed.jobs.end());
    return jobs;
}

}  // namespace launchbox
