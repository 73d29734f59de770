// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/portability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/ranking/landscape_fields.hpp"
#include "tune/ranking/row_sets.hpp"

namespace launchbox {

namespace {

std::set<std::string> parameter_names(const recorded_run& run)
{
    std::set<std::string> names;
    for (const stored_result& result : run.results)
        for (const auto& [name, value] : result.parameters.values) names.insert(name);
    return names;
}

void refuse_other_spaces(const std::vector<landscape_source>& sources)
{
    const landscape_source& first = sources.front();
    const std::set<std::string> names = parameter_names(*first.run);
    for (const landscape_source& source : sources) {
        if (source.run->info.name != first.run->info.name)
            throw error(fmt::format("{} is of {}, and {} of {}: rows are compared for one kernel", run_name(source),
                                    escape_for_terminal(source.run->info.name), run_name(first),
                                    escape_for_terminal(first.run->info.name)),
                        "name the records of one of them");
        const std::set<std::string> others = parameter_names(*source.run);
        std::vector<std::string> lacking;
        std::ranges::set_symmetric_difference(names, others, std::back_inserter(lacking));
        if (!lacking.empty())
            throw error(fmt::format("{} and {} have different parameters: only one of them has {}", run_name(first),
                                    run_name(source), escape_for_terminal(lacking.front())),
                        "name records of one spec");
    }
}

// The records of each GPU, in the order in which they are named.
std::vector<portable_gpu> gpus_of(const std::vector<landscape_source>& sources)
{
    std::vector<portable_gpu> gpus;
    for (std::size_t s = 0; s < sources.size(); ++s) {
        const std::string name = machine_name(sources[s]);
        auto at = std::ranges::find(gpus, name, &portable_gpu::name);
        if (at == gpus.end()) {
            gpus.push_back({.name = name, .architecture = sources[s].run->info.environment.architecture});
            at = gpus.end() - 1;
        }
        at->sources.push_back(s);
    }
    return gpus;
}

landscape_section results_on(const portable_gpu& gpu, const std::vector<landscape_source>& sources)
{
    std::vector<landscape_source> own;
    for (const std::size_t source : gpu.sources) own.push_back(sources[source]);
    landscape drawn = landscape_of(own, {.by = std::vector<std::string>()});
    return drawn.maps.empty() ? landscape_section() : std::move(drawn.maps.front().sections.front());
}

std::set<std::string> workloads_of(const landscape_section& section)
{
    std::set<std::string> workloads;
    for (const ranking& workload : section.rankings) workloads.insert(parameter_text(workload.workload));
    return workloads;
}

void refuse_other_workloads(const portable_gpu& first, const std::set<std::string>& workloads, const portable_gpu& gpu,
                            const landscape_section& section)
{
    const std::set<std::string> here = workloads_of(section);
    std::vector<std::string> differ;
    std::ranges::set_symmetric_difference(workloads, here, std::back_inserter(differ));
    if (differ.empty()) return;
    const bool is_here = here.contains(differ.front());
    throw error(
        fmt::format("{} was measured on {} and not on {}: shares of the best are compared on the same workloads",
                    differ.front().empty() ? "the workload" : escape_for_terminal(differ.front()),
                    escape_for_terminal((is_here ? gpu : first).name),
                    escape_for_terminal((is_here ? first : gpu).name)),
        "select workloads that all have: --workload NAME=VALUE");
}

// A candidate that was stopped early was certainly slower, so its time counts. An unverified one counts only if no
// candidate was verified.
bool counts(const landscape_section& section, const landscape_candidate& candidate,
            const std::set<std::string>& unverified)
{
    return candidate.relative.median > 0 &&
           (candidate.may_win ||
            (candidate.stopped_early && !unverified.contains(identity_of(candidate.parameters)))) &&
           !section.rankings.empty();
}

std::set<std::string> unverified_in(const landscape_section& section)
{
    std::set<std::string> unverified;
    if (std::ranges::none_of(section.results, [](const stored_result& result) { return result.measured.verified; }))
        return unverified;
    for (const stored_result& result : section.results)
        if (!result.measured.verified) unverified.insert(identity_of(result.parameters));
    return unverified;
}

void add_times(const landscape_section& section, const std::optional<assignment>& baseline, portable_gpu& gpu)
{
    if (section.rankings.size() != 1) return;
    for (const landscape_candidate& candidate : section.candidates) {
        if (!candidate.time) continue;
        if (baseline && identity_of(candidate.parameters) == identity_of(*baseline))
            gpu.baseline_ns = candidate.time->median;
        if (candidate.may_win && (!gpu.best_ns || candidate.time->median < *gpu.best_ns))
            gpu.best_ns = candidate.time->median;
    }
}

}  // namespace

bool portable_row::is_complete() const
{
    return std::ranges::all_of(shares, [](const std::optional<double>& share) { return share.has_value(); });
}

std::size_t portable_row::worst() const
{
    return static_cast<std::size_t>(std::ranges::min_element(shares) - shares.begin());
}

double portable_row::mean() const
{
    double logs = 0;
    for (const std::optional<double>& share : shares) logs += std::log(share.value_or(0));
    return std::exp(logs / static_cast<double>(shares.size()));
}

std::string machine_name(const landscape_source& source)
{
    const std::string& machine = machine_of(source.run->info.environment);
    return machine.empty() || machine == unknown_gpu ? source.file : machine;
}

double loss_of(double share)
{
    return 1 / share - 1;
}

std::optional<std::size_t> smallest_set(const portability& of, double within)
{
    for (std::size_t i = 0; i < of.sets.size(); ++i)
        if (loss_of(of.sets[i].worst_share) <= within + 1e-9) return i;
    return std::nullopt;
}

portability portability_of(const std::vector<landscape_source>& sources)
{
    if (sources.empty()) throw error("there are no results", "name stores of launchbox tune");
    refuse_other_spaces(sources);
    portability found;
    std::map<std::string, std::size_t> places;  // of rows
    std::set<std::string> workloads;
    std::optional<assignment> baseline = sources.front().run->info.baseline;
    for (const landscape_source& source : sources)
        if (source.run->info.baseline != baseline) baseline.reset();
    std::vector<std::pair<portable_gpu, landscape_section>> all;
    for (portable_gpu& gpu : gpus_of(sources)) {
        landscape_section section = results_on(gpu, sources);
        if (all.empty())
            workloads = workloads_of(section);
        else
            refuse_other_workloads(all.front().first, workloads, gpu, section);
        all.emplace_back(std::move(gpu), std::move(section));
    }
    std::erase_if(all, [&](const auto& one) {
        const bool some = std::ranges::any_of(one.second.candidates, [](const landscape_candidate& candidate) {
            return candidate.may_win && candidate.relative.median > 0;
        });
        if (!some) found.left_out.push_back(one.first.name + " is left out: no candidate may win there");
        return !some;
    });
    for (std::size_t g = 0; g < all.size(); ++g) {
        auto& [gpu, section] = all[g];
        const std::set<std::string> unverified = unverified_in(section);
        const landscape_candidate* best = nullptr;  // the fastest: shares are relative to it
        for (const landscape_candidate& candidate : section.candidates) {
            if (!counts(section, candidate, unverified)) continue;
            const auto [at, fresh] = places.emplace(identity_of(candidate.parameters), found.rows.size());
            if (fresh) found.rows.push_back({candidate.parameters, std::vector<std::optional<double>>(all.size())});
            // A candidate that was stopped early may seem faster than it is, even faster than the best.
            const double share = std::min(candidate.share(), 1.0);
            found.rows[at->second].shares[g] = share;
            ++gpu.candidates;
            if (candidate.may_win && (!best || candidate.relative.median < best->relative.median)) {
                best = &candidate;
                gpu.best = at->second;
            }
        }
        add_times(section, baseline, gpu);
        found.gpus.push_back(std::move(gpu));
    }
    if (found.gpus.size() < 2)
        throw error(fmt::format("these are results of {}, and rows are compared between GPUs",
                                found.gpus.empty() ? "no GPU on which a candidate may win"
                                                   : escape_for_terminal(found.gpus.front().name) + " alone"),
                    "name the records of several GPUs");
    for (std::size_t r = 0; r < found.rows.size(); ++r)
        if (found.rows[r].is_complete()) found.common.push_back(r);
    std::ranges::stable_sort(found.common, [&](std::size_t one, std::size_t other) {
        const portable_row &first = found.rows[one], &second = found.rows[other];
        const double a = *first.shares[first.worst()], b = *second.shares[second.worst()];
        return a != b ? a > b : first.mean() > second.mean();
    });
    if (baseline)
        if (const auto at = places.find(identity_of(*baseline)); at != places.end()) found.baseline = at->second;
    found.is_exact = found.gpus.size() <= max_exact_gpus;
    found.sets = best_row_sets(found.rows, found.gpus.size());
    return found;
}

}  // namespace launchbox
