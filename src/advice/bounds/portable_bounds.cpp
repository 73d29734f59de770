// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/portable_bounds.hpp"

#include <fmt/format.h>
#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <cctype>
#include <map>

namespace launchbox {

namespace {

// sm_90 and sm_90a have the same __CUDA_ARCH__, which is the key here.
using bound_of_number = std::map<int, launch_attribute>;

launch_attribute attribute_for(const block_size_answer& size);
bound_of_number merged(const std::vector<architecture_bound>& wanted, std::vector<std::string>& notes);
bool honours(const sm_limits& limits, const launch_attribute& attribute);
std::vector<std::string> macro_lines(const std::string& name, int threads, const bound_of_number& wanted);

}  // namespace

portable_bounds portable_bounds_for(std::string_view kernel, int threads, const std::vector<architecture_bound>& wanted)
{
    portable_bounds result{.threads = threads, .attribute = {}, .lines = {}, .rows = {}};
    const bound_of_number bounds = merged(wanted, result.notes);
    for (const auto& [number, attribute] : bounds) {
        std::string row = fmt::format("// sm<{}, row{{.threads = {}", number, threads);
        if (attribute.min_blocks > 0) row += fmt::format(", .min_blocks = {}", attribute.min_blocks);
        result.rows.push_back(row + "}>");
    }
    const launch_attribute& first = bounds.begin()->second;
    if (std::ranges::all_of(bounds, [&](const auto& bound) { return bound.second == first; })) {
        result.attribute = attribute_source(first);
        std::string dropped;
        for (const sm_limits& row : sm_limits_table)
            if (row.capability.number() > bounds.begin()->first && !honours(row, first))
                dropped += (dropped.empty() ? "" : ", ") + std::string(architecture_name(row.capability).view());
        if (!dropped.empty())
            result.notes.push_back(fmt::format("{} would ignore its min_blocks, with a warning", dropped));
        return result;
    }
    result.attribute = bounds_macro_name(kernel);
    result.lines = macro_lines(result.attribute, threads, bounds);
    return result;
}

std::string bounds_macro_name(std::string_view kernel)
{
    kernel = kernel.substr(0, kernel.find_first_of("<("));
    if (const std::size_t scope = kernel.rfind("::"); scope != std::string_view::npos) kernel.remove_prefix(scope + 2);
    std::string name;
    for (char c : kernel) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 128 && std::isalnum(byte) != 0)
            name += static_cast<char>(std::toupper(byte));
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0) name.insert(0, "KERNEL_");
    return name + (name.ends_with('_') ? "BOUNDS" : "_BOUNDS");
}

std::optional<portable_bounds> portable_bounds_of(const std::vector<const bounds_answer*>& answers)
{
    if (answers.size() < 2) return std::nullopt;
    struct sum {
        std::size_t answers = 0;
        std::int64_t spills = 0;
        double occupancy = 0;
        std::vector<architecture_bound> wanted = {};
    };
    std::map<int, sum> by_threads;
    for (const bounds_answer* answer : answers)
        for (const block_size_answer& size : answer->block_sizes) {
            if (!answer->capability || !size.recommendation.row) continue;
            const bounds_row& row = size.rows[*size.recommendation.row];
            sum& all = by_threads[size.threads];
            ++all.answers;
            all.spills += spill_bytes(row.kernel).value_or(0);
            all.occupancy += row.residency->occupancy();
            all.wanted.push_back({*answer->capability, attribute_for(size)});
        }
    std::erase_if(by_threads, [&](const auto& thread) { return thread.second.answers != answers.size(); });
    if (by_threads.empty()) return std::nullopt;
    // Ascending by block size, so that among equal ones the larger is chosen.
    auto best = by_threads.begin();
    for (auto candidate = by_threads.begin(); candidate != by_threads.end(); ++candidate)
        if (std::pair(candidate->second.spills, -candidate->second.occupancy) <=
            std::pair(best->second.spills, -best->second.occupancy))
            best = candidate;
    return portable_bounds_for(answers.front()->short_form, best->first, best->second.wanted);
}

