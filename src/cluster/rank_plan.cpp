// SPDX-License-Identifier: Apache-2.0
#include "cluster/rank_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "support/error.hpp"

namespace launchbox {

namespace {

// Identifies a GPU in the whole cluster: containers on one machine have different host names. If the driver gives no
// UUID, its number on its host must do.
std::string identity_of_gpu(const rank_facts& facts, const gpu_device& gpu)
{
    return gpu.uuid.empty() ? fmt::format("{} GPU {}", facts.host, gpu.index) : gpu.uuid;
}

// Assigns GPUs to as many ranks as possible, by augmenting paths.
class gpu_matching {
public:
    explicit gpu_matching(const std::map<int, rank_facts>& facts) : facts_(facts) {}

    bool add(int rank)
    {
        std::set<std::string> tried;
        return find(rank, tried);
    }
    [[nodiscard]] const gpu_device* of(int rank) const
    {
        for (const auto& [identity, owner] : owners_)
            if (owner.first == rank) return owner.second;
        return nullptr;
    }
    [[nodiscard]] int owner(const std::string& identity) const { return owners_.at(identity).first; }

private:
    bool find(int rank, std::set<std::string>& tried)
    {
        const rank_facts& facts = facts_.at(rank);
        for (const gpu_device& gpu : facts.gpus) {
            const std::string identity = identity_of_gpu(facts, gpu);
            if (!tried.insert(identity).second) continue;
            const auto owned = owners_.find(identity);
            if (owned == owners_.end() || find(owned->second.first, tried)) {
                owners_[identity] = {rank, &gpu};
                return true;
            }
        }
        return false;
    }

