// SPDX-License-Identifier: Apache-2.0
#include "advice/inspect/kernel_diff.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "image/names/changing_name.hpp"
#include "image/names/kernel_identity.hpp"

namespace launchbox {

namespace {

using kernel_list = std::vector<const inspected_kernel*>;

// All kernels with one key, on both sides.
struct namesakes {
    kernel_list before, after;
};

std::string key_of(const inspected_kernel& kernel)
{
    const kernel_info& info = kernel.info;
    return architecture_where_run(info) +
           (info.relocatable ? '\2'
            : info.linked    ? '\1'
                             : '\0') +
           kernel_identity(info.name, kernel.info.demangled);
}

void bring_together_renamed(std::vector<namesakes>& groups, kernel_diff& diff);

void compare(const namesakes& both, kernel_diff& diff);

void sort_changes(std::vector<kernel_change>& changes);

}  // namespace

kernel_diff compare_kernels(const std::vector<inspected_kernel>& before, const std::vector<inspected_kernel>& after)
{
    std::vector<namesakes> groups;
    std::unordered_map<std::string, std::size_t> group_of;
    const auto group = [&](const inspected_kernel& kernel) -> namesakes& {
        const auto [place, is_new] = group_of.try_emplace(key_of(kernel), groups.size());
        if (is_new) groups.emplace_back();
        return groups[place->second];
    };
    for (const inspected_kernel& kernel : before) group(kernel).before.push_back(&kernel);
    for (const inspected_kernel& kernel : after) group(kernel).after.push_back(&kernel);
    kernel_diff diff;
    bring_together_renamed(groups, diff);
    for (const namesakes& both : groups) compare(both, diff);
    sort_changes(diff.changes);
    return diff;
}

namespace {

// Calls `use(begin, end)` for each identifier followed by `::`.
template <class Use>
void each_scope(std::string_view name, const Use& use)
{
    const auto in_word = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
    };
    for (std::size_t at = name.find("::"); at != std::string_view::npos; at = name.find("::", at + 2)) {
        std::size_t begin = at;
        while (begin > 0 && in_word(name[begin - 1])) --begin;
        if (begin < at) use(begin, at);
    }
}

using scope_set = std::unordered_set<std::string_view>;

scope_set scopes_of(const std::vector<namesakes>& groups, kernel_list namesakes::*side)
{
    scope_set scopes;
    for (const namesakes& both : groups)
        for (const inspected_kernel* kernel : both.*side) {
            const std::string_view name = kernel->info.demangled;
            each_scope(name,
                       [&](std::size_t begin, std::size_t end) { scopes.insert(name.substr(begin, end - begin)); });
        }
    return scopes;
}

// The key with a mark in place of scopes that the other side lacks; empty if it has all of them.
std::string key_without(const inspected_kernel& kernel, const scope_set& others)
{
    const std::string key = key_of(kernel);
    std::string marked;
    std::size_t from = 0;
    each_scope(key, [&](std::size_t begin, std::size_t end) {
        if (others.contains(std::string_view(key).substr(begin, end - begin))) return;
        marked.append(key, from, begin - from).append("\3");
        from = end;
    });
    return from == 0 ? std::string() : marked.append(key, from);
}

// Considers only unmatched kernels, and only if exactly one name on each side fits.
void bring_together_renamed(std::vector<namesakes>& groups, kernel_diff& diff)
{
    const bool any_gone = std::ranges::any_of(groups, [](const namesakes& both) { return both.after.empty(); });
    const bool any_new = std::ranges::any_of(groups, [](const namesakes& both) { return both.before.empty(); });
    if (!any_gone || !any_new) return;
    const scope_set before = scopes_of(groups, &namesakes::before), after = scopes_of(groups, &namesakes::after);
    struct candidates {
        std::vector<namesakes*> gone, come;
    };
    std::unordered_map<std::string, candidates> alike;
    for (namesakes& both : groups) {
        if (both.before.empty() == both.after.empty()) continue;
        const bool gone = both.after.empty();
        const std::string key =
            gone ? key_without(*both.before.front(), after) : key_without(*both.after.front(), before);
        if (!key.empty()) (gone ? alike[key].gone : alike[key].come).push_back(&both);
    }
    for (auto& [key, found] : alike) {
        if (found.gone.size() != 1 || found.come.size() != 1) continue;
        found.gone.front()->after = std::move(found.come.front()->after);
        found.come.front()->after.clear();
        diff.renamed += std::min(found.gone.front()->before.size(), found.gone.front()->after.size());
    }
}

// By everything that tells copies apart, so that pairing does not depend on the order in which they were found.
void sort_copies(kernel_list& copies);

// Removes pairs with equal figures and launches from both sorted lists and passes them on; compares their code or not.
template <class Use>
void take_pairs(kernel_list& before, kernel_list& after, bool with_code, const Use& use);

void compare_pair(const inspected_kernel& before, const inspected_kernel& after, kernel_diff& diff,
                  std::size_t first_of_group);

// Whether the figures shown in a report are equal.
bool same_figures(const kernel_info& a, const kernel_info& b)
{
    const auto figures = [](const kernel_info& info) {
        return std::tie(info.figures.registers, info.figures.spill_store_bytes, info.figures.spill_load_bytes,
                        info.figures.spills_between, info.figures.shared_spill_store_bytes,
                        info.figures.shared_spill_load_bytes, info.figures.stack_frame_bytes,
                        info.figures.cumulative_stack_bytes, info.figures.static_shared_bytes, info.figures.barriers,
                        info.bounds.max_threads, info.bounds.required_threads, info.bounds.min_blocks,
                        info.bounds.cluster, info.bounds.max_cluster_blocks, info.figures.code_bytes);
    };
    return figures(a) == figures(b);
}

void note_name(const inspected_kernel& before, const inspected_kernel& after, kernel_diff& diff)
{
    diff.renumbered +=
        before.info.demangled != after.info.demangled && has_changing_part(before.info.demangled) ? 1 : 0;
}

void compare(const namesakes& both, kernel_diff& diff)
{
    if (both.before.empty() || both.after.empty()) {
        diff.vanished.insert(diff.vanished.end(), both.before.begin(), both.before.end());
        diff.appeared.insert(diff.appeared.end(), both.after.begin(), both.after.end());
        return;
    }
    kernel_list before = both.before, after = both.after;
    const std::size_t first_of_group = diff.changes.size();
    if (before.size() > 1 || after.size() > 1) {
        sort_copies(before);
        sort_copies(after);
        take_pairs(before, after, true, [&](const inspected_kernel& a, const inspected_kernel& b) {
            ++diff.compared;
            ++diff.unchanged;
            note_name(a, b, diff);
        });
        take_pairs(before, after, false, [&](const inspected_kernel& a, const inspected_kernel& b) {
            compare_pair(a, b, diff, first_of_group);
        });
    }
    const std::size_t pairs = std::min(before.size(), after.size());
    for (std::size_t i = 0; i < pairs; ++i) compare_pair(*before[i], *after[i], diff, first_of_group);
    diff.copies_vanished += before.size() - pairs;
    diff.copies_appeared += after.size() - pairs;
}

// Figures, bounds and launch: these may differ although the code does not. Smaller code first, unknown last.
auto figures_of(const inspected_kernel& kernel)
{
    const kernel_info& info = kernel.info;
    const std::optional<spill_range> spills = spill_range_of(info);
    const auto bytes = [&](std::int64_t spill_range::*part) { return spills ? *spills.*part : -1; };
    const kernel_residency launch = kernel.residency.value_or(kernel_residency{});
    return std::tuple(!info.figures.code_bytes, info.figures.code_bytes, info.figures.registers,
                      bytes(&spill_range::min_stores), bytes(&spill_range::max_stores), bytes(&spill_range::min_loads),
                      bytes(&spill_range::max_loads), info.figures.shared_spill_store_bytes,
                      info.figures.shared_spill_load_bytes, info.figures.stack_frame_bytes,
                      info.figures.cumulative_stack_bytes, info.figures.static_shared_bytes, info.figures.barriers,
                      info.bounds.max_threads, info.bounds.required_threads, info.bounds.min_blocks,
                      info.bounds.cluster, info.bounds.max_cluster_blocks, kernel.residency.has_value(), launch.threads,
                      launch.at_most, launch.result.resident_blocks, launch.result.resident_warps);
}

void sort_copies(kernel_list& copies)
{
    std::ranges::stable_sort(copies, [](const inspected_kernel* a, const inspected_kernel* b) {
        const auto one = figures_of(*a), other = figures_of(*b);
        if (one != other) return one < other;
        const auto place = [](const kernel_info& info) {
            return std::tie(info.figures.code_hash, info.source.file, info.source.container, info.source.entry);
        };
        return place(a->info) < place(b->info);
    });
}

template <class Use>
void take_pairs(kernel_list& before, kernel_list& after, bool with_code, const Use& use)
{
    const auto key = [&](const inspected_kernel* kernel) {
        return std::pair(figures_of(*kernel), with_code ? kernel->info.figures.code_hash : std::nullopt);
    };
    kernel_list left_before, left_after;
    std::size_t a = 0, b = 0;
    while (a < before.size() && b < after.size()) {
        const auto one = key(before[a]), other = key(after[b]);
        const bool told = !with_code || one.second;
        if (one == other && told)
            use(*before[a++], *after[b++]);
        else if (one == other || one < other)
            left_before.push_back(before[a++]);
        else
            left_after.push_back(after[b++]);
    }
    left_before.insert(left_before.end(), before.begin() + static_cast<std::ptrdiff_t>(a), before.end());
    left_after.insert(left_after.end(), after.begin() + static_cast<std::ptrdiff_t>(b), after.end());
    before = std::move(left_before);
    after = std::move(left_after);
}

// After minus before, for a figure that costs; `nullopt` if one is unknown or they are equal.
template <class Value>
std::optional<double> difference(const std::optional<Value>& before, const std::optional<Value>& after)
{
    if (!before || !after || *before == *after) return std::nullopt;
    return static_cast<double>(*after) - static_cast<double>(*before);
}

// For ranges that do not overlap, their smallest difference.
std::optional<double> spill_difference(const kernel_info& before, const kernel_info& after)
{
    const std::optional<spill_range> a = spill_range_of(before), b = spill_range_of(after);
    if (!a || !b) return std::nullopt;
    if (b->min_bytes() > a->max_bytes()) return static_cast<double>(b->min_bytes() - a->max_bytes());
    if (b->max_bytes() < a->min_bytes()) return static_cast<double>(b->max_bytes() - a->min_bytes());
    return std::nullopt;
}

// Including called functions, if known for both.
std::optional<std::int64_t> stack_of(const kernel_info& kernel, const kernel_info& other)
{
    const bool both = kernel.figures.cumulative_stack_bytes && other.figures.cumulative_stack_bytes;
    return both ? deepest_stack(kernel) : kernel.figures.stack_frame_bytes;
}

struct decision {
    diff_figure figure = diff_figure::code;
    std::optional<double> cost;  ///< `nullopt`: neither worse nor better
    double amount = 0;
};

std::optional<decision> decide(const inspected_kernel& before, const inspected_kernel& after)
{
    const kernel_info &a = before.info, &b = after.info;
    const auto lost_warps = [](const inspected_kernel& kernel) {
        const bool known = kernel.residency && !kernel.residency->at_most;
        return known ? std::optional(-kernel.residency->result.occupancy()) : std::nullopt;
    };
    const std::pair<diff_figure, std::optional<double>> costs[] = {
        {diff_figure::occupancy, difference(lost_warps(before), lost_warps(after))},
        {diff_figure::spills, spill_difference(a, b)},
        {diff_figure::shared_spills, difference(shared_spill_bytes(a), shared_spill_bytes(b))},
        {diff_figure::registers, difference(a.figures.registers, b.figures.registers)},
        {diff_figure::stack, difference(stack_of(a, b), stack_of(b, a))},
        {diff_figure::shared, difference(a.figures.static_shared_bytes, b.figures.static_shared_bytes)}};
    for (const auto& [figure, cost] : costs)
        if (cost) return decision{figure, cost, std::abs(*cost)};
    const bool loads_for_stores =
        spill_bytes(a) && spill_bytes(b) && a.figures.spill_store_bytes != b.figures.spill_store_bytes;
    if (loads_for_stores) return decision{diff_figure::spills, std::nullopt, 0};
    const bool shared_for_shared = shared_spill_bytes(a) && shared_spill_bytes(b) &&
                                   a.figures.shared_spill_store_bytes != b.figures.shared_spill_store_bytes;
    if (shared_for_shared) return decision{diff_figure::shared_spills, std::nullopt, 0};
    if (const auto amount = difference(a.figures.barriers, b.figures.barriers))
        return decision{diff_figure::barriers, std::nullopt, std::abs(*amount)};
    // Not given and unknown look the same here, so only values on both sides count.
    if (difference(bound_threads(a), bound_threads(b)) || difference(a.bounds.min_blocks, b.bounds.min_blocks) ||
        difference(a.bounds.max_cluster_blocks, b.bounds.max_cluster_blocks))
        return decision{diff_figure::bounds, std::nullopt, 0};
    if (const auto amount = difference(a.figures.code_bytes, b.figures.code_bytes))
        return decision{diff_figure::code, std::nullopt, std::abs(*amount)};
    return std::nullopt;
}

void compare_pair(const inspected_kernel& before, const inspected_kernel& after, kernel_diff& diff,
                  std::size_t first_of_group)
{
    if (is_debug_build(before.info) != is_debug_build(after.info)) {
        diff.debug_and_release.push_back({&before, &after});
        return;
    }
    ++diff.compared;
    note_name(before, after, diff);
    const std::optional<decision> decided = decide(before, after);
    if (!decided) {
        const kernel_info &a = before.info, &b = after.info;
        if (!a.figures.registers || !b.figures.registers) {
            ++diff.not_comparable;
            return;
        }
        ++diff.unchanged;
        if (!a.figures.code_hash || !b.figures.code_hash)
            ++diff.code_unknown;
        else if (*a.figures.code_hash != *b.figures.code_hash)
            ++diff.code_changed;
        return;
    }
    const diff_verdict verdict = !decided->cost       ? diff_verdict::changed
                                 : *decided->cost > 0 ? diff_verdict::worse
                                                      : diff_verdict::better;
    // Copies of one kernel are sorted by size, so that equal changes are adjacent.
    if (diff.changes.size() > first_of_group) {
        kernel_change& last = diff.changes.back();
        if (same_figures(last.before->info, before.info) && same_figures(last.after->info, after.info)) {
            ++last.copies;
            return;
        }
    }
    diff.changes.push_back({&before, &after, verdict, decided->figure, decided->amount, 1});
}

void sort_changes(std::vector<kernel_change>& changes)
{
    std::stable_sort(changes.begin(), changes.end(), [](const kernel_change& a, const kernel_change& b) {
        return std::tuple(a.verdict, a.decided_by, -a.amount, std::string_view(a.after->info.short_form)) <
               std::tuple(b.verdict, b.decided_by, -b.amount, std::string_view(b.after->info.short_form));
    });
}

}  // namespace

}  // namespace launchbox