namespace {

bool honours(const sm_limits& limits, const launch_attribute& attribute)
{
    if (attribute.threads == 0) return true;  // none, or __maxnreg__, which is valid everywhere
    if (attribute.max_cluster_blocks > 0 && limits.portable_cluster == 0) return false;  // nvcc rejects it
    return check_launch_bounds(limits, attribute.threads, attribute.min_blocks) == launch_bounds_verdict::honoured;
}

// The recommended attribute; if that is a written bound for more threads, the bound for these threads with the same
// code.
launch_attribute attribute_for(const block_size_answer& size)
{
    const launch_attribute& chosen = size.recommendation.attribute;
    if (chosen.threads == 0 || chosen.threads == size.threads) return chosen;
    for (const launch_attribute& attribute : size.rows[*size.recommendation.row].attributes)
        if (attribute.threads == size.threads) return attribute;
    return chosen;
}

bound_of_number merged(const std::vector<architecture_bound>& wanted, std::vector<std::string>& notes)
{
    bound_of_number result;
    for (const architecture_bound& bound : wanted) {
        const auto [at, added] = result.emplace(bound.architecture.number(), bound.attribute);
        if (added || at->second == bound.attribute) continue;
        notes.push_back(
            fmt::format("architectures of compute capability {} need different bounds; __CUDA_ARCH__ does not "
                        "distinguish them, so the weaker one is used",
                        compute_capability_name(bound.architecture).view()));
        if (weaker(bound.attribute, at->second)) at->second = bound.attribute;
    }
    return result;
}

struct branch {
    std::string condition;
    launch_attribute attribute;
};

// Each swept architecture decides for all numbers up to the next one. A bound that every known architecture from the
// oldest on honours is used for the whole range, including future chips; any other only for the numbers known to honour
// it, and the rest of the range has the fallback.
std::vector<std::string> macro_lines(const std::string& name, int threads, const bound_of_number& wanted)
{
    const launch_attribute fallback{.threads = threads};
    const int oldest = wanted.begin()->first;
    std::vector<branch> exact, ranges;
    for (auto place = wanted.begin(); place != wanted.end(); ++place) {
        const auto& [number, attribute] = *place;
        const auto next = std::next(place);
        bool everywhere = true;
        std::string numbers;
        for (const sm_limits& row : sm_limits_table) {
            const int other = row.capability.number();
            if (other >= oldest) everywhere &= honours(row, attribute);
            if (other < number || (next != wanted.end() && other >= next->first) || !honours(row, attribute)) continue;
            numbers += fmt::format("{}__CUDA_ARCH__ == {}", numbers.empty() ? "" : " || ", other * 10);
        }
        ranges.push_back({fmt::format("__CUDA_ARCH__ >= {}", number * 10), everywhere ? attribute : fallback});
        if (!everywhere && !numbers.empty()) exact.push_back({numbers, attribute});
    }
    // The first condition that holds counts: the exact ones, then the ranges, newest first. A range equal to the next
    // one is omitted.
    std::vector<branch> chain(exact.rbegin(), exact.rend());
    for (std::size_t i = ranges.size(); i-- > 0;)
        if (ranges[i].attribute != (i == 0 ? fallback : ranges[i - 1].attribute)) chain.push_back(ranges[i]);

    std::vector<std::string> lines;
    const auto define = [&](const launch_attribute& attribute) {
        const std::string text = attribute_source(attribute);
        lines.push_back("#define " + name + (text.empty() ? "" : " " + text));
    };
    for (const branch& arm : chain) {
        lines.push_back((lines.empty() ? "#if " : "#elif ") + arm.condition);
        define(arm.attribute);
    }
    lines.emplace_back("#else");  // also for the host's compiler, where the undefined __CUDA_ARCH__ counts as 0
    define(fallback);
    lines.emplace_back("#endif");
    return lines;
}

}  // namespace

}  // namespace launchbox