    const std::map<int, rank_facts>& facts_;
    std::map<std::string, std::pair<int, const gpu_device*>> owners_;
};

std::string list_of(const std::vector<int>& ranks)
{
    return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

std::string place_of(const rank_facts& facts)
{
    return fmt::format("rank {} ({})", facts.rank, facts.host);
}

void refuse_missing(const std::map<int, rank_facts>& facts, const rank_plan_options& options)
{
    std::vector<int> missing;
    for (int rank = 0; rank < options.ranks; ++rank)
        if (rank != options.coordinator && !facts.contains(rank)) missing.push_back(rank);
    if (!missing.empty())
        throw error(list_of(missing) + (missing.size() == 1 ? " has" : " have") + " not reported",
                    "are all nodes running, with the same launchbox-mpi?", exit_status::missing);
}

// Compares all ranks with the coordinator, or, if it does not take part, with the first.
void refuse_different(const std::map<int, rank_facts>& facts)
{
    const rank_facts& first = facts.begin()->second;
    for (const auto& [rank, other] : facts) {
        if (other.version != first.version)
            throw error(fmt::format("{} runs launchbox {}, and {} runs {}", place_of(other), other.version,
                                    place_of(first), first.version),
                        "start the same launchbox-mpi on all nodes; results of different versions are not mixed");
        if (!other.failure.empty())
            throw error(place_of(other) + ": " + other.failure, other.hint,
                        other.lacks_something ? exit_status::missing : exit_status::bad_input);
        if (other.spec_hash != first.spec_hash)
            throw error(
                fmt::format("{} and {} read different specs under the same name", place_of(other), place_of(first)),
                "put the spec and its sources into a shared folder, or copy them to all nodes");
        if (other.source_hash != first.source_hash)
            throw error(
                fmt::format("{} and {} have different sources beside the same spec", place_of(other), place_of(first)),
                "put the spec and its sources into a shared folder, or copy them to all nodes");
    }
}

// Each rank gets a GPU of its own: sharing one would disturb measurements.
gpu_matching matched(const std::map<int, rank_facts>& facts, const rank_plan_options& options,
                     std::vector<int>& without)
{
    gpu_matching gpus(facts);
    for (const auto& [rank, known] : facts)
        if (rank != options.coordinator && !gpus.add(rank)) without.push_back(rank);
    // If every task was given a GPU, so was the coordinator.
    if (facts.contains(options.coordinator)) gpus.add(options.coordinator);
    if (without.size() <= static_cast<std::size_t>(options.compile_ranks)) return gpus;
    const rank_facts& one = facts.at(without.back());
    std::string why = one.no_gpu.empty() ? "it sees none" : one.no_gpu;
    if (!one.gpus.empty()) {
        std::vector<std::string> taken;
        for (const gpu_device& gpu : one.gpus)
            taken.push_back(fmt::format("GPU {} belongs to rank {}", gpu.index, gpus.owner(identity_of_gpu(one, gpu))));
        why = fmt::format("{}", fmt::join(taken, ", "));
    }
    throw error(fmt::format("{} {} no GPU of {} own; {}: {}", list_of(without), without.size() == 1 ? "has" : "have",
                            without.size() == 1 ? "its" : "their", place_of(one), why),
                fmt::format("start one rank a GPU beside the coordinator (srun --gpus-per-task=1, or mpirun -n N with "
                            "one more than GPUs); ranks that only compile are allowed with --compile-ranks {}",
                            without.size()));
}

// Ranks share the cores of a host that they may run on. If there are fewer cores than ranks, the first ranks compile
// for the others.
void share_cores(rank_plan& plan, const std::map<int, rank_facts>& facts, const rank_plan_options& options)
{
    std::map<std::pair<std::string, std::vector<int>>, std::vector<int>> sharing;
    for (const auto& [rank, role] : plan.roles) sharing[{facts.at(rank).host, facts.at(rank).cores}].push_back(rank);
    for (const auto& [where, ranks] : sharing) {
        const std::size_t cores = std::max<std::size_t>(where.second.size(), 1);
        for (std::size_t i = 0; i < ranks.size(); ++i) {
            const std::size_t share = cores / ranks.size() + (i < cores % ranks.size() ? 1 : 0);
            plan.roles[ranks[i]].jobs = options.jobs > 0 ? options.jobs : static_cast<unsigned>(share);
        }
    }
    for (const rank_group& group : plan.groups) {
        const auto compiles = [&](int rank) { return plan.roles[rank].jobs > 0; };
        if (std::ranges::none_of(group.ranks, compiles)) plan.roles[group.ranks.front()].jobs = 1;
    }
}

}  // namespace

std::string name_of(const rank_facts& facts, int gpu)
{
    return gpu < 0 ? place_of(facts) : fmt::format("rank {} ({}, GPU {})", facts.rank, facts.host, gpu);
}

rank_plan plan_ranks(const std::map<int, rank_facts>& facts, const rank_plan_options& options)
{
    refuse_missing(facts, options);
    if (facts.empty() || options.ranks < 2)
        throw error("there is only one rank",
                    "start at least two: mpirun -n 2 launchbox-mpi ...; launchbox tune uses all GPUs of one machine");
    refuse_different(facts);
    if (std::ranges::all_of(facts, [](const auto& rank) { return rank.second.gpus.empty(); }))
        throw error("no rank has a GPU: " + facts.rbegin()->second.no_gpu, "start the ranks on nodes that have one",
                    exit_status::missing);
    std::vector<int> without;
    const gpu_matching gpus = matched(facts, options, without);
    rank_plan plan;
    for (const auto& [rank, known] : facts) {
        const gpu_device* gpu = gpus.of(rank);
        if (gpu == nullptr) continue;
        const auto same = std::ranges::find_if(plan.groups, [&, &known = known](const rank_group& group) {
            return group.driver == known.driver && group.toolkit == known.toolkit && are_alike(group.gpu, *gpu);
        });
        const auto number = static_cast<std::size_t>(same - plan.groups.begin());
        if (same == plan.groups.end())
            plan.groups.push_back({.gpu = *gpu, .driver = known.driver, .toolkit = known.toolkit});
        plan.groups[number].ranks.push_back(rank);
        plan.roles[rank] = {.gpu = gpu->index, .jobs = 1, .backend = number};
    }
    for (const int rank : without) {
        // A single toolkit compiles for all groups only if all use that toolkit.
        rank_role role;
        bool fits = true;
        for (const rank_group& group : plan.groups) {
            role.gpus.push_back(group.gpu);
            role.driver = group.driver;
            fits &= facts.at(rank).toolkit == group.toolkit;
        }
        if (!fits)
            throw error(fmt::format("{} only compiles, with {}, which is another version than on the ranks with GPUs",
                                    place_of(facts.at(rank)), facts.at(rank).toolkit),
                        "use the same toolkit on all ranks, or leave out the one that only compiles");
        plan.roles[rank] = std::move(role);
    }
    for (auto& [rank, role] : plan.roles) role.silence_seconds = options.silence_seconds;
    share_cores(plan, facts, options);
    for (std::size_t i = 1; i < plan.groups.size(); ++i) {
        const rank_group &one = plan.groups[0], &other = plan.groups[i];
        if (are_alike(one.gpu, other.gpu))
            plan.notes.push_back(fmt::format(
                "{} with {} and driver {}, {} with {} and driver {}: their results are kept apart", list_of(one.ranks),
                one.toolkit, one.driver, list_of(other.ranks), other.toolkit, other.driver));
    }
    return plan;
}

}  // namespace launchbox
